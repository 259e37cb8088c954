package mcpclient

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-editord/mcp-editord/internal/budget"
)

// Sizes of a lineReader.
const (
	readBuffer   = 64 << 10 // most frames fit in
	longBuffer   = 1 << 20  // a buffer for longer ones is kept up to this size
	tooLongParts = 512      // bytes kept of the beginning and of the end of a frame over the limit
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

// release lets go of the memory.
func (l *lineReader) release() {
	l.long = nil
	l.claim.Release()
}

// A tooLongError stands for a line over the limit, or over the memory that was left, which
// was skipped.
type tooLongError struct {
	head, tail []byte // at most tooLongParts of each
	size       int64
}

func (e *tooLongError) Error() string { return fmt.Sprintf("a line of %d bytes", e.size) }

// next returns the next line without its end. It is valid until the next call.
// The last line of the stream need not have an end. After a [tooLongError] the next
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
	l.long, ok = appendUpTo(l.long, part, l.limit+1, &l.claim) // with the newline
	return ok
}

// appendUpTo appends part to b, which together have at most limit bytes. The
// buffer doubles up to half the limit and then takes all of it, so that the old
// and the new one are never two limits together. claim holds as much as the buffer has; ok is
// false when there is no memory left, and b then as it was.
func appendUpTo(b, part []byte, limit int, claim *budget.Claim) (_ []byte, ok bool) {
	if need := len(b) + len(part); need > cap(b) {
		size := 2 * need
		if size > limit/2 {
			size = limit
		}
		if !claim.Grow(size) {
			return b, false
		}
		grown := make([]byte, len(b), size)
		copy(grown, b)
		claim.Shrink(cap(b))
		b = grown
	}
	return append(b, part...), true
}

// skip reads on to the end of a line of which l.long and part were read, and
// gives back the memory at once. err is what came with part.
func (l *lineReader) skip(part []byte, err error) error {
	long := &tooLongError{size: int64(len(l.long) + len(part))}
	beginning := l.long
	if len(beginning) == 0 {
		beginning = part
	}
	long.head = bytes.Clone(beginning[:min(len(beginning), tooLongParts)])
	long.tail = lastBytes(lastBytes(nil, l.long), part)
	l.release()
	for err == bufio.ErrBufferFull {
		part, err = l.r.ReadSlice('\n')
		long.size += int64(len(part))
		long.tail = lastBytes(long.tail, part)
	}
	return long // a final error comes again with the next line
}

// lastBytes returns the last tooLongParts bytes of a and b together, in a's array.
func lastBytes(a, b []byte) []byte {
	if len(b) >= tooLongParts {
		return append(a[:0], b[len(b)-tooLongParts:]...)
	}
	if n := len(a) + len(b) - tooLongParts; n > 0 {
		a = append(a[:0], a[n:]...)
	}
	return append(a, b...)
}

// skipped deals with a frame over the limit: the call that it answers fails, if
// it can be told.
func (w *stdioWire) skipped(frame *tooLongError) {
	w.oversized.Add(1)
	id, ok := frame.responseID()
	if !ok {
		w.log.Line(LogDaemon, fmt.Sprintf("skipped a message of %d bytes, which is over the limit of %d or over what memory is left: %s",
			frame.size, w.limits.frame, clipText(frame.head)))
		return
	}
	w.badRun = 0
	w.batch = append(w.batch, &jsonrpc.Response{ID: id, Error: errorf(KindTooLarge, "",
		"the server's answer has %d bytes, which is over the limit of %d or over what memory is left: ask it for less", frame.size, w.limits.frame)})
}

// idNearEnd matches a member id of the outermost object when nothing but short
// members without nesting follow it. The brace is that of the outermost object, and there
// are neither braces nor escapes between it and the id, so the id is its member.
var idNearEnd = regexp.MustCompile(`,\s*"id"\s*:\s*(-?[0-9]+|"[^"\\]*")\s*(?:,\s*"[^"\\]*"\s*:\s*(?:"[^"\\]*"|[-+.0-9A-Za-z]+)\s*)*\}\s*$`)

// responseID returns the id of the call that the frame answers. It is a response
// when result or error stands among its first members, and its id is there or
// among its last ones.
func (e *tooLongError) responseID() (jsonrpc.ID, bool) {
	var id []byte
	response := false
	d := jsontext.NewDecoder(bytes.NewBuffer(e.head), jsontext.AllowDuplicateNames(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return jsonrpc.ID{}, false
	}
	for !response {
		name, err := d.ReadToken()
		if err != nil || name.Kind() != '"' {
			return jsonrpc.ID{}, false
		}
		switch name.String() {
		case "method", "params":
			return jsonrpc.ID{}, false
		case "result", "error":
			response = true
			continue
		case "id":
			value, err := d.ReadValue()
			if err != nil {
				return jsonrpc.ID{}, false
			}
			id = bytes.Clone(value)
			continue
		}
		if d.SkipValue() != nil {
			return jsonrpc.ID{}, false
		}
	}
	if id == nil {
		match := idNearEnd.FindSubmatch(e.tail)
		if match == nil {
			return jsonrpc.ID{}, false
		}
		id = match[1]
	}
	return makeID(id)
}

// readStderr puts what the server writes on its standard error into the log, in
// lines of at most stderrLine bytes. It ends with the stream.
func (w *stdioWire) readStderr() {
	r := bufio.NewReaderSize(w.stderr, stderrLine)
	for {
		part, err := r.ReadSlice('\n')
		if len(part) > 0 {
			line := strings.ToValidUTF8(strings.TrimRight(string(part), "\r\n"), "\uFFFD")
			w.lastErr.Add(line)
			w.log.Line(LogStderr, line)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// stderrLine is the longest line of stderr, in bytes: what is longer is more lines.
const stderrLine = 16 << 10

// maxNoise is how many bytes of a frame that is no message are logged.
const maxNoise = 4 << 10

// clipText returns b as text for the log.
func clipText(b []byte) string {
	mark := ""
	if len(b) > maxNoise {
		b, mark = b[:maxNoise], " [cut]"
	}
	return strings.ToValidUTF8(string(b), "\uFFFD") + mark
}
