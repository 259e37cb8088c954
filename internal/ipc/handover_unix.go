//go:build unix

package ipc

import (
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// roomForRights is room for all descriptors that the system lets one message carry (Linux: 253).
// Some systems lose track of those that find no room, so that nobody can close them.
var roomForRights = unix.CmsgSpace(256 * 4)

var errSpoke = errors.New("attach wrote to the socket after it had handed the editor over")

// editorPipes are the standard input and output of an editor that was handed over.
type editorPipes struct{ in, out *pipe }

func (e *editorPipes) close() {
	e.in.Close()
	e.out.Close()
}

// receive reads from the socket, and takes the editor that may come with the last byte. All
// descriptors that it gets and does not keep are closed, with an error.
func (c *Conn) receive(b []byte) (int, error) {
	rights := make([]byte, roomForRights)
	n, size, flags, _, err := c.socket.ReadMsgUnix(b, rights) // which sets CLOEXEC
	if size == 0 && flags&unix.MSG_CTRUNC == 0 {
		if errors.Is(err, io.EOF) {
			err = io.EOF // as Read says it
		}
		return max(n, 0), err // it says -1 for an error
	}
	fds, err := descriptors(rights[:size])
	if err == nil && flags&unix.MSG_CTRUNC != 0 {
		err = errors.New("the system could not pass on all descriptors that came with a message")
	}
	if err == nil && len(fds) != 2 {
		err = fmt.Errorf("%d descriptors came with a message; an editor has two, its stdin and its stdout", len(fds))
	}
	if err != nil {
		for _, fd := range fds {
			unix.Close(fd)
		}
		return 0, err
	}
	in, inErr := newPipe(fds[0], unix.O_RDONLY)
	out, outErr := newPipe(fds[1], unix.O_WRONLY)
	e := &editorPipes{in, out}
	if err := errors.Join(inErr, outErr); err != nil {
		e.close()
		return 0, fmt.Errorf("taking an editor's stdin and stdout: %w", err)
	}
	if err := c.take(e); err != nil {
		return 0, err
	}
	return n, nil
}

// take makes e the editor of c, or closes e when c cannot have it any more.
func (c *Conn) take(e *editorPipes) error {
	c.mu.Lock()
	was := c.stage
	if was == fresh {
		c.stage, c.editor = handed, e
	}
	c.mu.Unlock()
	if was != fresh {
		e.close()
		return errors.New("an editor was handed over in the middle of its session")
	}
	go c.watch()                             // ends with the socket
	_, _ = c.socket.Write([]byte{wordTaken}) // watch learns that attach is gone
	return nil
}

// watch waits for the end of attach and then takes the pipes away from the session.
func (c *Conn) watch() {
	lost := io.EOF
	if n, _ := c.socket.Read(make([]byte, 1)); n > 0 {
		lost = errSpoke
	}
	c.mu.Lock()
	if c.stage == handed {
		c.lost = lost
	}
	c.mu.Unlock()
	c.editor.close()
}

// descriptors returns all descriptors of control messages, with an error also those that it found.
func descriptors(control []byte) (fds []int, err error) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return nil, fmt.Errorf("reading what came with a message: %w", err)
	}
	for _, m := range messages {
		more, wrong := unix.ParseUnixRights(&m)
		if wrong != nil {
			err = fmt.Errorf("reading what came with a message: %w", wrong)
		}
		fds = append(fds, more...)
	}
	return fds, err
}
