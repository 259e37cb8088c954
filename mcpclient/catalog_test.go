package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const memAll = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{}}}`

func TestCatalog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		m.answer("initialize", memAll)
		const tools = `{ "x":[1.0], "tools":[ {"name":"a"} ,{"name":"b","n":1e400} ] }`
		m.answer("tools/list", tools)
		m.answer("prompts/list", `{"prompts":[]}`)
		m.answer("resources/list", `{"resources":[{"uri":"a:b"}],"nextCursor":""}`)
		m.answer("resources/templates/list", `{"resourceTemplates":[{"uriTemplate":"a:{b}"}],"nextCursor":null}`)
		h := &memHost{}
		c := newMemClient(t, m, h, nil)
		if c.Lists().Of(wire.ListTools) != nil {
			t.Error("something is cached before the start")
		}
		c.Start().must(t)
		for kind, want := range map[wire.ListKind]string{
			wire.ListTools:             tools,
			wire.ListPrompts:           `{"prompts":[]}`,
			wire.ListResources:         `{"resources":[{"uri":"a:b"}]}`,
			wire.ListResourceTemplates: `{"resourceTemplates":[{"uriTemplate":"a:{b}"}]}`,
		} {
			got, err := c.List(t.Context(), kind) // waits for the first listing
			if err != nil || string(got) != want {
				t.Errorf("%s: %s %v, want %s", kind, got, err, want)
			}
		}
		synctest.Wait()
		if got, want := h.changes(), [][]wire.ListKind{{wire.ListTools, wire.ListResources, wire.ListResourceTemplates}}; !reflect.DeepEqual(got, want) {
			t.Errorf("changes %v, want %v", got, want)
		}
		if got := c.Lists().Of(wire.ListTools); len(got) != 2 || string(got[1]) != `{"name":"b","n":1e400}` {
			t.Errorf("cached %s", got)
		}
		if got := c.Lists().Of(wire.ListPrompts); got == nil || len(got) != 0 {
			t.Errorf("an empty list is cached as %v", got)
		}
		w := <-m.wires
		<-time.After(time.Second)
		w.say(t, `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`)
		w.say(t, `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)
		<-time.After(time.Second)
		for method, want := range map[string]int{"tools/list": 1, "prompts/list": 2, "resources/list": 2, "resources/templates/list": 2} {
			if n := m.times(method); n != want {
				t.Errorf("%s was sent %d times, want %d", method, n, want)
			}
		}
	})
}

func TestListChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		h := &memHost{}
		c, w := startMem(t, m, h, nil)
		<-time.After(time.Second)
		m.leave("tools/list")
		changed := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
		w.say(t, changed)
		r := w.request(t, "tools/list")
		w.say(t, changed) // during the listing: what it brings is old
		w.reply(r, `{"tools":[{"name":"old"}]}`)
		synctest.Wait()
		listed := make(chan string, 1)
		go func() {
			got, err := c.List(t.Context(), wire.ListTools)
			listed <- fmt.Sprint(string(got), err)
		}()
		w.reply(w.request(t, "tools/list"), `{"tools":[{"name":"new"}]}`)
		if got := <-listed; got != `{"tools":[{"name":"new"}]}<nil>` {
			t.Errorf("listed %s", got)
		}
		<-time.After(time.Second)
		w.say(t, changed) // it says so, but nothing has changed
		w.reply(w.request(t, "tools/list"), `{"tools":[{"name":"new"}]}`)
		synctest.Wait()
		if got := len(h.changes()); got != 3 {
			t.Errorf("%d changes were told, want 3", got)
		}
		if got := h.told(); len(got) != 3 || !strings.HasPrefix(got[0], "notifications/tools/list_changed") {
			t.Errorf("passed on %q", got)
		}
	})
}

// Fault list-flood: 1000 changes a second are at most four listings a second, and the list
// is right in the end.
func TestListChangedFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		var version atomic.Int64
		m.answerBy("tools/list", func(json.RawMessage) string {
			return fmt.Sprintf(`{"tools":[{"name":"v%d"}]}`, version.Load())
		})
		c, w := startMem(t, m, &memHost{}, nil)
		synctest.Wait()
		before := m.times("tools/list")
		for range 10_000 {
			<-time.After(time.Millisecond)
			version.Add(1)
			w.say(t, toolsChanged)
		}
		if n := m.times("tools/list") - before; n < 30 || n > 41 {
			t.Errorf("%d listings in 10 s", n)
		}
		synctest.Wait() // the last change has arrived
		got, err := c.List(t.Context(), wire.ListTools)
		if err != nil || string(got) != `{"tools":[{"name":"v10000"}]}` {
			t.Errorf("the list is %s %v", got, err)
		}
	})
}

// pagesOf answers a listing with results; page i has the cursor "i".
func pagesOf(results ...string) func(json.RawMessage) string {
	return func(params json.RawMessage) string {
		page, _ := strconv.Atoi(rawjson.String(params, "cursor"))
		return results[page]
	}
}

