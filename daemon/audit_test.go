package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// newTestAudit returns an audit, an editor that writes to it, and a function that returns the
// entries so far.
func newTestAudit(t *testing.T) (*audit, *editor, func() []AuditEntry) {
	t.Helper()
	disk := &fullDisk{}
	a := &audit{newLineFile(disk)}
	entries := func() (list []AuditEntry) {
		t.Helper()
		<-a.file.writing.Again()
		for line := range strings.Lines(disk.String()) {
			var entry AuditEntry
			if err := json.Unmarshal([]byte(line), &entry); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			list = append(list, entry)
		}
		return list
	}
	return a, &editor{d: &Daemon{audit: a}, id: 7, name: "nvim"}, entries
}

// checkEntry compares the one entry, which is about nvim 7. It only checks the form of its time and duration.
func checkEntry(t *testing.T, entries []AuditEntry, want AuditEntry) {
	t.Helper()
	if len(entries) != 1 {
		t.Fatalf("got %+v", entries)
	}
	got := entries[0]
	if at, err := time.Parse("2006-01-02T15:04:05.000Z", got.Time); err != nil || at.IsZero() {
		t.Errorf("the time is %q", got.Time)
	}
	if got.MS < 0 {
		t.Errorf("it took %d ms", got.MS)
	}
	got.Time, got.MS = "", 0
	want.Editor = AuditEditor{Name: "nvim", ID: 7}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestAuditCall(t *testing.T) {
	for _, tt := range []struct {
		name, method, params, result string
		err                          error
		what, outcome                string // an outcome of "" means that there is no entry
	}{
		{"a tool", "tools/call", `{"name":"t","arguments":{"x":"canary"}}`, `{"content":["canary"]}`, nil, "t", "ok"},
		{"a tool that says false", "tools/call", `{"name":"t"}`, `{"isError":false}`, nil, "t", "ok"},
		{"a tool that fails", "tools/call", `{"name":"t"}`, `{"content":[{"isError":false}],"isError":true}`, nil, "t", "toolError"},
		{"a result that speaks of isError deeper", "tools/call", `{"name":"t"}`, `{"structuredContent":{"isError":true}}`, nil, "t", "ok"},
		{"no name", "tools/call", `{"arguments":{"name":"canary"}}`, `{}`, nil, "", "ok"},
		{"a prompt", "prompts/get", `{"name":"p","arguments":{"x":"canary"}}`, `{}`, nil, "p", "ok"},
		{"a resource", "resources/read", `{"uri":"https://canary:canary@host/a%20b?canary#canary"}`, `{}`, nil, "https://host/a%20b", "ok"},
		{"an empty query", "resources/read", `{"uri":"x:/y?"}`, `{}`, nil, "x:/y", "ok"},
		{"an opaque URI", "resources/read", `{"uri":"memo:one?canary"}`, `{}`, nil, "memo:one", "ok"},
		{"no URI", "resources/read", `{"uri":"https://canary:%zz@/"}`, `{}`, nil, "", "ok"},
		{"a long name", "tools/call", `{"name":"` + strings.Repeat("n", 1000) + `"}`, `{}`, nil, strings.Repeat("n", maxAuditName-1) + "…", "ok"},
		{"a name that moves the cursor", "tools/call", `{"name":"a\u001b[2J\u202e"}`, `{}`, nil, `a\u{1b}[2J\u{202e}`, "ok"},
		{"an error of the server", "tools/call", `{"name":"t"}`, ``, &editorapi.RPCError{Code: -32042, Message: "canary"}, "t", "rpc:-32042"},
		{"an error of ours", "tools/call", `{"name":"t"}`, ``, &editorapi.Error{Kind: editorapi.KindServerGone, Message: "canary"}, "t", "serverGone"},
		{"cancelled", "tools/call", `{"name":"t"}`, ``, fmt.Errorf("calling: %w", context.Canceled), "t", "cancelled"},
		{"a bug", "tools/call", `{"name":"t"}`, ``, errors.New("canary"), "t", "internal"},
		{"a list", "tools/list", `{}`, `{}`, nil, "", ""},
		{"completion", "completion/complete", `{"name":"t"}`, `{}`, nil, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, e, entries := newTestAudit(t)
			call := editorapi.Call{Server: "s", Method: tt.method, Params: json.RawMessage(tt.params)}
			a.call(e, time.Now(), call, json.RawMessage(tt.result), tt.err, nil)
			got := entries()
			if tt.outcome == "" {
				if len(got) > 0 {
					t.Errorf("got %+v", got)
				}
				return
			}
			checkEntry(t, got, AuditEntry{
				Event: tt.method, Server: "s", What: tt.what, Outcome: tt.outcome, BytesIn: len(tt.params), BytesOut: len(tt.result),
			})
			if strings.Contains(fmt.Sprint(got), "canary") {
				t.Errorf("the entry has a value: %+v", got)
			}
		})
	}
}

