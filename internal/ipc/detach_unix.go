//go:build unix

package ipc

import (
	"os/exec"
	"syscall"

	"github.com/mcp-editord/mcp-editord/internal/procgroup"
)

// detach makes cmd outlive this process and its terminal: a session of its own, and none of the
// files that this process has inherited.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	procgroup.CloseOnExec()
}
