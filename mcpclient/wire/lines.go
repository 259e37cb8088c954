package wire

import (
	"bufio"
	"bytes"
	"io"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/buffers"
)

// Sizes of a LineReader, in bytes.
const (
	readBuffer = 16 << 10 // most lines fit in
	firstLong  = 64 << 10 // of the first buffer for a line that does not
)

// A LineReader splits a stream into lines of bounded length. Its memory is
// bounded by one and a half times the limit while a line grows, and goes back to
// readBuffer after it.
type LineReader struct {
	r     *bufio.Reader // of readBuffer bytes
	limit int

	long  []byte       // a line that does not fit in there
	claim budget.Claim // of long
}

// NewLineReader returns a reader whose memory is part of a budget, until the stream ends or is
// abandoned.
func NewLineReader(r io.Reader, limit int, memory *budget.Budget) *LineReader {
	return &LineReader{r: bufio.NewReaderSize(r, readBuffer), limit: limit, claim: memory.Claim()}
}

// Abandon gives back what a long line takes of the budget. The line may still be in use, so its memory
// goes to nobody else.
func (l *LineReader) Abandon() {
	l.long = nil
	l.release()
}

// release gives the memory of a long line back.
func (l *LineReader) release() {
	buffers.Put(l.long)
	l.long = nil
	l.claim.Release()
}

// Next returns the next line without its end. It is valid until the next call.
// The last line of the stream need not have an end. After a [TooLong] the next
// line follows, every other error is final.
func (l *LineReader) Next() ([]byte, error) {
	l.release()
	part, err := l.r.ReadSlice('\n')
	if err == nil && len(part)-1 <= l.limit {
		return part[:len(part)-1], nil // most lines
	}
	for err == bufio.ErrBufferFull && l.keep(part) {
		part, err = l.r.ReadSlice('\n')
	}
	if err == bufio.ErrBufferFull || !l.keep(part) {
		return nil, l.skip(part, err)
	}
	if err != nil && len(l.long) == 0 {
		return nil, err
	}
	return bytes.TrimSuffix(l.long, []byte("\n")), nil // a final error comes again
}

// Ready reports whether Next would return a line without reading.
func (l *LineReader) Ready() bool {
	read, _ := l.r.Peek(l.r.Buffered())
	return bytes.IndexByte(read, '\n') >= 0
}

// keep adds a part to the long line. It returns false when that is over the limit, or when there is
// no memory for it. The buffer doubles up to half the limit and then takes all of it, so that the
// old and the new buffer never reach two limits together.
func (l *LineReader) keep(part []byte) bool {
	if len(l.long)+len(bytes.TrimSuffix(part, []byte("\n"))) > l.limit {
		return false
	}
	if len(l.long)+len(part) > cap(l.long) {
		size := max(2*cap(l.long), firstLong)
		if size > l.limit/2 {
			size = l.limit + 1 // with the newline
		}
		if !l.claim.Grow(size) {
			return false
		}
		grown := append(buffers.Get(size), l.long...)
		l.claim.Shrink(cap(l.long))
		buffers.Put(l.long)
		l.long = grown
	}
	l.long = append(l.long, part...)
	return true
}

// skip reads on to the end of a line for which there is no room, of which part was read last, with
// err. It gives back the memory at once.
func (l *LineReader) skip(part []byte, err error) error {
	long := NewTooLong(l.long, part)
	l.release()
	for err == bufio.ErrBufferFull {
		part, err = l.r.ReadSlice('\n')
		long.Add(part)
	}
	return long // a final error comes again with the next line
}
