package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// readBuffer is how many bytes are read at once. Most messages fit in.
const readBuffer = 32 << 10

// A lineReader splits what the agent writes into lines of bounded length: "Messages are delimited by
// newlines, and MUST NOT contain embedded newlines" (MCP 2026-07-28, stdio).
type lineReader struct {
	from  *bufio.Reader
	limit int // bytes
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{from: bufio.NewReaderSize(r, readBuffer), limit: limit}
}

// next returns the next line that is not empty, in memory of its own. The last line need not have an
// end. After a [*wire.TooLong] the next line follows; every other error is final.
func (l *lineReader) next() ([]byte, error) {
	for {
		line, err := l.line()
		if line = bytes.TrimSpace(line); len(line) > 0 || err != nil {
			return line, err
		}
	}
}

func (l *lineReader) line() (line []byte, err error) {
	var long *wire.TooLong // in place of line, once that is too long
	for {
		part, err := l.from.ReadSlice('\n')
		switch {
		case long != nil:
			long.Add(part)
		case len(line)+len(part) > l.limit+len("\n"):
			long, line = wire.NewTooLong(line, part), nil
		default:
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long != nil:
			return nil, long
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		default:
			return nil, err
		}
	}
}
