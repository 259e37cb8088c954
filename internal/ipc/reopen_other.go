//go:build unix && !linux

package ipc

// sendsNow is false: Darwin heeds MSG_DONTWAIT only where it receives.
const sendsNow = false

// reopen returns fd: this system cannot open a pipe a second time.
func reopen(fd, _ int) int { return fd }
