package editorapi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Limits of frames. After a violation frames can no longer be told apart, and so
// the connection ends.
const (
	maxHeader = 8 << 10  // bytes of one header block
	maxFrame  = 64 << 20 // bytes of one message
	maxStep   = 1 << 20  // bytes that are made room for before the ones before them have arrived
	keepFrame = 1 << 20  // bytes of buffer that are kept from one frame to the next
)

// A frameReader cuts a byte stream into messages (LSP 3.18, Base Protocol). It believes
// no Content-Length: memory grows with the bytes that arrive.
type frameReader struct {
	in  *bufio.Reader
	buf []byte
}

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{in: bufio.NewReaderSize(r, maxHeader)}
}

// next returns the next message. It is valid until the following call. The error
// is io.EOF when the stream ends between two messages.
func (r *frameReader) next() ([]byte, error) {
	length, err := r.header()
	if err != nil {
		return nil, err
	}
	if cap(r.buf) > keepFrame {
		r.buf = nil
	}
	r.buf = r.buf[:0]
	for len(r.buf) < length {
		have := len(r.buf)
		step := min(length-have, max(have, 4<<10), maxStep)
		r.buf = slices.Grow(r.buf, step)[:have+step]
		if _, err := io.ReadFull(r.in, r.buf[have:]); err != nil {
			return nil, midFrame(err)
		}
	}
	return r.buf, nil
}

// header reads one header block and returns its Content-Length.
func (r *frameReader) header() (int, error) {
	length, total := 0, 0
	for {
		line, err := r.in.ReadSlice('\n')
		total += len(line)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) || total > maxHeader:
			return 0, fmt.Errorf("a message header is longer than %d bytes", maxHeader)
		case err == io.EOF && total == 0:
			return 0, io.EOF
		case err != nil:
			return 0, midFrame(err)
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		name, value, found := bytes.Cut(line, []byte(":"))
		if !found {
			return 0, fmt.Errorf("a header line has no colon: %.40q", line)
		}
		if !bytes.EqualFold(name, []byte("Content-Length")) {
			continue // Content-Type: it has one value, and clients that send another mean the same
		}
		if length != 0 {
			return 0, errors.New("a message header has Content-Length twice")
		}
		if length, err = contentLength(bytes.TrimSpace(value)); err != nil {
			return 0, err
		}
	}
	if length == 0 {
		return 0, errors.New("a message header has no Content-Length")
	}
	return length, nil
}

// contentLength reads decimal digits and nothing else: no sign, no exponent.
func contentLength(digits []byte) (int, error) {
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("the Content-Length %.40q is not a decimal number", digits)
		}
		if n = n*10 + int(c-'0'); n > maxFrame {
			return 0, fmt.Errorf("the Content-Length %.40q is over the limit of %d bytes", digits, maxFrame)
		}
	}
	if n == 0 {
		return 0, fmt.Errorf("the Content-Length %.40q is not positive", digits)
	}
	return n, nil
}

// midFrame tells the end of a stream inside a frame from one between two.
func midFrame(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
