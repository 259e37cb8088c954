package workspaceserver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestSearchText(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.go":    "package a\r\n\r\nfunc Foo() {}\r\n",
		"b/b.txt": "foo.bar\nfooxbar",
		"binary":  "foo\x00",
		"latin1":  "caf\xe9 foo",
		"large":   "foo" + strings.Repeat("\n", maxSearched),
		"just":    "foo" + strings.Repeat("\n", maxSearched-3),
		".git/x":  "foo",
	})
	_, session := connect(t, newServer("1", t.TempDir()), "2025-11-25", nil, dir)
	for _, tt := range []struct {
		name      string
		arguments map[string]any
		want      []string // file:line:column:text
		truncated bool
	}{
		{"literal", map[string]any{"query": "foo.bar"}, []string{"b/b.txt:1:1:foo.bar"}, false},
		{"regexp", map[string]any{"query": "o.b", "regexp": true}, []string{"b/b.txt:1:3:foo.bar", "b/b.txt:2:3:fooxbar"}, false},
		{"in any case", map[string]any{"query": "FOO", "ignoreCase": true, "include": "*.go"}, []string{"a.go:3:6:func Foo() {}"}, false},
		{"in this case", map[string]any{"query": "FOO"}, nil, false},
		{"ends of lines", map[string]any{"query": "^func.*}$", "regexp": true}, []string{"a.go:3:1:func Foo() {}"}, false},
		{"not across lines", map[string]any{"query": `a\s+func`, "regexp": true}, nil, false},
		{"alternatives in any case", map[string]any{"query": "FOOX|xyz", "regexp": true, "ignoreCase": true}, []string{"b/b.txt:2:1:fooxbar"}, false},
		{"neither binary nor large", map[string]any{"query": "foo"},
			[]string{"b/b.txt:1:1:foo.bar", "b/b.txt:2:1:fooxbar", "just:1:1:foo", "latin1:1:6:caf? foo"}, false},
		{"limit", map[string]any{"query": "foo", "limit": 2}, []string{"b/b.txt:1:1:foo.bar", "b/b.txt:2:1:fooxbar"}, true},
		{"as many as the limit", map[string]any{"query": "foo", "include": "b.txt", "limit": 2}, []string{"b/b.txt:1:1:foo.bar", "b/b.txt:2:1:fooxbar"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out searchOutput
			text, isError := call(t, session, "search_text", tt.arguments, &out)
			if isError {
				t.Fatal(text)
			}
			var got []string
			for _, m := range out.Matches {
				rel, _ := filepath.Rel(dir, m.File)
				got = append(got, fmt.Sprintf("%s:%d:%d:%s", filepath.ToSlash(rel), m.Line, m.Column, m.Text))
				if !strings.Contains(text, m.File) || !strings.Contains(text, m.Text) {
					t.Errorf("the text is without %+v: %s", m, text)
				}
			}
			if !slices.Equal(got, tt.want) || out.Truncated != tt.truncated {
				t.Errorf("got  %q, truncated %v\nwant %q", got, out.Truncated, tt.want)
			}
		})
	}
}

func TestToolsRefuse(t *testing.T) {
	_, session := connect(t, newServer("1", t.TempDir()), "2025-11-25", nil)
	for _, tt := range []struct {
		name, tool string
		arguments  map[string]any
		reason     string
	}{
		{"no regular expression", "search_text", map[string]any{"query": "(", "regexp": true}, "RE2"},
		{"two lines", "search_text", map[string]any{"query": "a\nb"}, "line break"},
		{"nothing", "search_text", map[string]any{"query": ""}, "minLength"},
		{"a huge expression", "search_text", map[string]any{"query": "((a{1000}){1000}){1000}", "regexp": true}, "RE2"},
		{"a bad include", "search_text", map[string]any{"query": "a", "include": "["}, "include"},
		{"no limit", "find_files", map[string]any{"pattern": "", "limit": 0}, "minimum"},
		{"too high a limit", "find_files", map[string]any{"pattern": "", "limit": maxResults + 1}, "maximum"},
		{"a bad pattern", "find_files", map[string]any{"pattern": "{"}, "glob"},
		{"an unknown argument", "find_files", map[string]any{"pattern": "", "x": 1}, "x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if text, isError := call(t, session, tt.tool, tt.arguments, nil); !isError || !strings.Contains(text, tt.reason) {
				t.Errorf("got %q, want an error about %q", text, tt.reason)
			}
		})
	}
}

func TestFindFilesLimit(t *testing.T) {
	dir := tree(t, map[string]string{"a": "", "b": "", "c\nd": ""})
	_, session := connect(t, newServer("1", t.TempDir()), "2025-11-25", nil, dir)
	for limit, truncated := range map[int]bool{1: true, 2: true, 3: false, 4: false} {
		var out findOutput
		text, isError := call(t, session, "find_files", map[string]any{"pattern": "", "limit": limit}, &out)
		if isError || len(out.Files) != min(limit, 3) || out.Truncated != truncated {
			t.Errorf("limit %d: %+v %s", limit, out, text)
		}
		if strings.Contains(text, "c\nd") {
			t.Errorf("a name is two lines: %q", text)
		}
	}
}

func TestSearchProgress(t *testing.T) {
	told := make(chan *mcp.ProgressNotificationParams, 100)
	_, session := connect(t, newServer("1", t.TempDir()), "2025-11-25", &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { told <- req.Params },
	}, tree(t, map[string]string{"a": "x", "b": "x"}))
	params := &mcp.CallToolParams{Name: "search_text", Arguments: map[string]any{"query": "x"}}
	params.SetProgressToken("token")
	if _, err := session.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	if p := <-told; p.ProgressToken != "token" || p.Progress != 1 || p.Message == "" {
		t.Errorf("told %+v", p)
	}
}

// A caller that gives up waits for no turn.
func TestSearchCancelled(t *testing.T) {
	s := newServer("1", t.TempDir())
	for range maxWalks {
		s.walks <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.walk(ctx, folders(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("a", 1000)
	for _, tt := range []struct {
		name, line string
		at         int
		want       string
	}{
		{"short", "abc", 1, "abc"},
		{"just short enough", long[:maxLine], 0, long[:maxLine]},
		{"at the beginning", "X" + long, 0, "X" + long[:maxLine-1]},
		{"in the middle", long + "X" + long, 1000, long[:maxLine/4] + "X" + long[:maxLine-maxLine/4-1]},
		{"at the end", long + "X", 1000, long[:maxLine-1] + "X"},
		{"runes stay whole", strings.Repeat("é", 200), 0, strings.Repeat("é", maxLine/2)},
		{"not UTF-8", "a\xffb", 0, "a?b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := excerpt([]byte(tt.line), tt.at); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
