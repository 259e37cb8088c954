package stdio

import (
	"bufio"
	"errors"
	"strings"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// readStderr puts what the server writes on its standard error into the log, in
// lines of at most stderrLine bytes. It ends with the stream.
func (w *conn) readStderr() {
	r := bufio.NewReaderSize(w.stderr, stderrLine)
	for {
		part, err := r.ReadSlice('\n')
		if len(part) > 0 {
			w.log.Line(wire.LogStderr, strings.TrimRight(string(part), "\r\n"))
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// stderrLine is the longest line of stderr, in bytes. A longer one becomes several lines.
const stderrLine = 16 << 10
