package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// text is a JSON string of about n bytes.
func text(n int) string { return `"` + strings.Repeat("x", n) + `"` }

// Promise 10: everything that a server sends together has a limit; what is over it fails and says
// why, and when the server is gone all memory has been given back.
func TestPromise10ServerMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := budget.New(100_000)
		m := newMemServer()
		asked := make(chan bool)
		h := &memHost{request: func(ctx context.Context, _ Ask) (json.RawMessage, error) {
			asked <- true
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		small := `{"tools":[{"name":"small"}]}`
		m.answer("tools/list", small)
		c, w := startMem(t, m, h, func(o *Options) {
			o.Memory = memory
			o.Capabilities = json.RawMessage(`{"elicitation":{}}`)
		})
		wantTools(t, c, small)
		synctest.Wait()
		lists := memory.Used()

		// A list over it, in pages, which are held twice: the old one stays, and the log says so.
		large := `{"tools":[{"name":"large","x":` + text(30_000) + `}]`
		m.answerBy("tools/list", pagesOf(large+`,"nextCursor":"1"}`, large+`}`))
		for range 3 {
			<-time.After(time.Second)
			w.say(t, toolsChanged)
			<-time.After(time.Second)
			wantTools(t, c, small)
			if used := memory.Used(); used != lists {
				t.Errorf("%d bytes are used, and %d before", used, lists)
			}
		}
		wantLog(t, c, "there is no memory left")
		// A list that fits in place of the old one, whole and in pages.
		fits := `{"tools":[{"name":"a","x":` + text(10_000) + `}]`
		m.answerBy("tools/list", pagesOf(fits+`,"nextCursor":"1"}`, fits+`}`))
		w.say(t, toolsChanged)
		<-time.After(time.Second)
		if got, err := c.List(t.Context(), wire.ListTools); err != nil || len(c.Lists().Of(wire.ListTools)) != 2 || memory.Used() != lists+int64(len(got)-len(small)) {
			t.Errorf("listed %d items, %v; %d bytes are used", len(c.Lists().Of(wire.ListTools)), err, memory.Used())
		}
		lists = memory.Used()

		// Results, late ones and those of calls that were given up.
		for _, n := range []int{10, 60_000, 90_000} {
			done := goCall(t.Context(), c, Call{Method: "tools/call"})
			r := w.request(t, "tools/call")
			w.reply(r, `{"x":`+text(n)+`}`)
			w.reply(r, `{"x":`+text(n)+`}`)
			if a := <-done; n == 90_000 {
				wantKind(t, a.err, wire.KindTooLarge)
			} else if a.err != nil {
				t.Error(a.err)
			}
		}
		given, cancel := context.WithCancel(t.Context())
		done := goCall(given, c, Call{Method: "tools/call"})
		r := w.request(t, "tools/call")
		cancel()
		<-done
		w.request(t, wire.MethodCancelled)
		w.reply(r, `{"x":`+text(10_000)+`}`)
		synctest.Wait()
		if used := memory.Used(); used != lists {
			t.Errorf("after the calls %d bytes are used, and %d before", used, lists)
		}

		// Results with questions, while those wait for the user.
		asking, giveUp := context.WithCancel(t.Context())
		const put = 2 // questions: those that fit
		for n := range put + 2 {
			size := 20_000 // twice for a moment: as an answer that comes in, and as one that waits
			if n >= put {
				size = 45_000
			}
			done := goCall(asking, c, Call{Method: "tools/call"})
			w.reply(w.request(t, "tools/call"), `{"inputRequests":{"q":{"method":"elicitation/create","params":{"message":`+text(size)+`}}}}`)
			synctest.Wait()
			select {
			case <-asked:
				if n >= put {
					t.Errorf("question %d was put, for which there is no memory", n)
				}
			case a := <-done:
				if wantKind(t, a.err, wire.KindTooLarge); n < put {
					t.Errorf("question %d was not put", n)
				}
			}
		}
		giveUp()
		synctest.Wait()
		if used := memory.Used(); used != lists {
			t.Errorf("after the questions %d bytes are used, and %d before", used, lists)
		}

		// Questions that wait for the user.
		answered := 0
		for i := range 5 {
			w.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d","method":"elicitation/create","params":{"message":%s}}`, i, text(30_000)))
			synctest.Wait()
			select {
			case <-asked:
				answered++
			default:
				if got := w.response(t); !strings.Contains(got, "no memory left") {
					t.Errorf("the server was answered %s", got)
				}
			}
		}
		if answered != 2 {
			t.Errorf("%d questions were put, want the 2 that fit", answered)
		}
		c.Close()
		if used := memory.Used(); used != 0 {
			t.Errorf("at the end %d bytes are used", used)
		}
	})
}
