//go:build !unix

package main

// umask returns "": there is none.
func umask() string { return "" }

func privateFiles() {}
