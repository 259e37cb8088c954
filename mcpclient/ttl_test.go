package mcpclient

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// How long a list is good (MCP 2026-07-28, Caching).
func TestTTL(t *testing.T) {
	const told, untold = `{"tools":{"listChanged":true}}`, `{"tools":{}}`
	for _, tt := range []struct {
		name, capabilities string
		pages              []string      // what follows the tools in each
		good               time.Duration // since the listing; -1: until told otherwise
	}{
		{"positive", untold, []string{`,"ttlMs":60000`}, time.Minute},
		{"positive, and told", told, []string{`,"ttlMs":60000`}, time.Minute},
		{"the shortest of the pages", untold, []string{`,"ttlMs":60000`, `,"ttlMs":5000`, `,"ttlMs":90000`}, 5 * time.Second},
		{"one page says nothing, and told", told, []string{``, `,"ttlMs":5000`}, 5 * time.Second},
		{"one page says nothing", untold, []string{`,"ttlMs":5000`, ``}, 0},
		{"0", untold, []string{`,"ttlMs":0`}, 0},
		{"0, and told", told, []string{`,"ttlMs":0`}, -1},
		{"absent", untold, []string{``}, 0},
		{"absent, and told", told, []string{``}, -1},
		{"negative", untold, []string{`,"ttlMs":-60000`}, 0},
		{"no number", untold, []string{`,"ttlMs":"60000"`}, 0},
		{"beyond what a Duration holds", untold, []string{`,"ttlMs":9223372036854775807`}, maxTTL},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := newModernServer()
			m.answer("server/discover", `{"supportedVersions":["2026-07-28"],"capabilities":`+tt.capabilities+`}`)
			m.take("tools/list", pagesOf(tt.pages))
			_, _, c := startSettled(t, m)
			listed := func() int { return m.times("tools/list") / len(tt.pages) }
			list := func(want int) {
				t.Helper()
				before := listed()
				if _, err := c.List(t.Context(), ListTools); err != nil {
					t.Error(err)
				}
				if n := listed() - before; n != want {
					t.Errorf("%d listings, want %d", n, want)
				}
			}
			switch {
			case tt.good < 0:
				<-time.After(2 * maxTTL)
				list(0)
			case tt.good == 0:
				list(1)
				list(1)
			default:
				<-time.After(tt.good - relistInterval - 1)
				list(0)
				<-time.After(1)
				list(1)
				list(0)
			}
		})
	}
}

// Refresh reads lists that are too old, in the background, and nothing else does.
func TestRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModernServer()
		m.answer("tools/list", `{"tools":[{"name":"a"}],"ttlMs":60000}`)
		h, _, c := startSettled(t, m)
		before, told := m.times("tools/list"), len(h.changes())
		c.Refresh()
		<-time.After(time.Hour)
		if n := m.times("tools/list"); n != before {
			t.Errorf("%d listings that nobody asked for", n-before)
		}
		m.answer("tools/list", `{"tools":[{"name":"b"}],"ttlMs":60000}`)
		c.Refresh()
		c.Refresh()
		<-time.After(relistInterval)
		synctest.Wait()
		if n := m.times("tools/list") - before; n != 1 || len(h.changes()) != told+1 || string(c.Lists().Of(ListTools)[0]) != `{"name":"b"}` {
			t.Errorf("%d listings, %v, %s", n, h.changes(), c.Lists().Of(ListTools))
		}
		// "Clients MAY serve stale responses if errors occur during re-fetching".
		<-time.After(time.Hour)
		m.answer("tools/list", memError+`{"code":-32603,"message":"ill"}`)
		if result, err := c.List(t.Context(), ListTools); err != nil || string(result) != `{"tools":[{"name":"b"}],"ttlMs":60000}` {
			t.Errorf("%s %v", result, err)
		}
	})
}

// A legacy server's lists never become too old.
func TestNoTTLInTheLegacyEra(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		m.answer("tools/list", `{"tools":[],"ttlMs":1}`)
		_, _, c := startSettled(t, m)
		<-time.After(time.Hour)
		before := m.times("tools/list")
		if _, err := c.List(t.Context(), ListTools); err != nil || m.times("tools/list") != before {
			t.Errorf("%v, %d listings", err, m.times("tools/list")-before)
		}
	})
}

// "A resultType of any value unrecognized by the client MUST be considered invalid"
// (MCP 2026-07-28, Overview, ResultType).
func TestListOfAnUnknownType(t *testing.T) {
	for _, kind := range []string{"input_required", "teapot"} {
		synctest.Test(t, func(t *testing.T) {
			m := newModernServer()
			m.answer("tools/list", `{"resultType":"`+kind+`","tools":[]}`)
			_, _, c := startSettled(t, m)
			_, err := c.List(t.Context(), ListTools)
			wantKind(t, err, wire.KindInvalidResult)
		})
	}
}

// pagesOf answers tools/list with pages; each has what follows its tools.
func pagesOf(pages []string) func(w *memWire, r *wire.Request) {
	return func(w *memWire, r *wire.Request) {
		page, _ := strconv.Atoi(rawjson.String(r.Params, "cursor"))
		more := ""
		if page+1 < len(pages) {
			more = `,"nextCursor":"` + strconv.Itoa(page+1) + `"`
		}
		w.reply(r, `{"tools":[]`+pages[page]+more+`}`)
	}
}
