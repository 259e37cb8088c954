package fakeserver

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// runHTTP starts a server over HTTP and returns its URL. The server ends with the test.
func runHTTP(t *testing.T, script Script) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-http", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), script.Environ(), "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return next(t, bufio.NewReader(out))
}

// send sends a request over HTTP and returns the response. The caller reads the body.
func send(t *testing.T, method, url, body string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

// body reads the whole of a response.
func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// event reads the next event of a stream, without the empty line at its end.
func event(t *testing.T, in *bufio.Reader) string {
	t.Helper()
	var text string
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("after %q: %v", text, err)
		}
		if line == "\n" {
			return text
		}
		text += line
	}
}

const (
	initializeBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`
	pingBody       = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	pong           = `{"jsonrpc":"2.0","id":2,"result":{}}`
)

func callBody(tool, args string) string {
	return `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`
}

func TestStreamableHTTP(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	url := runHTTP(t, Script{Plain: true, Record: record})
	r := send(t, "POST", url, initializeBody)
	session := r.Header.Get("Mcp-Session-Id")
	if r.StatusCode != 200 || session == "" || !strings.Contains(body(t, r), `"protocolVersion":"2025-11-25"`) {
		t.Fatalf("initialize is answered with %s, session %q", r.Status, session)
	}
	if r := send(t, "POST", url, pingBody); r.StatusCode != 400 {
		t.Errorf("a request without the session is answered %s", r.Status)
	}
	if r := send(t, "POST", url, pingBody, "Mcp-Session-Id", "another"); r.StatusCode != 404 {
		t.Errorf("a request of another session is answered %s", r.Status)
	}
	in := []string{"Mcp-Session-Id", session}
	if r := send(t, "POST", url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, in...); r.StatusCode != 202 {
		t.Errorf("a notification is answered %s", r.Status)
	}
	if got := body(t, send(t, "POST", url, pingBody, in...)); got != "data: "+pong+"\n\n" {
		t.Errorf("ping is answered %q", got)
	}

	// What concerns no request comes on the standalone stream.
	alone := bufio.NewReader(send(t, "GET", url, "", in...).Body)
	body(t, send(t, "POST", url, callBody("change", `{"kind":"tools"}`), in...))
	if got := event(t, alone); !strings.Contains(got, "notifications/tools/list_changed") {
		t.Errorf("the standalone stream has %q", got)
	}

	// A question comes on the stream of the call, and its answer in a POST.
	call := bufio.NewReader(send(t, "POST", url, callBody("ask_roots", `{"id":"q"}`), in...).Body)
	if got := event(t, call); !strings.Contains(got, `"method":"roots/list"`) {
		t.Errorf("the stream of the call has %q", got)
	}
	send(t, "POST", url, `{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}`, in...)
	if got := event(t, call); !strings.Contains(got, `"answer":{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}`) {
		t.Errorf("the call is answered %q", got)
	}

	if r := send(t, "DELETE", url, "", in...); r.StatusCode != 204 {
		t.Errorf("DELETE is answered %s", r.Status)
	}
	if rest, err := io.ReadAll(alone); err != nil || len(rest) > 0 {
		t.Errorf("after the session the standalone stream has %q, %v", rest, err)
	}
	if r := send(t, "POST", url, pingBody, in...); r.StatusCode != 404 {
		t.Errorf("after the session a request is answered %s", r.Status)
	}
	b, err := os.ReadFile(record)
	if err != nil || !strings.Contains(string(b), pingBody+"\n") || !strings.Contains(string(b), `{"method":"DELETE","params":{"session":"`+session+`"}}`) {
		t.Errorf("recorded %s, %v", b, err)
	}
}

func TestScriptedHTTP(t *testing.T) {
	for _, tt := range []struct {
		name   string
		http   HTTPScript
		send   string
		header []string
		status int
		want   string // part of the body
	}{
		{"JSON", HTTPScript{JSON: true, NoSession: true}, pingBody, nil, 200, pong},
		{"raw lines as JSON", HTTPScript{JSON: true, NoSession: true}, callBody("raw", `{"lines":["x $ID"]}`), nil, 200, "x 3"},
		{"raw lines in a stream", HTTPScript{NoSession: true}, callBody("raw", `{"lines":["x $ID","y"]}`), nil, 200, "data: x 3\n\ndata: y\n\n"},
		{"a scripted status", HTTPScript{Status: map[string]Status{"ping": {Code: 429, Headers: map[string]string{"Retry-After": "3"}, Body: "wait $ID"}}}, pingBody, nil, 429, "wait 2"},
		{"another status for a lost session", HTTPScript{LostStatus: 400}, pingBody, []string{"Mcp-Session-Id", "gone"}, 400, "Session not found"},
		{"headers that are required", HTTPScript{NoSession: true, RequireHeaders: true}, pingBody, nil, 400, "MCP-Protocol-Version"},
		{"and are there", HTTPScript{NoSession: true, RequireHeaders: true}, pingBody, []string{"MCP-Protocol-Version", "2025-11-25"}, 200, pong},
		{"headers of the call", HTTPScript{NoSession: true}, callBody("headers", `{}`), []string{"X-Own", "value"}, 200, `"X-Own":["value"]`},
		{"a stream that is dropped at once", HTTPScript{NoSession: true, Drop: "always"}, pingBody, nil, 200, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := send(t, "POST", runHTTP(t, Script{Plain: true, HTTP: tt.http}), tt.send, tt.header...)
			if got := body(t, r); r.StatusCode != tt.status || !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("answered %s with %q, want %d with %q", r.Status, got, tt.status, tt.want)
			}
		})
	}
}

func TestStatusOnlySoOften(t *testing.T) {
	url := runHTTP(t, Script{Plain: true, HTTP: HTTPScript{NoSession: true, Status: map[string]Status{"ping": {Code: 503, Times: 2}}}})
	for i, want := range []int{503, 503, 200} {
		if r := send(t, "POST", url, pingBody); r.StatusCode != want {
			t.Errorf("request %d is answered %s, want %d", i+1, r.Status, want)
		}
	}
}

// TestResume goes on reading where a dropped response stopped.
func TestResume(t *testing.T) {
	url := runHTTP(t, Script{Plain: true, HTTP: HTTPScript{NoSession: true, EventIDs: true, RetryMs: 7, Drop: "afterPriming"}})
	got := body(t, send(t, "POST", url, pingBody))
	id, begins := strings.CutPrefix(got, "retry: 7\n\nid: ")
	id, ends := strings.CutSuffix(id, "\ndata: \n\n")
	if !begins || !ends {
		t.Fatalf("the response is %q", got)
	}
	if got := body(t, send(t, "GET", url, "", "Last-Event-ID", id)); !strings.Contains(got, "\ndata: "+pong+"\n\n") {
		t.Errorf("the rest is %q", got)
	}
	if r := send(t, "GET", url, "", "Last-Event-ID", "unknown.3"); r.StatusCode != 404 {
		t.Errorf("a stream that is not there is answered %s", r.Status)
	}
}

func TestDisconnect(t *testing.T) {
	url := runHTTP(t, Script{HTTP: HTTPScript{NoSession: true}})
	response, err := http.Post(url, "application/json", strings.NewReader(callBody("disconnect", `{}`)))
	if err == nil {
		response.Body.Close()
		t.Errorf("answered %s", response.Status)
	}
}

func TestHTTPAndSSE(t *testing.T) {
	url := runHTTP(t, Script{Plain: true, HTTP: HTTPScript{SSE: true}})
	if r := send(t, "POST", url, initializeBody); r.StatusCode != 405 {
		t.Errorf("a POST to the URL of the stream is answered %s", r.Status)
	}
	stream := bufio.NewReader(send(t, "GET", url, "").Body)
	path, ok := strings.CutPrefix(event(t, stream), "event: endpoint\ndata: ")
	if !ok {
		t.Fatalf("the first event is %q", path)
	}
	endpoint := strings.TrimSuffix(url, "/mcp") + strings.TrimSpace(path)
	if r := send(t, "POST", endpoint, pingBody); r.StatusCode != 202 {
		t.Errorf("ping is answered %s", r.Status)
	}
	if got := event(t, stream); got != "data: "+pong+"\n" {
		t.Errorf("the answer is %q", got)
	}
}

func TestListensOnLoopbackAlone(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "example.org:80"} {
		cmd := exec.Command(os.Args[0], "-http", addr)
		cmd.Env = append(os.Environ(), Script{}.Environ())
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "loopback") {
			t.Errorf("%s: %v, %s", addr, err, out)
		}
	}
}

// modern returns the body of a request of the modern era.
func modern(id, method, params string) string {
	if params != "{}" {
		params = "," + strings.TrimPrefix(params, "{")
	} else {
		params = "}"
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"_meta":{"` + metaVersion + `":"2026-07-28","` + metaCapabilities + `":{}}` + params + `}`
}

