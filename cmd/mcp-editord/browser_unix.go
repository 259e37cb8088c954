//go:build linux || darwin

package main

import "syscall"

// ownSession keeps a program from the signals of this one's terminal: Ctrl-C must not close the browser.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
