// Package filepages lets go of pages of files that a process does not need for now: those of the
// program itself, and of libraries.
//
// To start, a Go program touches most of its pages: every package initialises itself, and the
// system maps sixteen pages where one is needed. A process that then waits needs few of them. While
// it holds them, the system counts them as memory of the process and as pages in use.
package filepages