func modernHeaders(method string, more ...string) []string {
	return append([]string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method}, more...)
}

func TestModernEraOverHTTP(t *testing.T) {
	tool := json.RawMessage(`{"name":"regional","inputSchema":{"type":"object","properties":{"at":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}}`)
	url := runHTTP(t, Script{Plain: true, OnlyTools: true, TTLMs: 9, ProtocolVersions: []string{"2026-07-28"}, Tools: []json.RawMessage{tool}, HTTP: HTTPScript{RequireHeaders: true}})
	list := modern("1", "tools/list", `{}`)
	call := modern("1", "tools/call", `{"name":"regional","arguments":{"at":{"n":7}}}`)
	other := strings.Replace(list, `"2026-07-28"`, `"2027-01-01"`, 1)
	for _, tt := range []struct {
		name, body string
		headers    []string
		status     int
		want       string
	}{
		{"a list", list, modernHeaders("tools/list"), 200, `"cacheScope":"private","resultType":"complete","tools":[`},
		{"its ttl", list, modernHeaders("tools/list"), 200, `"ttlMs":9`},
		{"discover", modern("1", "server/discover", `{}`), modernHeaders("server/discover"), 200, `"supportedVersions":["2026-07-28"]`},
		{"another method in the header", list, modernHeaders("ping"), 400, `"code":-32020`},
		{"a parameter in a header", call, modernHeaders("tools/call", "Mcp-Name", "regional", "Mcp-Param-N", "7"), 200, `"resultType":"complete"`},
		{"an encoded name", call, modernHeaders("tools/call", "Mcp-Name", "=?base64?cmVnaW9uYWw=?=", "Mcp-Param-N", "7"), 200, `"resultType":"complete"`},
		{"a parameter without its header", call, modernHeaders("tools/call", "Mcp-Name", "regional"), 400, `Mcp-Param-N`},
		{"another version", other, modernHeaders("tools/list", "MCP-Protocol-Version", "2027-01-01"), 400, `"data":{"requested":"2027-01-01","supported":["2026-07-28"]}`},
		{"no _meta", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, modernHeaders("tools/list", "MCP-Protocol-Version", ""), 400, `"code":-32602`},
		{"a method that is gone", modern("1", "ping", `{}`), modernHeaders("ping"), 404, `"code":-32601`},
		{"initialize", initializeBody, modernHeaders("initialize", "MCP-Protocol-Version", ""), 400, `2026-07-28`},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 400, `"code":-32600`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := send(t, "POST", url, tt.body, tt.headers...)
			if got := body(t, r); r.StatusCode != tt.status || !strings.Contains(got, tt.want) || r.Header.Get("Mcp-Session-Id") != "" {
				t.Errorf("answered %s with %s, want %d with %s", r.Status, got, tt.status, tt.want)
			}
		})
	}
	if r := send(t, "GET", url, ""); r.StatusCode != 405 {
		t.Errorf("GET is answered %s", r.Status)
	}
}

