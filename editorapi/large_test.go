package editorapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// An editor that asked for files gets them in place of what is large, whatever way the result comes, and no other
// editor does.
func TestLargeResultAsFiles(t *testing.T) {
	const limit = 5000
	lines := strings.Repeat("a line\n", 1000)
	quoted := string(rawjson.Quote(lines))
	picture := strings.Repeat("\x89PNG", 3000)
	encoded := base64.StdEncoding.EncodeToString([]byte(picture))
	numbers := `{"n":[` + strings.Repeat("1,", 4000) + `1]}`
	small := `{"type":"text","text":"small"}`
	tool := `mcp/tools/call`
	type link struct{ extension, mimeType, note, content string }
	for _, test := range []struct {
		name, method, result string
		want                 []link // nil when the result stays
	}{
		{"a text", tool, `{"content":[` + small + `,{"type":"text","text":` + quoted + `,"annotations":{"priority":1}}],"_meta":{"n":1.0}}`,
			[]link{{".txt", "text/plain", `{"part":"text"}`, lines}}},
		{"a picture", tool, `{"content":[` + small + `,{"type":"image","mimeType":"image/png","data":"` + encoded + `"}]}`,
			[]link{{".png", "image/png", `{"part":"image"}`, picture}}},
		{"what is no base64", tool, `{"content":[{"type":"image","mimeType":"image/png","data":"` + encoded + `!"}]}`,
			[]link{{".json", "application/json", `{"part":"image"}`, `{"type":"image","mimeType":"image/png","data":"` + encoded + `!"}`}}},
		{"an embedded resource", tool, `{"content":[{"type":"resource","resource":{"uri":"demo://x","mimeType":"text/csv","text":` + quoted + `}}]}`,
			[]link{{".csv", "text/csv", `{"part":"resource","uri":"demo://x"}`, lines}}},
		{"data", tool, `{"content":[` + small + `],"structuredContent":` + numbers + `}`,
			[]link{{".json", "application/json", `{"part":"structuredContent"}`, numbers}}},
		{"many small parts", tool, `{"content":[` + strings.Repeat(small+",", 500) + small + `]}`,
			[]link{{".json", "application/json", `{"part":"list"}`, `[` + strings.Repeat(small+",", 500-83) + small + `]`}}},
		{"a prompt", "mcp/prompts/get", `{"messages":[{"role":"user","content":{"type":"text","text":` + quoted + `}},{"role":"assistant","content":` + small + `}]}`,
			[]link{{".txt", "text/plain", `{"part":"text"}`, lines}}},
		{"a resource", "mcp/resources/read", `{"contents":[{"uri":"demo://y","blob":"` + encoded + `"}]}`,
			[]link{{".bin", "", `{"part":"resource","uri":"demo://y"}`, picture}}},
		{"under the limit", tool, `{"content":[{"type":"text","text":` + string(rawjson.Quote(lines[:limit/2])) + `}]}`, nil},
		{"another method", "mcp/completion/complete", `{"content":[{"type":"text","text":` + quoted + `}]}`, nil},
		{"what is no result", tool, `{"content":` + quoted + `}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, options := range []string{`{}`, `{"inlineLimit":5000}`} {
				b := newFakeBackend()
				b.o.TextDir = filepath.Join(t.TempDir(), "texts")
				b.call = func(context.Context, Call) (json.RawMessage, error) { return json.RawMessage(test.result), nil }
				e := open(t, b, fakeeditor.Options{InitializationOptions: json.RawMessage(options)})
				result := requested(t, e, test.method, map[string]any{"server": "s"})
				if test.want == nil || options == `{}` {
					if _, err := os.Stat(b.o.TextDir); string(result) != test.result || !os.IsNotExist(err) {
						t.Fatalf("got %.300s, and the folder is %v", result, err)
					}
					continue
				}
				if len(result) > limit || rawjson.Check(result) != nil {
					t.Fatalf("got %.300s", result)
				}
				var got []link
				for _, list := range []string{"content", "messages", "contents"} {
					for item := range rawjson.Elements(rawjson.Get(result, list)) {
						if content := rawjson.Get(item, "content"); content != nil {
							item = content
						}
						if rawjson.String(item, "type") != "resource_link" {
							continue
						}
						path, err := fileuri.ToPath(rawjson.String(item, "uri"))
						if err != nil || filepath.Dir(path) != b.o.TextDir || filepath.Base(path) != rawjson.String(item, "name") {
							t.Fatalf("the link is %s, %v", item, err)
						}
						info, err := os.Stat(path)
						if err != nil || info.Mode() != 0o600 {
							t.Fatalf("%s is %v, %v", path, info, err)
						}
						content, err := os.ReadFile(path)
						if size, _ := rawjson.Int(item, "size"); err != nil || size != int64(len(content)) {
							t.Errorf("the size is %d, of %d bytes, %v", size, len(content), err)
						}
						if filepath.Ext(path) == ".json" { // a line for each value
							if strings.Count(string(content), "\n") < 3 {
								t.Errorf("the file has %.100q", content)
							}
							content = rawjson.Compact(content)
						}
						got = append(got, link{filepath.Ext(path), rawjson.String(item, "mimeType"), string(rawjson.Path(item, "_meta", "mcp-editord/file")), string(content)})
					}
				}
				if len(got) != len(test.want) || got[0] != test.want[0] {
					t.Errorf("got %.600q, want %.600q", got, test.want)
				}
				if strings.Contains(test.result, "priority") && !strings.Contains(string(result), `"annotations":{"priority":1}`) {
					t.Errorf("%s has lost its annotations", result)
				}
			}
		})
	}
}

// A command's result has its files, too.
func TestLargeResultOfACommand(t *testing.T) {
	b := newFakeBackend()
	b.o.TextDir = filepath.Join(t.TempDir(), "texts")
	b.catalogs = []listing{{Server: Server{Name: "s", State: ServerReady}, Tools: raw(`{"name":"t"}`)}}
	b.call = returns(strings.Repeat("x", 9000))
	e := open(t, b, fakeeditor.Options{Capabilities: mcpEditor, InitializationOptions: json.RawMessage(`{"inlineLimit":5000}`)})
	result, err := e.Request("workspace/executeCommand", map[string]any{"command": "mcp.tool.s.t"})
	if err != nil || !strings.Contains(string(result), `"resource_link"`) {
		t.Errorf("got %.300s, %v", result, err)
	}
}

// Who reads from a server waits for no disk: it has its memory back, and goes on, before the file is written.
func TestLargeResultLeavesTheReader(t *testing.T) {
	b := newFakeBackend()
	b.o.TextDir = filepath.Join(t.TempDir(), "texts")
	e := open(t, b, fakeeditor.Options{InitializationOptions: json.RawMessage(`{"inlineLimit":5000}`)})
	s := b.session()
	r := s.peer.newRequest(jsonrpc2.NewStringID("large"), "mcp/tools/call", nil)
	if err := s.peer.admit(r); err != nil {
		t.Fatal(err)
	}
	s.peer.running.Add(1)
	lent := []byte(`{"content":[{"type":"text","text":"` + strings.Repeat("x", 9000) + `"}]}`)
	s.peer.mu.Lock() // nothing can be answered
	s.ending(r, "tools/call", json.RawMessage(`{"name":"../t"}`))(lent, nil, nil)
	clear(lent)
	s.peer.mu.Unlock()
	m := e.Await("the answer", func(m fakeeditor.Message) bool { return string(m.ID) == `"large"` })
	for block := range rawjson.Elements(rawjson.Path(m.Raw, "result", "content")) {
		path, _ := fileuri.ToPath(rawjson.String(block, "uri"))
		if !strings.HasPrefix(filepath.Base(path), "result-.._t-") {
			t.Errorf("the file is %s", path)
		}
		if content, err := os.ReadFile(path); err != nil || string(content) != strings.Repeat("x", 9000) {
			t.Errorf("the file has %.100q, %v", content, err)
		}
		return
	}
	t.Errorf("the answer is %.300s", m.Raw)
}
