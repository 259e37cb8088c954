package mcpserver

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// However many updates a server sends while the agent does not read, few of them wait, and the agent knows
// in the end which resource was updated.
func TestUpdatesForAnAgentThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &stuck{let: make(chan struct{})}
		s := newSession(t.Context(), to, Options{Log: zap.NewNop(), Connect: func(ctx context.Context) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		s.subs[subscription{"s", "a://b"}] = &subscribed{legacy: true}
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
