package daemon

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

const (
	maxHeader = 8 << 10  // bytes of the header of the editor's first frame
	maxBody   = 64 << 20 // bytes of its body
	maxExit   = 512      // bytes of a frame that may be the exit notification

	lastWords = time.Second // the daemon is given to say what it has to say when the editor has gone
)

// Attach connects an editor to the daemon of p, starting one if there is none,
// and copies what they say to each other until the editor ends stdin. To the
// editor's initialize it adds env (lines of NAME=value) and umask (in octal), where they
// are absent: servers run with the editor's environment, not with the daemon's
// (editor protocol, section 1). Everything else passes byte for byte.
//
// It returns nil when stdin ends, and when the daemon closes the connection
// after exit (LSP 3.18, Exit Notification). When the daemon goes away otherwise, it
// ends the servers that the daemon may have left and returns an error.
//
// A Read of stdin cannot be interrupted: after an error it may be under way
// until stdin ends or the process does.
func Attach(ctx context.Context, p Paths, stdin io.Reader, stdout io.Writer, env []string, umask string) error {
	conn, err := connect(ctx, p, serveCommand)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()

	up := &toDaemon{w: conn}
	fromEditor := make(chan error, 1)
	fromDaemon := make(chan error, 1)
	go func() { fromEditor <- copyFromEditor(up, stdin, env, umask) }()
	go func() {
		// Without the methods of a file, so that errors of reading stay apart from those of writing.
		_, err := io.Copy(struct{ io.Writer }{stdout}, conn)
		fromDaemon <- err
	}()

	select {
	case err = <-fromEditor:
		conn.CloseWrite() // fails when the daemon has gone, and then there is nothing to tell it
		select {
		case <-fromDaemon:
		case <-time.After(lastWords):
		}
		if up.err() == nil {
			if err != nil {
				return fmt.Errorf("reading from the editor: %w", err)
			}
			return nil
		}
	case err = <-fromDaemon:
		if err != nil && !isReadError(err) {
			return fmt.Errorf("writing to the editor: %w", err)
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case up.saidExit():
		return nil
	default:
		return daemonGone(p)
	}
}

// isReadError tells an error of reading from the daemon from one of writing to the editor.
func isReadError(err error) bool {
	op := (*net.OpError)(nil)
	return errors.As(err, &op) && op.Op == "read"
}

// daemonGone says why there is no connection any more, and ends the servers of a daemon that has ended.
func daemonGone(p Paths) error {
	lock, err := acquireDaemonLock(p, lockPatience)
	if errors.Is(err, ErrAlreadyRunning) {
		return fmt.Errorf("the daemon closed the connection of this editor; the reason is in %s", p.LogFile())
	}
	if err != nil {
		return fmt.Errorf("the daemon has ended; start mcp-editord again in the editor (%w)", err)
	}
	defer lock.Close()
	if _, err := reap(p); err != nil {
		return fmt.Errorf("the daemon has ended; start mcp-editord again in the editor (ending its servers: %w)", err)
	}
	return fmt.Errorf("the daemon has ended; start mcp-editord again in the editor, the reason is in %s or %s", p.LogFile(), p.ErrorFile())
}

// toDaemon writes to the daemon and remembers the end of what was written.
type toDaemon struct {
	w io.Writer

	mu     sync.Mutex // guards the fields that follow
	tail   []byte     // the last maxExit bytes
	failed error
}

func (t *toDaemon) Write(b []byte) (int, error) {
	// Before the write: the daemon may close as soon as it has read.
	t.mu.Lock()
	t.tail = append(t.tail, b[max(0, len(b)-maxExit):]...)
	t.tail = t.tail[:copy(t.tail, t.tail[max(0, len(t.tail)-maxExit):])]
	t.mu.Unlock()

	n, err := t.w.Write(b)
	if err != nil {
		t.mu.Lock()
		t.failed = err
		t.mu.Unlock()
	}
	return n, err
}

// err returns why writing failed, nil if it did not.
func (t *toDaemon) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// saidExit tells whether the last frame was the exit notification.
func (t *toDaemon) saidExit() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	end := bytes.LastIndex(t.tail, []byte("\r\n\r\n"))
	if end < 0 {
		return false
	}
	body := t.tail[end+4:]
	return rawjson.Check(body) == nil && rawjson.String(body, "method") == "exit"
}

