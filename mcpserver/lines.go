package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/mcp-editord/mcp-editord/internal/wording"
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

// errTooLong is a line over the limit, after which the next one follows.
var errTooLong = fmt.Errorf("a message is over the limit of %s", wording.Size(wire.MaxFrame))

// next returns the next line without white space around it, in memory of its own. The last line need
// not have an end. Every error but errTooLong is final.
func (l *lineReader) next() (line []byte, err error) {
	for size := 0; ; {
		part, err := l.from.ReadSlice('\n')
		if size += len(part); size <= l.limit+len("\n") {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case size > l.limit+len("\n"):
			return nil, errTooLong
		case err == nil, errors.Is(err, io.EOF) && size > 0:
			return bytes.TrimSpace(line), nil
		default:
			return nil, err
		}
	}
}
