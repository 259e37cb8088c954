package stdio

import (
	"bufio"
	"bytes"
	"io"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Sizes of a lineReader.
const (
	readBuffer = 64 << 10 // most frames fit in
	longBuffer = 1 << 20  // a buffer for longer ones is kept up to this size
)

// A lineReader splits a stream into lines of bounded length. Its memory is
// bounded by one and a half times the limit while a line grows, and goes back to
// little more than longBuffer after it.
type lineReader struct {
	r     *bufio.Reader
	limit int
	long  []byte       // what has been read of a line that does not fit into r
	claim budget.Claim // of long
}

// newLineReader returns a reader whose memory is part of a budget, until release.
func newLineReader(r io.Reader, limit int, memory *budget.Budget) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, readBuffer), limit: limit, claim: memory.Claim()}
}

// release gives the memory back.
func (l *lineReader) release() {
	l.long = nil
	l.claim.Release()
}

// next returns the next line without its end. It is valid until the next call.
// The last line of the stream need not have an end. After a [wire.TooLong] the next
// line follows, every other error is final.
func (l *lineReader) next() ([]byte, error) {
	if cap(l.long) > longBuffer {
		l.release()
	}
	l.long = l.long[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		size := len(l.long) + len(part)
		if err == nil {
			size-- // the newline
		}
		switch {
		case err != nil && err != bufio.ErrBufferFull && size == 0:
			return nil, err
		case size > l.limit:
			return nil, l.skip(part, err)
		case err != bufio.ErrBufferFull && len(l.long) == 0: // a whole line, or the last one
			return bytes.TrimSuffix(part, []byte("\n")), nil
		case !l.keep(part):
			return nil, l.skip(part, err)
		case err != bufio.ErrBufferFull:
			return bytes.TrimSuffix(l.long, []byte("\n")), nil
		}
	}
}

// keep adds part to the long line, if there is memory for it.
func (l *lineReader) keep(part []byte) (ok bool) {
	l.long, ok = l.claim.Append(l.long, part, l.limit+1) // with the newline
	return ok
}

// skip reads on to the end of a line that began with l.long and part, and gives back the
// memory at once. err is what came with part.
func (l *lineReader) skip(part []byte, err error) error {
	long := wire.NewTooLong(l.long, part)
	l.release()
	for err == bufio.ErrBufferFull {
		part, err = l.r.ReadSlice('\n')
		long.Add(part)
	}
	return long // a final error comes again with the next line
}
