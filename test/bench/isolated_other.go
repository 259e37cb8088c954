//go:build !linux

package main

import (
	"errors"
	"net"
	"os/exec"
)

const insideEnv = "BENCH_HUB_INSIDE"

var errNoNamespaces = errors.New("only Linux has network namespaces")

func startIsolated(*exec.Cmd) (func() error, error) { return nil, errNoNamespaces }

func hubInside(string) error { return errNoNamespaces }

func receiveConn(*net.UnixConn) (net.Conn, error) { return nil, errNoNamespaces }
