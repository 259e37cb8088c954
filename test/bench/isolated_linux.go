package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// insideEnv is set, to the script of mcp-hub, in the process that runs inside of the namespace.
const insideEnv = "BENCH_HUB_INSIDE"

// startIsolated starts a command in a user, network and process namespace of its own. When the
// command ends, the kernel ends everything else that runs in there.
func startIsolated(cmd *exec.Cmd) (end func() error, err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() error {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // it was killed
		return nil
	}, nil
}

// hubInside starts mcp-hub, passes connections to it out, and ends with the program outside.
func hubInside(script string) error {
	signal.Ignore(syscall.SIGINT) // the program outside decides
	if err := loopbackUp(); err != nil {
		return fmt.Errorf("setting up the loopback interface: %w", err)
	}
	out, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: "out.sock", Net: "unix"})
	if err != nil {
		return err
	}
	cmd := exec.Command("node", script, "--port", hubPort, "--config", "hub.json")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	for {
		if _, err := out.Read(make([]byte, 1)); err != nil {
			return nil // the program outside has ended
		}
		if err := passConn(out); err != nil {
			return err
		}
	}
}

// passConn connects to mcp-hub, once it listens, and passes the connection out.
func passConn(out *net.UnixConn) error {
	var conn net.Conn
	var err error
	for end := time.Now().Add(hubStart); ; time.Sleep(20 * time.Millisecond) {
		if conn, err = net.Dial("tcp", "127.0.0.1:"+hubPort); err == nil {
			break
		}
		if time.Now().After(end) {
			return err
		}
	}
	defer conn.Close() // the program outside has it then
	file, err := conn.(*net.TCPConn).File()
	if err != nil {
		return err
	}
	defer file.Close()
	_, _, err = out.WriteMsgUnix([]byte{0}, unix.UnixRights(int(file.Fd())), nil)
	return err
}

// loopbackUp switches the loopback interface on (netdevice(7)).
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	ifr.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, ifr)
}

// receiveConn takes a connection that hubInside has passed.
func receiveConn(from *net.UnixConn) (net.Conn, error) {
	if err := from.SetReadDeadline(time.Now().Add(hubStart)); err != nil {
		return nil, err
	}
	data, oob := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := from.ReadMsgUnix(data, oob)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil {
		return nil, err
	}
	if len(messages) != 1 {
		return nil, errors.New("no connection was passed")
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fds[0]), "mcp-hub")
	defer file.Close()
	return net.FileConn(file)
}