func TestListenOverHTTP(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	url := runHTTP(t, Script{Plain: true, ProtocolVersions: []string{"2026-07-28", "2025-11-25"}, Record: record})
	listen := modern(`"s"`, "subscriptions/listen", `{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["x:1"]}}`)
	stream := bufio.NewReader(send(t, "POST", url, listen).Body)
	if got, want := event(t, stream), `data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"notifications":{"toolsListChanged":true,"resourceSubscriptions":["x:1"]}}}`+"\n"; got != want {
		t.Errorf("the first event is %q", got)
	}
	do := func(tool, args string) {
		body(t, send(t, "POST", url, modern("5", "tools/call", `{"name":"`+tool+`","arguments":`+args+`}`)))
	}
	do("change", `{"kind":"prompts"}`) // not asked for
	do("notify", `{"method":"notifications/resources/updated","params":{"uri":"x:2"}}`)
	do("notify", `{"method":"notifications/resources/updated","params":{"uri":"x:1"}}`)
	if got := event(t, stream); !strings.Contains(got, `"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"uri":"x:1"}`) {
		t.Errorf("then comes %q", got)
	}
	do("end_listen", `{}`)
	if got := event(t, stream); !strings.Contains(got, `"id":"s"`) || !strings.Contains(got, `"resultType":"complete"`) || !strings.Contains(got, metaSubscription) {
		t.Errorf("the end is %q", got)
	}

	again := send(t, "POST", url, listen)
	event(t, bufio.NewReader(again.Body))
	do("end_listen", `{"how":"drop"}`)
	if got := body(t, again); got != "" {
		t.Errorf("a subscription that is dropped ends with %q", got)
	}
}

