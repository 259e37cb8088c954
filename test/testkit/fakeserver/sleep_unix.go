//go:build unix

package fakeserver

import (
	"os/exec"
	"syscall"
)

// sleep returns a command that sleeps, in its own session if how says so.
func sleep(seconds, how string) *exec.Cmd {
	cmd := exec.Command("sleep", seconds)
	if how == "setsid" || how == "escape" {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	}
	return cmd
}
