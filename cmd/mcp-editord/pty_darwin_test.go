package main

import (
	"os"
	"os/exec"
	"testing"
)

// inTerminal is a program that runs in a terminal, which the tests can open only on Linux.
type inTerminal struct {
	keyboard *os.File
	screen   *transcript
}

func startInTerminal(t testing.TB, _ *exec.Cmd) *inTerminal {
	t.Fatal("the tests open terminals only on Linux")
	return nil
}
