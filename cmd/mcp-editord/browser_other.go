//go:build !linux && !darwin

package main

import "syscall"

// browserPrograms returns nothing: nobody is asked anything here, so nobody agrees to open an address.
func browserPrograms(func(string) string) []string { return nil }

func ownSession() *syscall.SysProcAttr { return nil }
