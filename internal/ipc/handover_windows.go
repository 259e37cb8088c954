package ipc

import (
	"io"
	"net"
)

// Nobody is handed over here: this system does not pass descriptors on.

func (c *Conn) receive(b []byte) (int, error) { return c.socket.Read(b) }

type editorPipes struct{ in, out *pipe }

func (*editorPipes) close() {}

type pipe struct{ io.ReadWriter }

func (*pipe) TryWrite([]byte) (int, error) { return 0, nil }

type offer struct{}

func newOffer(io.Reader, io.Writer) *offer { return nil }

func (*offer) send(*net.UnixConn, []byte) error { return nil }

func (*offer) wait(*net.UnixConn) bool { return false }

func (*offer) restore() {}
