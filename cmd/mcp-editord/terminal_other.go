//go:build !linux && !darwin

package main

import (
	"context"
	"errors"
	"syscall"
)

// isTerminal returns false: nobody is asked anything here.
func isTerminal(int) bool { return false }

func terminalWidth(int) int { return 0 }

func ownSession() *syscall.SysProcAttr { return nil }

func hideInput(int) (show func(), err error) { return nil, errors.ErrUnsupported }

func awaitInput(context.Context, int) error { return errors.ErrUnsupported }

func dropInput(int) {}
