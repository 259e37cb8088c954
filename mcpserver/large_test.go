package mcpserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// quote returns a text as JSON.
func quote(s string) string { return string(rawjson.Quote(s)) }

// contentOf returns a content block with this text.
func contentOf(text string) string { return `{"type":"text","text":` + quote(text) + `}` }

var resultPath = regexp.MustCompile(`\S*[/\\]result-[a-z2-7]{26}(\.[a-z0-9]+)`)

// written returns the contents of the files in dir by their extension.
func written(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	entries, _ := os.ReadDir(dir) // which is there once something is in it
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Ext(entry.Name())] += string(content)
	}
	return found
}

func TestShrink(t *testing.T) {
	lines := strings.Repeat("a line of text\n", 1000)
	var items []string
	for i := range 300 {
		items = append(items, fmt.Sprintf(`{"id":%d,"name":"n%d","tags":["a","b"],"at":null,"ok":true,"deep":{"a":{"b":{"c":{"d":1}}}}}`, i, i))
	}
	object := `{"items":[` + strings.Join(items, ",") + `],"\u001b[31mtotal":300,"empty":{},"none":[]}`
	binary := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x89PNG", 3000)))
	small := `{"type":"text","text":"small","x":1.0}`
	picture := `{"type":"image","mimeType":"image/png","data":"` + binary + `"}`
	promised, lazy := target{promised: true}, target{}
	var pointers strings.Builder
	for _, tt := range []struct {
		name   string
		target target
		result string
		want   map[string]string // the contents of files by their extension; nil when nothing changes
		stays  []string          // what is there afterwards, byte for byte
	}{
		{"under the limit", lazy, `{"content":[` + small + `]}`, nil, nil},
		{"text", lazy, `{"content":[` + small + `,{"type":"text","text":` + quote(lines) + `,"annotations":{"audience":["user"]}}],"isError":true,"_meta":{"k":1.0}, "x":[2]}`,
			map[string]string{".txt": lines}, []string{small, `"annotations":{"audience":["user"]}`, `"isError":true,"_meta":{"k":1.0}, "x":[2]`}},
		{"Markdown", lazy, `{"content":[` + contentOf("# Title\n"+lines) + `]}`, map[string]string{".md": "# Title\n" + lines}, nil},
		{"JSON", promised, `{"content":[` + contentOf(object) + `]}`, map[string]string{".json": object}, nil},
		{"text with escapes", lazy, `{"content":[` + contentOf("\x1b]0;title\x07\u202e"+lines) + `]}`, map[string]string{".txt": "\x1b]0;title\x07\u202e" + lines}, nil},
		{"a picture", lazy, `{"content":[` + picture + `]}`, nil, nil},
		{"a picture beside text", lazy, `{"content":[` + picture + `,` + contentOf(lines) + `]}`, map[string]string{".txt": lines}, []string{picture}},
		{"an embedded file", lazy, `{"content":[{"type":"resource","resource":{"uri":"u","mimeType":"application/pdf; x=y","blob":"` + binary + `"}}]}`,
			map[string]string{".pdf": strings.Repeat("\x89PNG", 3000)}, nil},
		{"an embedded file of a kind that runs", lazy, `{"content":[{"type":"resource","resource":{"uri":"u","mimeType":"application/x-sh","blob":"` + binary + `"}}]}`,
			map[string]string{".bin": strings.Repeat("\x89PNG", 3000)}, nil},
		{"embedded text", lazy, `{"content":[{"type":"resource","resource":{"uri":"u","mimeType":"text/csv","text":` + quote(lines) + `}}]}`, map[string]string{".csv": lines}, nil},
		{"what is no base64", lazy, `{"content":[{"type":"resource","resource":{"uri":"u","blob":"!` + binary + `"}}]}`,
			map[string]string{".json": `{"type":"resource","resource":{"uri":"u","blob":"!` + binary + `"}}`}, nil},
		{"many blocks", lazy, `{"content":[` + strings.Repeat(contentOf("one of many blocks")+",", 400) + small + `]}`,
			map[string]string{".json": "[" + strings.TrimSuffix(strings.Repeat(contentOf("one of many blocks")+",", 400-57), ",") + "]"}, []string{small}},

		{"structuredContent that was promised", promised, `{"content":[` + contentOf(object) + `],"structuredContent":` + object + `}`,
			map[string]string{".json": object}, []string{`"structuredContent":` + object}},
		{"structuredContent that was promised, alone", promised, `{"content":[],"structuredContent":` + object + `}`, nil, nil},
		{"structuredContent that was promised, of an error", promised, `{"content":[],"structuredContent":` + object + `,"isError":true}`, map[string]string{".json": object}, []string{`"isError":true`}},
		{"structuredContent that says what the text says", lazy, `{"content":[` + contentOf(object) + `],"structuredContent": ` + object + `}`, map[string]string{".json": object}, nil},
		{"structuredContent that says more", lazy, `{"content":[` + small + `],"structuredContent":` + object + `}`, map[string]string{".json": object}, []string{small}},
		{"structuredContent and text", lazy, `{"content":[` + contentOf(lines) + `],"structuredContent":` + object + `}`, map[string]string{".json": object, ".txt": lines}, nil},

		{"a question", lazy, `{"resultType":"input_required","content":[` + contentOf(lines) + `],"requestState":"x"}`, nil, nil},
		{"a complete result", lazy, `{"resultType":"complete","content":[` + contentOf(lines) + `]}`, map[string]string{".txt": lines}, []string{`"resultType":"complete"`}},
		{"content that is no list", lazy, `{"content":` + contentOf(lines) + `}`, nil, nil},
		{"what is no object", lazy, `[` + contentOf(lines) + `]`, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "results")
			got, err := tt.target.shrink(json.RawMessage(tt.result), 5000, dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := rawjson.Check(got); err != nil {
				t.Fatalf("%v in %s", err, got)
			}
			files := written(t, dir)
			if tt.want == nil {
				if string(got) != tt.result || len(files) > 0 {
					t.Fatalf("got %.500s, and wrote %.500q", got, files)
				}
				return
			}
			if fmt.Sprint(files) != fmt.Sprint(tt.want) {
				t.Errorf("wrote %.500q, want %.500q", files, tt.want)
			}
			for _, part := range tt.stays {
				if !strings.Contains(string(got), part) {
					t.Errorf("%.500s is missing in %.1000s", part, got)
				}
			}
			if structure := rawjson.Get(got, "structuredContent"); structure != nil && !(tt.target.promised && rawjson.Get(got, "isError") == nil) {
				t.Error("structuredContent is still there")
			}
			text := ""
			for block := range rawjson.Elements(rawjson.Get(got, "content")) {
				if shown := rawjson.String(block, "text"); resultPath.MatchString(shown) {
					if len(shown) > 2500 {
						t.Errorf("the pointer has %d bytes", len(shown))
					}
					text += shown
				}
			}
			if len(resultPath.FindAllString(text, -1)) != len(tt.want) || strings.ContainsAny(text, "\x1b\x07\u202e") {
				t.Errorf("got %q", text)
			}
			fmt.Fprintf(&pointers, "== %s\n%s\n", tt.name, resultPath.ReplaceAllString(text, "FILE$1"))
		})
	}
	compare(t, "shrink.golden", pointers.String())
}

// Whatever the result, what comes out is valid and no longer, and a file has what is missing.
func FuzzShrink(f *testing.F) {
	f.Add(`{"content":[{"type":"text","text":"`+strings.Repeat("x", 3000)+`"}],"structuredContent":[1]}`, 100, false)
	f.Add(`{"content":[{"type":"image","data":"AAAA"},7,null],"structuredContent":{"a":"`+strings.Repeat("[", 4000)+`"}}`, 1, true)
	dir := f.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, result string, limit int, promised bool) {
		if rawjson.Check([]byte(result)) != nil {
			t.Skip()
		}
		got, err := target{promised: promised}.shrink(json.RawMessage(result), limit, dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := rawjson.Check(got); err != nil || len(got) > len(result) || limit <= 0 && string(got) != result {
			t.Errorf("got %s, %v", got, err)
		}
		if string(rawjson.Get(got, "_meta")) != string(rawjson.Get([]byte(result), "_meta")) {
			t.Errorf("_meta became %s", rawjson.Get(got, "_meta"))
		}
		for _, path := range resultPath.FindAllString(string(got), -1) {
			if strings.HasPrefix(path, dir) && !strings.Contains(result, path) {
				if _, err := os.Stat(path); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
