package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// stuck is an agent that reads nothing until it is let.
type stuck struct {
	let     chan struct{}
	err     error
	written strings.Builder
}

func (s *stuck) Write(b []byte) (int, error) {
	<-s.let
	if s.err != nil {
		return 0, s.err
	}
	return s.written.Write(b)
}

// While the agent reads nothing, answers wait and news is left out; nobody who writes waits.
func TestWriterOfAnAgentThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &stuck{let: make(chan struct{})}
		w := newWriter(to, zap.NewNop())
		big := json.RawMessage(`"` + strings.Repeat("x", maxWaiting) + `"`)
		w.send(&wire.Response{ID: wire.NumberID(1), Result: big})
		w.tell(&wire.Request{Method: "left/out"})
		w.send(&wire.Response{ID: wire.NumberID(2), Result: json.RawMessage(`{`)}) // our mistake
		w.send(&wire.Response{ID: wire.NumberID(3), Result: json.RawMessage("{\n")})
		room := make(chan struct{})
		go func() {
			w.awaitRoom()
			close(room)
		}()
		synctest.Wait()
		select {
		case <-room:
			t.Error("there is room, though nothing was read")
		default:
		}
		close(to.let)
		<-room
		synctest.Wait()
		w.tell(&wire.Request{Method: "told"})
		w.close(time.Second)
		w.send(&wire.Request{Method: "late"})
		got := to.written.String()
		for text, want := range map[string]bool{`"id":1`: true, `"id":2`: true, `"id":3,"error"`: true, "left/out": false, "told": true, "late": false} {
			if strings.Contains(got, text) != want {
				t.Errorf("whether %q was written is not %v", text, want)
			}
		}
	})
}

// An agent that has closed its end, or never reads, ends the writer in time.
func TestWriterEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &stuck{let: make(chan struct{}), err: io.ErrClosedPipe}
		w := newWriter(to, zap.NewNop())
		w.send(&wire.Request{Method: "x"})
		began := time.Now()
		w.close(time.Second)
		if took := time.Since(began); took != time.Second {
			t.Errorf("close took %v", took)
		}
		close(to.let)
		<-w.done
	})
	synctest.Test(t, func(t *testing.T) {
		to := &stuck{let: make(chan struct{}), err: errors.New("no")}
		close(to.let)
		w := newWriter(to, zap.NewNop())
		w.send(&wire.Request{Method: "x"})
		<-w.done
		w.awaitRoom()
		w.send(&wire.Request{Method: "y"})
		w.close(time.Second)
	})
}

// However many updates a server sends while the agent does not read, few of them wait, and the agent knows
// in the end which resource was updated.
func TestUpdatesForAnAgentThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &stuck{let: make(chan struct{})}
		s := newSession(t.Context(), to, Options{Log: zap.NewNop(), Connect: func(ctx context.Context) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		s.subs[subscription{"s", "a://b"}] = []*listen{{acknowledged: true}}
		update := func(params string) {
			s.updated(editorapi.MCPNotification{Server: "s", Params: []byte(params), Subscribed: []string{"a://b"}})
		}
		for i := range 5 * maxWaitingLines {
			update(fmt.Sprintf(`{"uri":"a://b/c","n":%d}`, i))
		}
		synctest.Wait()
		close(to.let)
		synctest.Wait()
		update(`{"uri":"a://b/c","n":"after"}`)
		synctest.Wait()
		s.end()
		lines := strings.Split(strings.TrimSuffix(to.written.String(), "\n"), "\n")
		if n := len(lines); n > 2*maxWaitingLines+10 { // those in the hands of the writer do not count
			t.Errorf("%d updates waited", n)
		}
		for i, want := range []string{`{"uri":"a://b"}`, `{"uri":"a://b/c","n":"after"}`} {
			if got := lines[len(lines)-2+i]; !strings.HasSuffix(got, `"params":`+want+"}") {
				t.Errorf("then came %s, want %s", got, want)
			}
		}
	})
}
