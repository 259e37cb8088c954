//go:build linux || darwin

package daemon

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// A server is told what any of its editors declared.
func TestClientCapabilities(t *testing.T) {
	able := func(elicitation, sampling, extensions string) editorapi.Capabilities {
		caps := declared(elicitation, sampling)
		if extensions != "" {
			caps.Extensions = json.RawMessage(extensions)
		}
		return caps
	}
	for _, tt := range []struct {
		name     string
		sampling config.SamplingPolicy
		caps     []editorapi.Capabilities
		want     string // after the roots
	}{
		{"nobody", "", nil, ``},
		{"nothing", "", []editorapi.Capabilities{able("", "", "")}, ``},
		{"as it is", "", []editorapi.Capabilities{able(`{}`, `{"tools": {}}`, `{"io.example/x": {"a":[1]}}`)}, `,"sampling":{"tools": {}},"elicitation":{},"extensions":{"io.example/x": {"a":[1]}}`},
		{"each something", "", []editorapi.Capabilities{able(`{"form":{}}`, "", ""), able("", `{}`, "")}, `,"sampling":{},"elicitation":{"form":{}}`},
		{"parts", "", []editorapi.Capabilities{able(`{"form":{}}`, `{}`, ""), able(`{"url":{}}`, `{"tools":{}}`, "")}, `,"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}`},
		{"forms and URLs", "", []editorapi.Capabilities{able(`{}`, "", ""), able(`{"url":{}}`, "", "")}, `,"elicitation":{"url":{},"form":{}}`},
		{"URLs alone", "", []editorapi.Capabilities{able(`{"url":{}}`, "", ""), able("", "", "")}, `,"elicitation":{"url":{}}`},
		{"extensions, deeply", "", []editorapi.Capabilities{able("", "", `{"x":{"a":{"b":1},"c":1}}`), able("", "", `{"y":{},"x":{"a":{"d":2},"c":2}}`)}, `,"extensions":{"x":{"a":{"b":1,"d":2},"c":1},"y":{}}`},
		{"sampling denied", config.SamplingDeny, []editorapi.Capabilities{able(`{}`, `{}`, "")}, `,"elicitation":{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var editors []*editor
			for _, caps := range tt.caps {
				editors = append(editors, &editor{caps: caps})
			}
			got := clientCapabilities(config.Definition{Sampling: tt.sampling}, editors)
			if want := `{"roots":{"listChanged":true}` + tt.want + `}`; string(got) != want {
				t.Errorf("it is told %s, want %s", got, want)
			}
			for _, e := range editors {
				if more := rawjson.Union(got, clientCapabilities(config.Definition{Sampling: tt.sampling}, []*editor{e})); string(more) != string(got) {
					t.Errorf("for one of them that lacks something: %s", more)
				}
			}
		})
	}
}

// An editor's declaration reaches the server unchanged. Who comes later with more has a server initialized
// anew that nobody has used, and no other; it is one server for all of them in any case.
func TestWhoComesLaterWithMore(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	record := filepath.Join(t.TempDir(), "record")
	initialized := func() (times int, last string) {
		t.Helper()
		lines, err := os.ReadFile(record)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(lines)) {
			if rawjson.String([]byte(line), "method") == "initialize" {
				times, last = times+1, string(rawjson.Path([]byte(line), "params", "capabilities"))
			}
		}
		return times, last
	}
	want := func(times int, declares string) {
		t.Helper()
		got, last := initialized()
		if declares = `{"roots":{"listChanged":true}` + declares + `}`; got != times || last != declares {
			t.Errorf("it was initialized %d times and last told %s, want %d times and %s", got, last, times, declares)
		}
	}
	attach := func(caps editorapi.Capabilities) (editorapi.Attachment, *screen) {
		t.Helper()
		s := newScreen()
		a := attachScreen(t, d, folder, s, fakeserver.Script{Plain: true, Record: record}, caps)
		if started, err := a.StartServer("fake")(t.Context()); err != nil || started.State != editorapi.ServerReady {
			t.Fatalf("it is %s: %v", started.State, err)
		}
		d.awaitConnections(t, 1)
		return a, s
	}
	few := declared("", "")
	few.Extensions = json.RawMessage(`{"io.example/ui":{"n":1.0}}`)
	first, shown := attach(few)
	want(1, `,"extensions":{"io.example/ui":{"n":1.0}}`)
	attach(few)
	want(1, `,"extensions":{"io.example/ui":{"n":1.0}}`)
	attach(declared(`{"form":{}}`, ""))
	want(2, `,"elicitation":{"form":{}},"extensions":{"io.example/ui":{"n":1.0}}`)
	shown.until(t, "told of the new process", func() bool { return slices.Contains(shown.news, "fake restarting") })

	if _, err := call(t.Context(), first, "tools/call", `{"name":"echo"}`); err != nil {
		t.Fatal(err)
	}
	more, _ := attach(declared("", `{}`))
	want(2, `,"elicitation":{"form":{}},"extensions":{"io.example/ui":{"n":1.0}}`)

	// Once the one that has used it has gone, the next editor that comes may have it initialized anew.
	first.Close()
	attach(few)
	want(3, `,"sampling":{},"elicitation":{"form":{}},"extensions":{"io.example/ui":{"n":1.0}}`)
	if got := more.Servers()[0]; got.Restarts != 0 || more.Status().Counters["initializedAnew"] != 2 {
		t.Errorf("it counts %d restarts and %d times initialized anew", got.Restarts, more.Status().Counters["initializedAnew"])
	}

	// A server that somebody has stopped is not started by it.
	does(t, more.StopServer("fake"))
	url := newScreen()
	attachScreen(t, d, folder, url, fakeserver.Script{Plain: true, Record: record}, declared(`{"url":{}}`, ""))
	if got := more.Servers()[0]; got.State != editorapi.ServerStopped {
		t.Errorf("it is %s", got.State)
	}
	if times, _ := initialized(); times != 3 {
		t.Errorf("it was initialized %d times", times)
	}
}