func TestPages(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(params json.RawMessage) string
		want   string // result; "" for an error
		asked  int
		fault  string // in the error
	}{
		{name: "one page, verbatim", answer: pagesOf(`{ "tools" :[ ], "_meta":{"a":1.0}}`), want: `{ "tools" :[ ], "_meta":{"a":1.0}}`, asked: 1},
		{
			name:   "three",
			answer: pagesOf(`{"m":1.0,"tools":[1 , 2],"nextCursor":"1"}`, `{"tools":[],"nextCursor":"2"}`, `{"tools":[{"a":[3]}],"m":2}`),
			want:   `{"m":1.0,"tools":[1,2,{"a":[3]}]}`, asked: 3,
		},
		{name: "a loop", answer: pagesOf(`{"tools":[],"nextCursor":"1"}`, `{"tools":[],"nextCursor":"1"}`), asked: 2, fault: `cursor "1" twice`},
		{
			name: "without end",
			answer: func(params json.RawMessage) string {
				return `{"tools":[1],"nextCursor":"x` + rawjson.String(params, "cursor") + `"}`
			},
			asked: maxListPages, fault: "more than 1000 pages",
		},
		{name: "a cursor that is no string", answer: pagesOf(`{"tools":[],"nextCursor":5}`), asked: 1, fault: "not a string"},
		{name: "a cursor that is too long", answer: pagesOf(`{"tools":[],"nextCursor":"` + strings.Repeat("c", maxCursor+1) + `"}`), asked: 1, fault: "nextCursor of more than"},
		{name: "no array", answer: pagesOf(`{"tools":{}}`), asked: 1, fault: `no array "tools"`},
		{name: "too many items", answer: pagesOf(`{"tools":[` + strings.Repeat("1,", maxListItems) + `1]}`), asked: 1, fault: "more than 100000 items"},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			m := newMemServer()
			m.answerBy("tools/list", tt.answer)
			c, _ := startMem(t, m, &memHost{}, nil)
			synctest.Wait()
			if n := m.times("tools/list"); n != tt.asked {
				t.Errorf("asked %d times, want %d", n, tt.asked)
			}
			got, err := c.List(t.Context(), wire.ListTools)
			if tt.want != "" {
				if err != nil || string(got) != tt.want {
					t.Errorf("got %s %v, want %s", got, err, tt.want)
				}
				return
			}
			if e := wantKind(t, err, wire.KindInvalidResult); !strings.Contains(e.Message, tt.fault) {
				t.Errorf("%q does not name %q", e.Message, tt.fault)
			}
			wantState(t, c, StateReady, "")
		})
	}
}

// A listing that fails leaves the list as it was. The next List asks again for a list
// that was never read.
func TestListingFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		m.answer("tools/list", `{}`)
		c, w := startMem(t, m, &memHost{}, nil)
		wantKind(t, failure(c.List(t.Context(), wire.ListTools)), wire.KindInvalidResult)
		m.answer("tools/list", `{"tools":[1]}`)
		wantTools(t, c, `{"tools":[1]}`)
		m.answer("tools/list", `{}`)
		w.say(t, toolsChanged)
		<-time.After(time.Second)
		wantTools(t, c, `{"tools":[1]}`)
		wantLog(t, c, "tools/list failed")
	})
}

func TestListIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		m.leave("tools/list")
		c, w := startMem(t, m, &memHost{}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		wantKind(t, failure(c.List(ctx, wire.ListTools)), wire.KindTimeout)
		wantKind(t, failure(c.List(t.Context(), wire.ListTools)), wire.KindTimeout) // the listing itself gives up
		done := make(chan error, 1)
		go func() { done <- failure(c.List(t.Context(), wire.ListTools)) }()
		synctest.Wait()
		w.exit()
		wantKind(t, <-done, wire.KindGone)
	})
}

// What a server offers after a restart is compared with what it offered before.
func TestCatalogAfterRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		m.answer("initialize", memAll)
		m.answer("prompts/list", `{"prompts":[1]}`)
		m.answer("resources/list", `{"resources":[1]}`)
		m.answer("resources/templates/list", `{"resourceTemplates":[]}`)
		h := &memHost{}
		c, _ := startMem(t, m, h, nil)
		synctest.Wait()
		m.answer("initialize", `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{}}}`)
		m.answer("prompts/list", `{"prompts":[2]}`)
		c.Restart().must(t)
		synctest.Wait()
		changes := h.changes()
		if got, want := changes[len(changes)-1], []wire.ListKind{wire.ListPrompts, wire.ListResources}; len(changes) != 2 || !slices.Equal(got, want) {
			t.Errorf("changes %v, want %v last", changes, want)
		}
		if c.Lists().Of(wire.ListResources) != nil || len(c.Lists().Of(wire.ListTools)) != 1 {
			t.Errorf("cached resources %s, tools %s", c.Lists().Of(wire.ListResources), c.Lists().Of(wire.ListTools))
		}
	})
}

// The lists are the same pointer until one of them changes, and what is listed anew and is the same
// changes nothing.
func TestListsChangeWithWhatTheyHave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemServer()
		m.answer("tools/list", `{"tools":[{"name":"a"}]}`)
		memory := budget.New(1 << 20)
		c, w := startMem(t, m, &memHost{}, func(o *Options) { o.Memory = memory })
		again := func() *Lists {
			<-time.After(time.Second)
			w.say(t, toolsChanged)
			<-time.After(time.Second)
			return c.Lists()
		}
		synctest.Wait()
		first, used, listed := c.Lists(), memory.Used(), m.times("tools/list")
		if again() != first || m.times("tools/list") != listed+1 {
			t.Error("the same list changes the lists")
		}
		if memory.Used() != used {
			t.Errorf("%d bytes are used after the same list, and %d before", memory.Used(), used)
		}
		m.answer("tools/list", `{"tools":[{"name":"b"}]}`)
		second := again()
		if second == first || string(first.Of(wire.ListTools)[0]) != `{"name":"a"}` || string(second.Of(wire.ListTools)[0]) != `{"name":"b"}` {
			t.Errorf("the lists were %s and are %s", first.Of(wire.ListTools), second.Of(wire.ListTools))
		}
	})
}
