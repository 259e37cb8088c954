//go:build linux || darwin

package e2e

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// rawResult has the fake server answer with a result, byte for byte.
func rawResult(result string) string {
	return marshal(object{"lines": []string{`{"jsonrpc":"2.0","id":$ID,"result":` + result + `}`}})
}

// What agent and server say to each other arrives as it was written, in both eras on both sides.
func TestAgentFidelity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{
		"old": w.fakeServer("old", fakeserver.Script{}),
		"new": w.fakeServer("new", fakeserver.Script{ProtocolVersions: []string{modernVersion}}),
	}.String())
	folder := w.folder("project")
	const arguments = `{"n":1.0e+2,"big":12345678901234567890,"u":"\u00e9é\ud83d\ude00","x":[{"deep":null}],"z":-0}`
	for _, version := range []string{"2024-11-05", fidelityVersion, modernVersion} {
		for _, server := range []string{"old", "new"} {
			t.Run(version+" to "+server, func(t *testing.T) {
				a := openLines(w, version, agentCannot, folder, "--server", server)
				defer a.Close()
				call := func(name, arguments, more string) line {
					t.Helper()
					id := a.start("tools/call", `{"name":"`+name+`","arguments":`+arguments+more+`}`)
					return a.answer(id)
				}
				a.result("tools/list", `{}`)
				echoed := call("echo", arguments, `,"x-mine":{"a":1.50},"_meta":{"example.com/mine":[1e2]}`)
				for _, want := range []string{`"x-mine":{"a":1.50}`, `"example.com/mine":[1e2]`, `"x-grease":{"n":12345678901234567890,"x":null}`, `{"type":"x-grease","value":1}`} {
					if !bytes.Contains(echoed.raw, []byte(want)) {
						t.Errorf("%s is not in %s", want, echoed.raw)
					}
				}
				if version != modernVersion { // there the test writes the arguments anew, to add its _meta
					got := w.recorded(server, "tools/call")
					if last := got[len(got)-1]; !bytes.Contains(last.Params, []byte(arguments)) {
						t.Errorf("the server got %s", last.Params)
					}
				}
				result := `{ "content":[],"structuredContent":{"n":1.0e+2,"u":"\u00e9é"}, "x-theirs":[-0,1.50],"_meta":{"x/y":{}},"resultType":"complete" }`
				if got := call("raw", rawResult(result), ""); string(got.Result) != result {
					t.Errorf("the result %s arrives as %s", result, got.Result)
				}
				refused := call("refuse", `{"code":-32042,"message":"Visit it","data":{"elicitations":[{"mode":"url","n":1.0}],"x":null}}`, "")
				if refused.Error == nil || refused.Error.Code != -32042 || refused.Error.Message != "Visit it" || string(refused.Error.Data) != `{"elicitations":[{"mode":"url","n":1.0}],"x":null}` {
					t.Errorf("the error arrives as %s", refused.raw)
				}
				if refused := a.ask("x/unknown", `{}`); refused.Error == nil || refused.Error.Code != -32601 {
					t.Errorf("a method that nobody knows: %s", refused.raw)
				}
				if version == modernVersion {
					return // there no notification comes unasked
				}
				a.call("notify", `{"method":"notifications/x-theirs","params":{"n":1.0e+2,"u":"\u00e9"}}`)
				if got := a.awaitMethod("notifications/x-theirs"); !bytes.Contains(got.raw, []byte(`{"n":1.0e+2,"u":"`)) {
					t.Errorf("the notification arrives as %s", got.raw)
				}
				a.write(`{"jsonrpc":"2.0","method":"notifications/x-mine","params":{"n":1.0e+2}}`)
				await(t, "the notification of the agent is with the server", func() bool { return len(w.recorded(server, "notifications/x-mine")) > 0 })
			})
		}
	}
}

// Results may be large and deep, as far as the protocol of the daemon goes.
func TestAgentLargeResults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{Plain: true})}.String())
	a := openLines(w, fidelityVersion, agentCannot, w.folder("project"), "--result-limit", "0")
	const size = 20 << 20
	if got := len(a.call("fake__big", fmt.Sprintf(`{"bytes":%d}`, size)).text()); got != size {
		t.Errorf("%d bytes arrive as %d", size, got)
	}
	deep := func(n int) string {
		return rawResult(`{"content":[],"structuredContent":` + strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) + `}`)
	}
	params := `{"name":"fake__raw","arguments":` + deep(450) + `}`
	if got := a.ask("tools/call", params); !bytes.Contains(got.Result, []byte(strings.Repeat(`{"a":`, 450)+"1")) {
		t.Errorf("a deep result arrives as %.300s", got.raw)
	}
	params = `{"name":"fake__raw","arguments":` + deep(5000) + `}`
	if got := a.ask("tools/call", params); got.Error == nil && !bytes.Contains(got.Result, []byte("isError")) || !bytes.Contains(got.raw, []byte("deep")) {
		t.Errorf("a result that is too deep arrives as %.300s", got.raw)
	}
	a.call("fake__echo", `{}`)
}

