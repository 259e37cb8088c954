package stdio

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/wording"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// maxBadRun is how many frames in a row may be something other than messages before the
// server counts as not MCP.
const maxBadRun = 100

// stderrLine is the longest line of stderr, in bytes. A longer one becomes several lines.
const stderrLine = 16 << 10

// take puts the messages of one frame into w.batch and logs the rest.
func (w *conn) take(frame []byte) {
	wire.Each(frame, func(msg wire.Message) {
		w.badRun = 0
		w.batch = append(w.batch, msg)
	}, w.refuse)
}

// refuse logs a frame that is not a message. Too many in a row end the wire.
func (w *conn) refuse(frame []byte, why error) {
	if errors.Is(why, wire.ErrNoID) {
		w.badRun = 0
		w.log.Line(wire.LogDaemon, "skipped an error that answers no request: "+wire.Clip(frame))
		return
	}
	w.log.Skipped(false)
	w.log.Line(wire.LogStdout, wire.Clip(frame))
	if w.badRun == 0 {
		w.bad = wire.Clip(frame[:min(len(frame), 200)])
		if frame[0] == '{' || frame[0] == '[' {
			w.log.Line(wire.LogDaemon, "skipped a message that is not valid: "+why.Error())
		}
	}
	w.badRun++
	if w.badRun > maxBadRun {
		w.fail(&wire.Error{
			Kind: wire.KindNotMCP,
			Message: fmt.Sprintf("the server wrote %d lines that are not MCP, the first of them %q; check that the command runs an MCP server on stdio",
				w.badRun, w.bad),
			Detail: w.bad,
		})
		w.proc.Kill()
	}
}

// skipped deals with a frame over the limit: the call that it answers fails, if that
// can be told.
func (w *conn) skipped(frame *wire.TooLong) {
	w.log.Skipped(true)
	id, ok := frame.Answers()
	if !ok {
		w.log.Line(wire.LogDaemon, fmt.Sprintf("skipped a message of %s, which is over the limit of %s or over the memory that is left: %s",
			wording.Size(frame.Size), wording.Size(int64(w.limits.frame)), wire.Clip(frame.Head)))
		return
	}
	w.badRun = 0
	w.batch = append(w.batch, &wire.Response{ID: id, Error: wire.Errorf(wire.KindTooLarge, "",
		"the server's answer has %s, which is over the limit of %s or over the memory that is left; ask it for less", wording.Size(frame.Size), wording.Size(int64(w.limits.frame)))})
}

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