// copyFromEditor copies from the editor to the daemon until the editor ends the
// stream, and adds env and umask to its first frame. What does not look like a frame
// is copied as it is: to refuse it is for the daemon, which logs the reason.
func copyFromEditor(to io.Writer, from io.Reader, env []string, umask string) error {
	in := bufio.NewReaderSize(from, maxHeader)
	frame, readErr := firstFrame(in, func(body []byte) []byte { return withEnvironment(body, env, umask) })
	if _, err := to.Write(frame); err != nil {
		return err
	}
	if readErr != nil {
		if readErr == io.EOF {
			return nil
		}
		return readErr
	}
	_, err := io.Copy(to, in)
	return err
}

// firstFrame reads one frame (LSP 3.18, Base Protocol) and returns it with
// its body replaced by what edit makes of it. What is no frame within the limits is returned
// as far as it has been read. Memory grows with what arrives, not with what the header claims.
func firstFrame(in *bufio.Reader, edit func(body []byte) []byte) ([]byte, error) {
	var frame []byte
	var h header
	for {
		line, err := in.ReadSlice('\n')
		at := len(frame)
		frame = append(frame, line...)
		if err != nil && err != bufio.ErrBufferFull {
			return frame, err
		}
		if len(frame) > maxHeader || !h.line(line, at) {
			return frame, nil
		}
		if h.ended {
			break
		}
	}
	var body bytes.Buffer
	if _, err := io.CopyN(&body, in, int64(h.length)); err != nil {
		return append(frame, body.Bytes()...), err
	}
	edited := edit(body.Bytes())
	if bytes.Equal(edited, body.Bytes()) {
		return append(frame, edited...), nil
	}
	out := bytes.Clone(frame[:h.start])
	out = strconv.AppendInt(out, int64(len(edited)), 10)
	out = append(out, frame[h.end:]...)
	return append(out, edited...), nil
}

// header is what the header of a frame says.
type header struct {
	length     int // of the body, once start is not 0
	start, end int // where the digits of Content-Length stand in the frame
	ended      bool
}

// line takes the line that stands at an offset of the frame, and tells whether
// the header can still be one: fields that end in CRLF, among them Content-Length once,
// with a number from 1 to maxBody.
func (h *header) line(line []byte, at int) bool {
	text, ok := strings.CutSuffix(string(line), "\r\n")
	if !ok {
		return false
	}
	if text == "" {
		h.ended = true
		return h.start != 0
	}
	name, value, ok := strings.Cut(text, ":")
	if !ok {
		return false
	}
	if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
		return true
	}
	digits := strings.Trim(value, " \t")
	length, err := strconv.ParseUint(digits, 10, 32)
	if h.start != 0 || err != nil || length == 0 || length > maxBody {
		return false
	}
	h.length = int(length)
	h.start = at + len(name) + 1 + strings.Index(value, digits)
	h.end = h.start + len(digits)
	return true
}

// withEnvironment returns the message with initializationOptions.environment and .umask
// added where they are absent, and the same message when it is no initialize.
func withEnvironment(message []byte, env []string, umask string) []byte {
	if rawjson.Check(message) != nil || rawjson.String(message, "method") != "initialize" {
		return message
	}
	options := rawjson.Path(message, "params", "initializationOptions")
	if !rawjson.IsObject(rawjson.Get(message, "params")) || !absent(options) && !rawjson.IsObject(options) {
		return message
	}
	if absent(rawjson.Get(options, "environment")) {
		message = rawjson.SetPath(message, environment(env), "params", "initializationOptions", "environment")
	}
	if umask != "" && absent(rawjson.Get(options, "umask")) {
		message = rawjson.SetPath(message, rawjson.Quote(umask), "params", "initializationOptions", "umask")
	}
	return message
}

// environment returns lines of NAME=value as a JSON object. Names that differ only in
// bytes that are not UTF-8 become one: no name may stand in it twice.
func environment(lines []string) []byte {
	clean := map[string]string{}
	for name, value := range Environment(lines) {
		clean[strings.ToValidUTF8(name, "\uFFFD")] = value
	}
	object := []byte{'{'}
	for _, name := range slices.Sorted(maps.Keys(clean)) {
		object = appendMember(object, name, rawjson.Quote(clean[name]))
	}
	return append(object, '}')
}

// absent tells whether a member is missing or null, which LSP takes for the same.
func absent(value []byte) bool { return value == nil || string(value) == "null" }