// Calls at the same time are answered as their answers come, each once. Those that a server cannot take
// wait or are refused, but none is lost.
func TestAgentManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	a := openLines(w, fidelityVersion, agentCannot, w.folder("project"))
	a.result("tools/list", `{}`)
	// The first ones ask, and are answered last.
	var ids []string
	for i := range 64 {
		ids = append(ids, a.start("tools/call", fmt.Sprintf(`{"name":"fake__delay","arguments":{"ms":%d},"x":%d}`, 640-10*i, i)))
	}
	for _, id := range ids {
		if l := a.answer(id); l.Error != nil || bytes.Contains(l.Result, []byte("isError")) {
			t.Errorf("the call %s: %s", id, l.raw)
		}
	}
	a.mu.Lock()
	var order []string
	for _, l := range a.lines {
		if l.Method == "" && slices.Contains(ids, string(l.ID)) {
			order = append(order, string(l.ID))
		}
	}
	a.mu.Unlock()
	if len(order) != len(ids) || slices.Equal(order, ids) {
		t.Errorf("the answers came in the order %v", order)
	}
	// One of those under way is cancelled: it gets no answer, and its server hears of it.
	hanging := a.start("tools/call", `{"name":"fake__hang","arguments":{}}`)
	await(t, "the call is with the server", func() bool { return len(w.recorded("fake", "tools/call")) == 65 })
	a.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + hanging + `,"reason":"enough"}}`)
	await(t, "the server knows that it was cancelled", func() bool { return len(w.recorded("fake", "notifications/cancelled")) == 1 })
	a.call("fake__echo", `{}`)
	if a.answered(hanging) {
		t.Error("the cancelled call was answered")
	}
}

// A server that ends during a call fails that call with words that help, and is there for the next.
func TestAgentServerEndsDuringACall(t *testing.T) {
	t.Parallel()
	for _, version := range []string{fidelityVersion, modernVersion} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
			a := openLines(w, version, agentCannot, w.folder("project"))
			a.result("tools/list", `{}`)
			before := a.call("fake__process", `{}`).StructuredContent.PID
			died := a.call("fake__exit", `{"code":3}`)
			if got := died.text(); !died.IsError || !strings.Contains(got, "fake") || !strings.Contains(got, "3") {
				t.Errorf("the call says %q", got)
			}
			var after int
			await(t, "the next call works", func() bool { after = a.call("fake__process", `{}`).StructuredContent.PID; return after != 0 })
			if after == before {
				t.Error("the same process answers")
			}
		})
	}
}

// A flood of progress costs no result, and arrives in its order.
func TestAgentFloodOfProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	a := openLines(w, fidelityVersion, agentCannot, w.folder("project"))
	id := a.start("tools/call", `{"name":"fake__progress","arguments":{"n":20000},"_meta":{"progressToken":"mine"}}`)
	if l := a.answer(id); l.Error != nil {
		t.Errorf("the result is %s", l.raw)
	}
	last := 0.0
	for _, l := range a.all("notifications/progress") {
		var p struct {
			ProgressToken, Message string
			Progress, Total        float64
			Grease                 float64 `json:"x-grease"`
		}
		unmarshal(t, l.Params, &p)
		if p.ProgressToken != "mine" || p.Total != 20000 || p.Progress <= last || p.Message != fmt.Sprintf("step %v", p.Progress) || p.Grease != p.Progress {
			t.Fatalf("after %v came %s", last, l.raw)
		}
		last = p.Progress
	}
	if last == 0 {
		t.Error("no progress came")
	}
}