func TestAuditQuestion(t *testing.T) {
	for _, tt := range []struct {
		name, method, answer string
		err                  error
		outcome              string
	}{
		{"accepted", wire.MethodElicit, `{"action":"accept","content":{"x":"canary"}}`, nil, "accept"},
		{"declined", wire.MethodElicit, `{"action":"decline"}`, nil, "decline"},
		{"cancelled by the person", wire.MethodElicit, `{"action":"cancel"}`, nil, "cancel"},
		{"no answer that MCP has", wire.MethodElicit, `{"action":"canary"}`, nil, "invalidResult"},
		{"sampled", wire.MethodSample, `{"role":"assistant","content":"canary"}`, nil, "ok"},
		{"refused", wire.MethodSample, ``, &editorapi.RPCError{Code: codeRejected, Message: "canary"}, "rpc:-1"},
		{"the editor went", wire.MethodSample, ``, fmt.Errorf("asking: %w", editorapi.ErrEditorGone), "editorGone"},
		{"withdrawn", wire.MethodElicit, ``, context.Canceled, "cancelled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, e, entries := newTestAudit(t)
			params := json.RawMessage(`{"message":"canary"}`)
			a.question(e, time.Now(), "s", tt.method, params, json.RawMessage(tt.answer), tt.err)
			checkEntry(t, entries(), AuditEntry{
				Event: tt.method, Server: "s", Outcome: tt.outcome, BytesIn: len(params), BytesOut: len(tt.answer),
			})
		})
	}
}

func TestAuditLifecycleAndApproval(t *testing.T) {
	failed := editorapi.Server{State: "failed", Error: &editorapi.ServerError{Kind: "exit", Message: "canary"}}
	for _, tt := range []struct {
		name, event string
		view        editorapi.Server
		err         error
		outcome     string
	}{
		{"started", auditStart, editorapi.Server{State: "ready"}, nil, "ok"},
		{"failed", auditRestart, failed, nil, "exit"},
		{"not there yet", auditStart, editorapi.Server{State: "starting"}, nil, "starting"},
		{"refused", auditStart, editorapi.Server{}, &editorapi.Error{Kind: editorapi.KindServerNotFound}, "serverNotFound"},
		{"stopped", auditStop, editorapi.Server{State: "stopped"}, nil, "ok"},
		{"stopped after it failed", auditStop, failed, nil, "ok"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, e, entries := newTestAudit(t)
			view, err := e.audited(tt.event, "s", func(context.Context) (editorapi.Server, error) { return tt.view, tt.err })(t.Context())
			if view.State != tt.view.State || err != tt.err {
				t.Errorf("got %+v, %v", view, err)
			}
			checkEntry(t, entries(), AuditEntry{Event: tt.event, Server: "s", Outcome: tt.outcome})
		})
	}
	t.Run("approval", func(t *testing.T) {
		a, e, entries := newTestAudit(t)
		a.decision(e, AuditApproval, "s", "d1", "deny")
		e.agent = &editorapi.Agent{Name: "Claude Code"}
		a.decision(e, AuditApproval, "s", "d2", "allow")
		got := entries()
		checkEntry(t, got[:1], AuditEntry{Event: AuditApproval, Server: "s", What: "d1", Outcome: "deny"})
		if got[1].Editor.Name != "Claude Code" {
			t.Errorf("whatever the program is that attached, the agent has its own name: %+v", got[1])
		}
	})
}

// writeAudit writes an audit file with a line about each of these servers.
func writeAudit(t *testing.T, p ipc.Paths, name string, servers ...string) {
	t.Helper()
	var text strings.Builder
	for _, server := range servers {
		text.WriteString(`{"event":"start","server":"` + server + `","more":1}` + "\n")
	}
	writeFile(t, filepath.Join(p.StateDir, name), text.String())
}