// TestInputs checks inputs in several rounds.
func TestInputs(t *testing.T) {
	url := runHTTP(t, Script{Plain: true, ProtocolVersions: []string{"2026-07-28"}})
	ask := func(more string) map[string]json.RawMessage {
		t.Helper()
		text := body(t, send(t, "POST", url, modern("1", "tools/call", `{"name":"ask_inputs","arguments":{"rounds":2,"state":"<&>\u0000","inputs":{"a":{"method":"roots/list"}}}`+more+`}`)))
		var m struct{ Result, Error map[string]json.RawMessage }
		if err := json.Unmarshal([]byte(strings.TrimPrefix(text, "data: ")), &m); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if m.Error != nil {
			return m.Error
		}
		return m.Result
	}
	first := ask("")
	if string(first["resultType"]) != `"input_required"` || string(first["inputRequests"]) != `{"a":{"method":"roots/list"}}` {
		t.Fatalf("the first round is %s", first)
	}
	second := ask(`,"inputResponses":{"a":{"n":1}},"requestState":` + string(first["requestState"]))
	if string(second["resultType"]) != `"input_required"` || string(second["requestState"]) == string(first["requestState"]) {
		t.Fatalf("the second round is %s", second)
	}
	last := ask(`,"inputResponses":{"a":{"n":2}},"requestState":` + string(second["requestState"]))
	want := `{"rounds":[{"inputResponses":{"a":{"n":1}},"requestState":` + string(first["requestState"]) + `},{"inputResponses":{"a":{"n":2}},"requestState":` + string(second["requestState"]) + `}]}`
	if string(last["structuredContent"]) != want {
		t.Errorf("the result is %s, want %s", last["structuredContent"], want)
	}
	if replayed := ask(`,"requestState":` + string(first["requestState"])); string(replayed["code"]) != "-32602" {
		t.Errorf("a used state is answered with %s", replayed)
	}
}

// TestClosed checks that the record has a request that the client closed.
func TestClosed(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	url := runHTTP(t, Script{Plain: true, ProtocolVersions: []string{"2026-07-28"}, Record: record})
	r := send(t, "POST", url, modern("7", "subscriptions/listen", `{"notifications":{}}`))
	event(t, bufio.NewReader(r.Body))
	r.Body.Close()
	// Nothing announces this condition, so the test polls.
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); ; <-tick.C {
		b, err := os.ReadFile(record)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), `{"method":"closed","params":{"requestId":7}}`) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the record lacks it: %s", b)
		}
	}
}
