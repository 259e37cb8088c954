package editorapi

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// sink is a connection that takes only so many bytes at once, and so many in each write after that.
type sink struct {
	mu     sync.Mutex
	atOnce int
	got    bytes.Buffer
	writes int
	closed chan struct{}
}

func (s *sink) TryWrite(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(len(b), s.atOnce)
	s.atOnce -= n
	s.writes++
	return s.got.Write(b[:n])
}

func (s *sink) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	return s.got.Write(b)
}

func (s *sink) Close() error {
	close(s.closed)
	return nil
}

// newSinkWriter returns a writer to a sink.
func newSinkWriter(atOnce int) (*writer, *sink, *budget.Budget) {
	to := &sink{atOnce: atOnce, closed: make(chan struct{})}
	memory := budget.New(64 << 20)
	return newWriter(to, func(error) {}, memory), to, memory
}

// Answers are whole and in order, however little the other side takes at once.
func TestPushResult(t *testing.T) {
	for _, size := range []int{0, 100, maxJoin - 10, maxJoin + 10, 100 << 10, 3 << 20} {
		for _, atOnce := range []int{0, 1, 30, 90 << 10, 1 << 30} {
			w, to, memory := newSinkWriter(atOnce)
			var want strings.Builder
			for id := range 3 {
				result := fmt.Sprintf(`{"text":"%d%s"}`, id, strings.Repeat("x", size))
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
				fmt.Fprintf(&want, "Content-Length: %d\r\n\r\n%s", len(body), body)
				raw := []byte(result)
				if err := w.pushResult(fmt.Append(nil, id), raw, nil); err != nil {
					t.Fatal(err)
				}
				clear(raw) // it is only lent
			}
			w.close()
			<-w.done
			if to.got.String() != want.String() {
				t.Errorf("results of %d bytes, %d of them at once: %d bytes arrived, want %d", size, atOnce, to.got.Len(), want.Len())
			}
			if memory.Used() != 0 {
				t.Errorf("results of %d bytes, %d of them at once: %d bytes are still claimed", size, atOnce, memory.Used())
			}
		}
	}
}

// What is held back goes out in one write: when the reader flushes, with the next message that is not
// held back, and with the end.
func TestHeldBack(t *testing.T) {
	for _, test := range []struct {
		name string
		then func(w *writer, c *cork.Cork)
	}{
		{"flushed", func(_ *writer, c *cork.Cork) { c.Flush() }},
		{"another message", func(w *writer, _ *cork.Cork) { _ = w.push(append(newFrame(), "{}"...), notice) }},
		{"the end", func(w *writer, _ *cork.Cork) {
			w.close()
			<-w.done
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, to, _ := newSinkWriter(1 << 30)
			var c cork.Cork
			c.More(true)
			for id := range 10 {
				if err := w.pushResult(fmt.Append(nil, id), []byte(`{}`), &c); err != nil {
					t.Fatal(err)
				}
			}
			if to.writes != 0 {
				t.Errorf("%d writes before", to.writes)
			}
			test.then(w, &c)
			if to.writes != 1 || strings.Count(to.got.String(), `"result":{}`) != 10 {
				t.Errorf("%d writes of %q", to.writes, &to.got)
			}
		})
	}
}

// Requests that arrive together reach the backend as such, the last one not.
func TestPipelinedRequests(t *testing.T) {
	b := newFakeBackend()
	held := make(chan bool, 10)
	b.later = func(c *cork.Cork) { held <- c.Hold(b) }
	conn, _ := serve(t, b)
	fakeeditor.Open(t, conn, fakeeditor.Options{})
	var all []byte
	for id := range 5 {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"mcp/tools/call","params":{"server":"s","params":{"name":"t"}}}`, 10+id)
		all = fmt.Appendf(all, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	go func() { _, _ = conn.Write(all) }()
	for i := range 5 {
		if got, want := <-held, i < 4; got != want {
			t.Errorf("request %d may wait: %v", i, got)
		}
	}
	<-b.flushed
}
