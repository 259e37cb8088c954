//go:build !unix

package main

// umask returns "": this system has none.
func umask() string { return "" }

func privateFiles() {}
