package mcpclient

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Promise 8: in a flood of notifications the first come at once, then so many a second, and the
// last of each always comes.
func TestPromise8Thinning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		leftOut := 0
		r := newRelay(func(method string, params json.RawMessage) { got = append(got, method+" "+string(params)) }, func(string) { leftOut++ })
		want := func(name string, texts ...string) {
			t.Helper()
			r.mu.Lock()
			defer r.mu.Unlock()
			if !slices.Equal(got, texts) {
				t.Errorf("%s: %d were handed over, want %d; the last are %q, want %q", name, len(got), len(texts), got[max(0, len(got)-3):], texts[max(0, len(texts)-3):])
			}
			got = nil
		}
		series := func(method string, from, to int) (texts []string) {
			for i := from; i < to; i++ {
				texts = append(texts, fmt.Sprintf("%s %d", method, i))
			}
			return texts
		}

		for i := range 48_000 { // within no time
			r.notify(wire.MethodMessage, json.RawMessage(fmt.Sprint(i)))
		}
		want("a burst", series(wire.MethodMessage, 0, thinBurst)...)
		time.Sleep(time.Second / thinRate)
		synctest.Wait()
		want("the last of it", series(wire.MethodMessage, 47_999, 48_000)...)
		if leftOut != 48_000-thinBurst-1 {
			t.Errorf("%d were counted as left out", leftOut)
		}

		time.Sleep(time.Minute)
		n := 0
		for range 10 * 1000 { // ten seconds of a thousand a second
			r.notify(wire.MethodMessage, json.RawMessage(fmt.Sprint(n)))
			n++
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		r.mu.Lock()
		if most := thinBurst + 11*thinRate; len(got) > most || len(got) < most/2 || got[len(got)-1] != fmt.Sprintf("%s %d", wire.MethodMessage, n-1) {
			t.Errorf("of ten seconds %d were handed over, the last of them %s", len(got), got[len(got)-1])
		}
		got = nil
		r.mu.Unlock()

		update := func(uri string, version int) json.RawMessage {
			return json.RawMessage(fmt.Sprintf(`{"uri":%q,"v":%d}`, uri, version))
		}
		for i := range 1000 {
			r.notify(wire.MethodUpdated, update("x:a", i))
			r.notify(wire.MethodUpdated, update("x:b", i))
		}
		r.mu.Lock()
		got = nil
		r.mu.Unlock()
		time.Sleep(time.Second)
		synctest.Wait()
		want("the last of each resource", wire.MethodUpdated+" "+string(update("x:a", 999)), wire.MethodUpdated+" "+string(update("x:b", 999)))

		for i := range 2 * otherRate {
			r.notify("notifications/vendor", json.RawMessage(fmt.Sprint(i)))
		}
		want("those that nobody knows", series("notifications/vendor", 0, otherRate)...)

		for i := range 2 * thinBurst {
			r.notify(wire.MethodToolsChanged, json.RawMessage(fmt.Sprint(i)))
		}
		r.close()
		r.notify(wire.MethodMessage, json.RawMessage("late"))
		want("at the end", append(series(wire.MethodToolsChanged, 0, thinBurst), series(wire.MethodToolsChanged, 2*thinBurst-1, 2*thinBurst)...)...)
	})
}

// The number of those that wait is bounded, whatever a server names.
func TestPromise10HeldNotifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leftOut := 0
		r := newRelay(func(string, json.RawMessage) {}, func(string) { leftOut++ })
		defer r.close()
		large := strings.Repeat("x", maxHeldBytes/20)
		for i := range 3 * maxHeld {
			r.notify(wire.MethodUpdated, json.RawMessage(fmt.Sprintf(`{"uri":"x:%d","large":%q}`, i, large)))
			if i == thinBurst+50 {
				large = "" // from here on there are too many; until here they were too large
			}
			if s := r.streams[wire.MethodUpdated]; len(s.held) > maxHeld || s.bytes > maxHeldBytes || len(s.held) != len(s.order) {
				t.Fatalf("%d are held, with %d bytes", len(s.held), s.bytes)
			}
		}
		if held := len(r.streams[wire.MethodUpdated].held); held == 0 || leftOut+held+thinBurst != 3*maxHeld {
			t.Errorf("%d are held and %d left out", held, leftOut)
		}
	})
}

// Promise 8: a flood of progress is thinned for each call. Each one restarts the clock all the same,
// and the last comes before the result.
func TestPromise8ThinnedProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w := startMem(t, newMemServer(), &memHost{}, nil)
		var got []string // not locked: Progress has returned when Call returns
		done := goCall(t.Context(), c, Call{Method: "tools/call", Timeout: time.Second, Progress: func(p json.RawMessage) {
			got = append(got, string(rawjson.Get(p, "progress")))
		}})
		r := w.request(t, "tools/call")
		const seconds, perSecond = 10, 2000
		for i := range seconds * perSecond {
			w.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, idOf(r), i))
			time.Sleep(time.Second / perSecond)
		}
		w.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, idOf(r), seconds*perSecond))
		w.reply(r, `{}`)
		if a := <-done; a.err != nil {
			t.Fatal(a.err)
		}
		if most := thinBurst + (seconds+1)*thinRate; len(got) > most || len(got) < most/2 {
			t.Errorf("%d were handed over", len(got))
		}
		if last := got[len(got)-1]; last != fmt.Sprint(seconds*perSecond) {
			t.Errorf("the last is %s", last)
		}
		var last int
		for _, text := range got {
			var n int
			if _, err := fmt.Sscan(text, &n); err != nil || n < last {
				t.Fatalf("%d came before %s", last, text)
			}
			last = n
		}
		if n := c.Counters()["notificationsLeftOut"]; n != int64(seconds*perSecond+1-len(got)) {
			t.Errorf("%d were counted as left out", n)
		}
	})
}
