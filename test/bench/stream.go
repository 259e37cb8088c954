package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// A framing says where a message ends.
type framing int

const (
	lines   framing = iota // MCP on stdio: a message is a line
	headers                // LSP: Content-Length
)

const (
	readBuffer = 256 << 10 // bytes
	glance     = 96        // bytes at the beginning and the end of a message in which its id is looked for
)

// A stream is one connection of a client that does not decode what it gets.
type stream struct {
	framing framing
	in      *bufio.Reader
	out     io.Writer
	shut    func() error

	received int64 // bytes
	tail     []byte
	head     []byte
}

func newStream(f framing, rw io.ReadWriter, shut func() error) *stream {
	return &stream{framing: f, in: bufio.NewReaderSize(rw, readBuffer), out: rw, shut: shut}
}

// frame appends a message to b as it goes over the stream.
func (s *stream) frame(b []byte, parts ...string) []byte {
	if s.framing == headers {
		n := 0
		for _, part := range parts {
			n += len(part)
		}
		b = append(b, "Content-Length: "...)
		b = strconv.AppendInt(b, int64(n), 10)
		b = append(b, "\r\n\r\n"...)
	}
	for _, part := range parts {
		b = append(b, part...)
	}
	if s.framing == lines {
		b = append(b, '\n')
	}
	return b
}

// send writes one message.
func (s *stream) send(parts ...string) error {
	_, err := s.out.Write(s.frame(nil, parts...))
	return err
}

// An answer is what a glance tells of a message.
type answer struct {
	id     int // 0 when the message is none of ours: a request or a notification
	size   int // bytes of the message
	failed string
}

// next reads one message and finds its id with a glance at its two ends.
func (s *stream) next() (answer, error) {
	size, err := s.skim()
	if err != nil {
		return answer{}, err
	}
	s.received += int64(size)
	return look(s.head, s.tail, size), nil
}

// skim reads past one message and keeps its two ends.
func (s *stream) skim() (size int, err error) {
	s.head, s.tail = s.head[:0], s.tail[:0]
	if s.framing == headers {
		n, err := s.readHeader()
		if err != nil {
			return 0, err
		}
		for left := n; left > 0; {
			part, err := s.in.Peek(min(left, readBuffer))
			if err != nil {
				return 0, err
			}
			s.keep(part)
			if _, err := s.in.Discard(len(part)); err != nil {
				return 0, err
			}
			left -= len(part)
		}
		return n, nil
	}
	for {
		part, err := s.in.ReadSlice('\n')
		size += len(part)
		s.keep(part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return size, err
		}
	}
}

func (s *stream) keep(part []byte) {
	if len(s.head) == 0 {
		s.head = append(s.head, part[:min(glance, len(part))]...)
	}
	if len(part) < glance {
		s.tail = append(s.tail, part...)
		s.tail = s.tail[max(0, len(s.tail)-glance):]
		return
	}
	s.tail = append(s.tail[:0], part[len(part)-glance:]...)
}

// readHeader reads a header block and returns its Content-Length.
func (s *stream) readHeader() (int, error) {
	n := -1
	for {
		line, err := s.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		s.received += int64(len(line))
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if n < 0 {
				return 0, errors.New("a frame without Content-Length")
			}
			return n, nil
		}
		if name, value, ok := bytes.Cut(line, []byte(":")); ok && bytes.EqualFold(name, []byte("Content-Length")) {
			if n, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, fmt.Errorf("the header %q: %w", line, err)
			}
		}
	}
}

// look finds the id of an answer. Every program that is measured writes it before the result or
// as the last member.
func look(head, tail []byte, size int) answer {
	a := answer{size: size}
	outer := head[min(1, len(head)):] // the members before the first nested value
	if i := bytes.IndexAny(outer, "{["); i >= 0 {
		outer = outer[:i]
	}
	if bytes.Contains(outer, []byte(`"method":`)) {
		return a
	}
	const member = `"id":`
	from, at := outer, bytes.Index(outer, []byte(member))
	if at < 0 {
		from, at = tail, bytes.LastIndex(tail, []byte(member))
	}
	if at < 0 {
		return a
	}
	for _, c := range from[at+len(member):] {
		if c < '0' || c > '9' {
			break
		}
		a.id = a.id*10 + int(c-'0')
	}
	if bytes.Contains(outer, []byte(`"error":`)) {
		a.failed = string(head)
	}
	return a
}

// whole reads one message and returns it. The caller owns it.
func (s *stream) whole() ([]byte, error) {
	if s.framing == lines {
		line, err := s.in.ReadBytes('\n')
		s.received += int64(len(line))
		return line, err
	}
	n, err := s.readHeader()
	if err != nil {
		return nil, err
	}
	body := make([]byte, n)
	_, err = io.ReadFull(s.in, body)
	s.received += int64(n)
	return body, err
}
