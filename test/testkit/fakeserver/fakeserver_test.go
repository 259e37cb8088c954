package fakeserver

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv(Env) != "" {
		Main()
	}
	os.Exit(m.Run())
}

// TestConversation compares single exchanges with the lines on the wire.
func TestConversation(t *testing.T) {
	call := func(id, tool, args string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`
	}
	for _, tt := range []struct {
		name   string
		script Script
		in     []string
		want   []string
	}{
		{"initialize with a version it speaks", Script{Plain: true, Capabilities: json.RawMessage(`{}`)},
			[]string{`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18"}}`},
			[]string{`{"jsonrpc":"2.0","id":"a","result":{"capabilities":{},"protocolVersion":"2025-06-18","serverInfo":{"name":"fakeserver","version":"1"}}}`}},
		{"initialize with one it does not", Script{Plain: true, Capabilities: json.RawMessage(`{}`), ProtocolVersions: []string{"2024-11-05"}},
			[]string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`},
			[]string{`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{},"protocolVersion":"2024-11-05","serverInfo":{"name":"fakeserver","version":"1"}}}`}},
		{"a refusal", Script{Steps: map[string][]json.RawMessage{"initialize": {json.RawMessage(`{"do":"refuse","code":-5,"message":"no"}`)}}},
			[]string{`{"jsonrpc":"2.0","id":1,"method":"initialize"}`},
			[]string{`{"jsonrpc":"2.0","id":1,"error":{"code":-5,"message":"no"}}`}},
		{"a banner and grease", Script{Steps: map[string][]json.RawMessage{"start": {json.RawMessage(`{"do":"stdout","text":"hello\n"}`)}}},
			[]string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`},
			[]string{`hello`, `{"jsonrpc":"2.0","id":1,"result":{"x-grease":{"n":12345678901234567890,"x":null}}}`}},
		{"pages", Script{Plain: true, OnlyTools: true, PageSize: 1, Tools: []json.RawMessage{json.RawMessage(`{"name":"a"}`), json.RawMessage(`{"name":"b"}`)}},
			[]string{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"1"}}`},
			[]string{`{"jsonrpc":"2.0","id":1,"result":{"nextCursor":"1","tools":[{"name":"a"}]}}`, `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"b"}]}}`}},
		{"raw", Script{}, []string{call("7", "raw", `{"lines":["x $ID","y"]}`)}, []string{"x 7", "y"}},
		{"progress on time and late", Script{Plain: true},
			[]string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"progress","arguments":{"n":1,"late":1},"_meta":{"progressToken":"t"}}}`},
			[]string{
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"step 1","progress":1,"progressToken":"t","total":2,"x-grease":1}}`,
				`{"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"{}","type":"text"}],"structuredContent":{}}}`,
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"step 2","progress":2,"progressToken":"t","total":2,"x-grease":2}}`,
			}},
		{"the id at the end", Script{Plain: true, IDLast: true}, []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`}, []string{`{"result":{},"jsonrpc":"2.0","id":1}`}},
		{"batch", Script{Plain: true}, []string{call("1", "batch", `{}`)},
			[]string{`[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"in a batch"}},{"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"{}","type":"text"}],"structuredContent":{}}}]`}},
		{"ask", Script{Plain: true}, []string{call("1", "ask_roots", `{"id":"q"}`), `{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}`},
			[]string{`{"jsonrpc":"2.0","id":"q","method":"roots/list","params":{}}`,
				`{"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"{\"answer\":{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{\"roots\":[]}}}","type":"text"}],"structuredContent":{"answer":{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}}}}`}},
		{"both eras on one wire", Script{Plain: true, Capabilities: json.RawMessage(`{}`), ProtocolVersions: []string{"2026-07-28", "2025-11-25"}},
			[]string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2026-07-28"}}`, modern("2", "server/discover", `{}`)},
			[]string{`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{},"protocolVersion":"2025-11-25","serverInfo":{"name":"fakeserver","version":"1"}}}`,
				`{"jsonrpc":"2.0","id":2,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"fakeserver","version":"1"}},"cacheScope":"private","capabilities":{},"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"ttlMs":0}}`}},
		{"a server of a legacy version does not look at _meta", Script{Plain: true}, []string{modern("1", "server/discover", `{}`)},
			[]string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: server/discover"}}`}},
		{"unknown tool", Script{}, []string{call("1", "nope", `{}`)}, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool: nope"}}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.script.Record = filepath.Join(t.TempDir(), "record")
			in, out := run(t, tt.script)
			var got []string
			// An answer comes before the next line is sent, so that the order is known.
			for i, line := range tt.in {
				if _, err := io.WriteString(in, line+"\n"); err != nil {
					t.Fatal(err)
				}
				for n := len(tt.want) - len(tt.in) + i + 1; len(got) < n; {
					got = append(got, next(t, out))
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			_ = in.Close()
			if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 {
				t.Errorf("then came %q, %v", rest, err)
			}
			record, err := os.ReadFile(tt.script.Record)
			if want := strings.Join(tt.in, "\n") + "\n"; err != nil || string(record) != want {
				t.Errorf("the record is %q, %v; want %q", record, err, want)
			}
		})
	}
}

// TestSubscriptionOnStdio checks that changes come until the subscription is withdrawn.
func TestSubscriptionOnStdio(t *testing.T) {
	in, out := run(t, Script{Plain: true, OnlyTools: true, ProtocolVersions: []string{"2026-07-28"}})
	change := modern("2", "tools/call", `{"name":"notify","arguments":{"method":"notifications/tools/list_changed"}}`)
	for _, tt := range []struct {
		send string
		want []string // parts of the lines that come
	}{
		{modern("1", "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`), []string{`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{"toolsListChanged":true}}`}},
		{change, []string{`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}`, `"id":2`}},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, nil},
		{change, []string{`"id":2`}},
	} {
		if _, err := io.WriteString(in, tt.send+"\n"); err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.want {
			if got := next(t, out); !strings.Contains(got, want) {
				t.Errorf("after %s comes %s, want %s", tt.send, got, want)
			}
		}
	}
}

// TestScriptFile reads the script from a file.
func TestScriptFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(file, []byte(`{"steps":{"start":[{"do":"exit","code":7}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), Env+"="+file)
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 7 {
		t.Errorf("exit code %d, want 7", code)
	}
}

// TestDocumented checks that the package comment has every action.
func TestDocumented(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for name := range actions() {
		if !strings.Contains(string(doc), "//	"+name+" ") && !strings.Contains(string(doc), ", "+name+" ") && !strings.Contains(string(doc), name+",") {
			t.Errorf("the package comment lacks the action %q", name)
		}
	}
}

// run starts a server, and waits for its end at the end of the test.
func run(t *testing.T, script Script) (io.WriteCloser, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), script.Environ(), "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended: %v", err)
		}
	})
	return in, bufio.NewReader(out)
}

func next(t *testing.T, out *bufio.Reader) string {
	t.Helper()
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}
