package editorapi

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
)

// Limits of frames.
const (
	maxHeader = 8 << 10  // bytes of one header block
	maxFrame  = 64 << 20 // bytes of one message
	maxStep   = 1 << 20  // bytes to make room for at once, before any of them have arrived
	keepFrame = 1 << 20  // bytes of buffer to keep from one frame to the next
)

// A Frame is one message with its header, byte for byte as it was read (LSP 3.18, Base Protocol).
type Frame struct {
	Header []byte // with the empty line that ends it; 8 KiB at most
	Body   []byte // 1 byte to 64 MiB
}

// A FrameError says why the bytes that arrive are not a frame. Nobody knows then where the next
// frame begins, so the connection has to end.
type FrameError string

func (e FrameError) Error() string { return string(e) }

func frameErrorf(format string, args ...any) error {
	return FrameError(fmt.Sprintf(format, args...))
}

// Read reads the next frame into f and reuses f's memory. Memory grows with the bytes that arrive,
// whatever Content-Length claims.
//
// The error is io.EOF when the stream ends between two frames, io.ErrUnexpectedEOF when it ends
// inside one, a [FrameError] when what arrives is not a frame, and else that of in. After an
// error f holds the bytes that were read.
func (f *Frame) Read(in *bufio.Reader) error {
	if cap(f.Body) > keepFrame {
		f.Body = nil
	}
	*f = Frame{Header: f.Header[:0], Body: f.Body[:0]}
	length, err := f.readHeader(in)
	if err != nil {
		return err
	}
	for len(f.Body) < length {
		have := len(f.Body)
		step := min(length-have, max(have, 4<<10), maxStep)
		f.Body = slices.Grow(f.Body, step)[:have+step]
		if n, err := io.ReadFull(in, f.Body[have:]); err != nil {
			f.Body = f.Body[:have+n]
			return midFrame(err)
		}
	}
	return nil
}

// Sealed returns a frame with this body.
func Sealed(body []byte) []byte { return seal(append(newFrame(), body...)) }

// readHeader reads one header block and returns its Content-Length.
func (f *Frame) readHeader(in *bufio.Reader) (length int, err error) {
	for {
		at := len(f.Header)
		if err := f.readLine(in); err != nil {
			return 0, err
		}
		line := bytes.TrimRight(f.Header[at:], "\r\n")
		if len(line) == 0 {
			break
		}
		name, value, found := bytes.Cut(line, []byte(":"))
		if !found {
			return 0, frameErrorf("a header line has no colon: %.40q", line)
		}
		if !bytes.EqualFold(name, []byte("Content-Length")) {
			continue // Content-Type: it has one value, and clients that send another mean the same
		}
		if length != 0 {
			return 0, frameErrorf("a message header has Content-Length twice")
		}
		if length, err = contentLength(bytes.TrimSpace(value)); err != nil {
			return 0, err
		}
	}
	if length == 0 {
		return 0, frameErrorf("a message header has no Content-Length")
	}
	return length, nil
}

// readLine adds one line to f.Header, with its line feed.
func (f *Frame) readLine(in *bufio.Reader) error {
	for {
		part, err := in.ReadSlice('\n')
		f.Header = append(f.Header, part...)
		switch {
		case len(f.Header) > maxHeader:
			return frameErrorf("a message header is longer than %d bytes", maxHeader)
		case err == bufio.ErrBufferFull: // the line goes on
		case err == io.EOF && len(f.Header) == 0:
			return io.EOF
		default:
			return midFrame(err)
		}
	}
}

// contentLength reads decimal digits and nothing else: no sign, no exponent.
func contentLength(digits []byte) (int, error) {
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, frameErrorf("the Content-Length %.40q is not a decimal number", digits)
		}
		if n = n*10 + int(c-'0'); n > maxFrame {
			return 0, frameErrorf("the Content-Length %.40q is over the limit of %d bytes", digits, maxFrame)
		}
	}
	if n == 0 {
		return 0, frameErrorf("the Content-Length %.40q is not positive", digits)
	}
	return n, nil
}

// midFrame turns io.EOF, which is the end between two frames, into the end inside one.
func midFrame(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A frameReader cuts a byte stream into messages.
type frameReader struct {
	in    *bufio.Reader
	frame Frame
}

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{in: bufio.NewReaderSize(r, maxHeader)}
}

// ready reports whether next would return a message without reading. It may be wrong when it says no.
func (r *frameReader) ready() bool {
	buffered, _ := r.in.Peek(r.in.Buffered())
	header, body, ok := bytes.Cut(buffered, []byte("\r\n\r\n"))
	digits, usual := bytes.CutPrefix(header, []byte(headerName))
	if !ok || !usual {
		return false
	}
	length, err := contentLength(digits)
	return err == nil && length <= len(body)
}

// next returns the next message, which is valid until the following call. The errors are
// those of [Frame.Read].
func (r *frameReader) next() ([]byte, error) {
	if err := r.frame.Read(r.in); err != nil {
		return nil, err
	}
	return r.frame.Body, nil
}