// An agent that does not read keeps nobody else waiting, and finds all answers when it reads again.
func TestAgentThatDoesNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	folder := w.folder("project")
	slow := openLines(w, fidelityVersion, agentCannot, folder, "--result-limit", "0")
	slow.result("tools/list", `{}`)
	slow.stall()
	slow.start("ping", `{}`) // the one that is read before it stalls
	var ids []string
	written := make(chan struct{})
	go func() { // what it writes may not be taken before it reads
		defer close(written)
		for range 60 {
			ids = append(ids, slow.start("tools/call", `{"name":"fake__big","arguments":{"bytes":1000000}}`))
		}
	}()
	fast := openLines(w, fidelityVersion, agentCannot, folder)
	for range 50 {
		fast.call("fake__echo", `{}`)
	}
	slow.resume()
	<-written
	for _, id := range ids {
		if l := slow.answer(id); l.Error != nil || len(l.Result) < 1000000 {
			t.Errorf("the answer to %s is %.200s", id, l.raw)
		}
	}
}

// What an agent writes may be anything. It gets an answer where there is an id, and the session goes on.
func TestAgentWritesNonsense(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
	a := openLines(w, "2025-03-26", agentCannot, w.folder("project"))
	a.result("tools/list", `{}`)
	a.writeRaw(append(bytes.Repeat([]byte("x"), 100<<20), '\n'))
	a.await("the refusal of a line that is too long", func(l line) bool { return l.Error != nil && strings.Contains(l.Error.Message, "limit") })
	for text, code := range map[string]int{
		"{\"jsonrpc\":\"2.0\",\"id\":901,\"method\":\"tools/call\",\"params\":{\"name\":\"\xff\"}}": -32700,
		`{"jsonrpc":"2.0","id":902,`:                                                        -32700,
		`{"jsonrpc":"2.0","id":903,"method":"tools/call","params":[1]}`:                     -32602,
		`{"jsonrpc":"2.0","id":{"x":1},"method":"ping"}`:                                    -32600,
		`{"jsonrpc":"1.0","id":905,"method":7}`:                                             -32600,
		`{"jsonrpc":"2.0","id":906,"method":"tools/call"}`:                                  -32602,
		`{"jsonrpc":"2.0","id":907,"method":"initialize","params":{"protocolVersion":"x"}}`: -32600,
		`[]`: -32600,
	} {
		before := len(a.refusals())
		a.write(text)
		await(t, "the refusal of "+text, func() bool { return len(a.refusals()) > before })
		got := a.refusals()[before]
		if got.Error.Code != code {
			t.Errorf("%q is refused with %s", text, got.raw)
		}
	}
	// A batch of 2025-03-26, with one message that is none.
	a.write(`[{"jsonrpc":"2.0","id":"b1","method":"ping"},{"jsonrpc":"2.0","id":"b2","method":"tools/call","params":{"name":"fake__echo","arguments":{}}},7,{"jsonrpc":"2.0","method":"notifications/x"}]`)
	a.answer(`"b1"`)
	if l := a.answer(`"b2"`); l.Error != nil {
		t.Errorf("the call in a batch: %s", l.raw)
	}
	// Two requests with the same id: the second is refused, and the first goes on.
	first := a.start("tools/call", `{"name":"fake__hang","arguments":{}}`)
	a.write(`{"jsonrpc":"2.0","id":` + first + `,"method":"ping"}`)
	if l := a.answer(first); l.Error == nil || l.Error.Code != -32600 {
		t.Errorf("the second request with an id: %s", l.raw)
	}
	a.write(`{"jsonrpc":"2.0","id":12345,"result":{}}`) // nobody asked
	a.call("fake__echo", `{}`)
}

// An agent that ends its input, in a call or in a line, ends its process, and the call is cancelled.
func TestAgentEndsItsInput(t *testing.T) {
	t.Parallel()
	for name, rest := range map[string]string{"in a call": "", "in a line": `{"jsonrpc":"2.0","id":9,"meth`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.config(servers{"fake": w.fakeServer("fake", fakeserver.Script{})}.String())
			a := openLines(w, fidelityVersion, agentCannot, w.folder("project"))
			a.start("tools/call", `{"name":"fake__hang","arguments":{}}`)
			await(t, "the call is with the server", func() bool { return len(w.recorded("fake", "tools/call")) == 1 })
			a.writeRaw([]byte(rest))
			a.stdin.Close()
			<-a.exited
			if a.code != 0 {
				t.Errorf("it exits with code %d: %s", a.code, a.stderr.String())
			}
			await(t, "the server knows that the call was cancelled", func() bool { return len(w.recorded("fake", "notifications/cancelled")) == 1 })
		})
	}
}
