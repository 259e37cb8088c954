package fakeserver

import "os/exec"

// sleep returns a command that sleeps. There are no sessions to leave.
func sleep(seconds, _ string) *exec.Cmd {
	return exec.Command("ping", "-n", seconds, "127.0.0.1")
}