func TestReadAudit(t *testing.T) {
	p := tempPaths(t)
	read := func(t *testing.T, n int, server string) (servers []string) {
		t.Helper()
		lines, err := ReadAudit(p, n, server)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if line.Lost == 0 && !strings.HasSuffix(string(line.Raw), `,"more":1}`) {
				t.Errorf("the line is not as it was written: %s", line.Raw)
			}
			servers = append(servers, line.Server)
		}
		return servers
	}
	if got := read(t, 5, ""); got != nil {
		t.Errorf("of nothing: %q", got)
	}
	writeAudit(t, p, "audit-2026-01-02T00-00-00.000.jsonl", "c", "d")
	writeAudit(t, p, "audit-2026-01-01T00-00-00.000.jsonl", "a", "b")
	long := strings.Repeat("s", 2*maxAuditName)
	writeAudit(t, p, "audit.jsonl", auditName(long), "e", "a")
	for _, other := range []string{"auditor.jsonl", "audit-2026.log", "daemon.log"} {
		writeAudit(t, p, other, "wrong")
	}
	for _, tt := range []struct {
		name   string
		n      int
		server string
		want   string
	}{
		{"the last one", 1, "", "a"},
		{"one file", 2, "", "e a"},
		{"into the file before", 4, "", "d " + auditName(long) + " e a"},
		{"all", 7, "", "a b c d " + auditName(long) + " e a"},
		{"more than there are", 100, "", "a b c d " + auditName(long) + " e a"},
		{"by its whole name", 100, long, auditName(long)},
		{"of one server", 100, "a", "a a"},
		{"the last of one server", 1, "a", "a"},
		{"of a server in an old file", 1, "b", "b"},
		{"of nobody", 5, "x", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(read(t, tt.n, tt.server), " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Damaged lines do no harm, and lost lines are counted.
func TestReadDamagedAudit(t *testing.T) {
	p := tempPaths(t)
	text := "\x00\x00\x00\n" + `{"event":"start","server":"a"}` + "\n\n[]\n{\"event\":7}\n{}\n" + `{"event":"sta` + "\n" +
		`{"level":"warn","msg":"lines of this log could not be written","lost":5}` + "\n" + strings.Repeat("x", 1<<20) + "\n" +
		`{"event":"stop","server":"a"}`
	writeFile(t, p.AuditFile(), text)
	lines, err := ReadAudit(p, 100, "")
	if err != nil || len(lines) != 3 {
		t.Fatalf("got %d lines, %v", len(lines), err)
	}
	if lines[0].Event != "start" || lines[1].Lost != 5 || lines[2].Event != "stop" {
		t.Errorf("got %+v", lines)
	}
}

// Fault disk-hangs: a disk that does not answer holds up who is recorded for a moment, once, and nobody else. What it
// cannot take is bounded, and counted. When it answers again, a line is there before the answer.
func TestPromise4AuditWaitsForNoDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		disk := &fullDisk{}
		a := &audit{newLineFile(slowDisk{disk, answer})}
		e := &editor{id: 1}
		began := time.Now()
		const entries = 10_000 // more than there is room for
		for range entries {
			a.decision(e, AuditApproval, "s", "d", "allow")
		}
		if waited := time.Since(began); waited != linePatience {
			t.Errorf("%d answers waited for %v together", entries, waited)
		}
		close(answer)
		<-a.file.writing.Again()
		a.decision(e, AuditApproval, "last", "d", "allow")
		written, lost := 0, 0
		for line := range strings.Lines(disk.String()) {
			var entry AuditEntry
			if err := json.Unmarshal([]byte(line), &entry); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if lost += entry.Lost; entry.Lost == 0 {
				written++
			}
		}
		if lost == 0 || written+lost != entries+1 {
			t.Errorf("%d entries were written and %d lost, of %d", written, lost, entries+1)
		}
	})
}

// slowDisk is a disk that answers when answer is closed.
type slowDisk struct {
	*fullDisk
	answer chan struct{}
}

func (d slowDisk) Write(b []byte) (int, error) {
	<-d.answer
	return d.fullDisk.Write(b)
}
