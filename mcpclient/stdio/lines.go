package stdio

import (
	"bytes"
	"io"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/buffers"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Sizes of a lineReader, in bytes.
const (
	readBuffer = 16 << 10 // most lines fit in
	firstLong  = 64 << 10 // of the first buffer for a line that does not
)

// A lineReader splits a stream into lines of bounded length. Its memory is
// bounded by one and a half times the limit while a line grows, and goes back to
// readBuffer after it.
type lineReader struct {
	from  io.Reader
	limit int

	small []byte       // readBuffer bytes
	long  []byte       // in place of small for a line that does not fit in; nil when there is none
	claim budget.Claim // of long

	start, end int   // what was read and is not returned yet, in long or else small
	seen       int   // from start on there is no newline before it
	err        error // of the last Read; returned after what was read before
}

// newLineReader returns a reader whose memory is part of a budget, until release or abandon.
func newLineReader(r io.Reader, limit int, memory *budget.Budget) *lineReader {
	return &lineReader{from: r, limit: limit, small: make([]byte, readBuffer), claim: memory.Claim()}
}

// abandon is release for when the last line may still be in use: its memory goes to nobody else.
func (l *lineReader) abandon() {
	l.long = nil
	l.release()
}

// release gives the memory of long lines back, and forgets what was read.
func (l *lineReader) release() {
	buffers.Put(l.long)
	l.long, l.start, l.end, l.seen = nil, 0, 0, 0
	l.claim.Release()
}

func (l *lineReader) buffer() []byte {
	if l.long != nil {
		return l.long
	}
	return l.small
}

// next returns the next line without its end. It is valid until the next call.
// The last line of the stream need not have an end. After a [wire.TooLong] the next
// line follows, every other error is final.
func (l *lineReader) next() ([]byte, error) {
	l.shrink()
	for {
		line, ended := l.cut()
		switch {
		case ended && len(line) > l.limit:
			long := wire.NewTooLong(nil, line)
			long.Add([]byte("\n"))
			return nil, long
		case ended:
			return line, nil
		case l.end-l.start > l.limit:
			return nil, l.skip()
		case l.err != nil && l.end == l.start:
			return nil, l.err
		case l.err != nil: // the last line
			line = l.buffer()[l.start:l.end]
			l.start = l.end
			return line, nil
		case l.end == len(l.buffer()) && !l.makeRoom():
			return nil, l.skip()
		}
		l.read()
	}
}

// ready reports whether next would return a line without reading.
func (l *lineReader) ready() bool { return bytes.IndexByte(l.buffer()[l.start:l.end], '\n') >= 0 }

// cut takes a line out of what was read, and reports whether there is one.
func (l *lineReader) cut() (line []byte, ended bool) {
	b := l.buffer()
	n := bytes.IndexByte(b[l.seen:l.end], '\n')
	if n < 0 {
		l.seen = l.end
		return nil, false
	}
	line = b[l.start : l.seen+n]
	l.start = l.seen + n + 1
	l.seen = l.start
	return line, true
}

func (l *lineReader) read() {
	var n int
	n, l.err = l.from.Read(l.buffer()[l.end:])
	l.end += n
}

// shrink goes back to the small buffer once it has room for what was read.
func (l *lineReader) shrink() {
	if l.start == l.end {
		l.start, l.end, l.seen = 0, 0, 0
	}
	if l.long == nil || l.end-l.start > len(l.small) {
		return
	}
	left := copy(l.small, l.long[l.start:l.end])
	seen := l.seen - l.start
	l.release()
	l.end, l.seen = left, seen
}

// makeRoom makes room behind what was read. It returns false when there is no memory for that. The
// buffer doubles up to half the limit and then takes all of it, so that the old and the new
// buffer never reach two limits together.
func (l *lineReader) makeRoom() bool {
	b := l.buffer()
	if l.start > len(b)/2 { // the lines before were short
		l.end = copy(b, b[l.start:l.end])
		l.seen -= l.start
		l.start = 0
		return true
	}
	size := max(2*len(b), firstLong)
	if size > l.limit/2 {
		size = max(l.limit+1, len(b)+1) // with the newline
	}
	if !l.claim.Grow(size) {
		return false
	}
	grown := buffers.Get(size)[:size]
	l.end = copy(grown, b[l.start:l.end])
	l.seen -= l.start
	l.start = 0
	if l.long != nil {
		l.claim.Shrink(len(l.long))
		buffers.Put(l.long)
	}
	l.long = grown
	return true
}

// skip reads on to the end of a line for which there is no room, and gives back the memory at once.
func (l *lineReader) skip() error {
	long := wire.NewTooLong(nil, l.buffer()[l.start:l.end])
	l.release()
	for l.err == nil {
		l.read()
		part := l.small[:l.end]
		if n := bytes.IndexByte(part, '\n'); n >= 0 {
			long.Add(part[:n+1])
			l.start, l.seen = n+1, n+1
			return long
		}
		long.Add(part)
		l.end = 0
	}
	return long // a final error comes again with the next line
}
