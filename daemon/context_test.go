package daemon

import (
	"maps"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// The variables of a context (editor protocol, section 5).
func TestContextVars(t *testing.T) {
	text := ""
	for _, tt := range []struct {
		name  string
		where *editorapi.Context
		want  map[string]string
	}{
		{"none", nil, map[string]string{}},
		{"nothing in it", &editorapi.Context{}, map[string]string{}},
		{"a file in a folder", &editorapi.Context{TextDocument: &editorapi.TextDocument{URI: "file:///w/b%20c/x.go"}}, map[string]string{
			"file": "/w/b c/x.go", "fileDirname": "/w/b c", "fileBasename": "x.go", "relativeFile": "b c/x.go",
		}},
		{"a file beside the folders", &editorapi.Context{TextDocument: &editorapi.TextDocument{URI: "file:///wide/x"}}, map[string]string{
			"file": "/wide/x", "fileDirname": "/wide", "fileBasename": "x",
		}},
		{"a name that begins with dots", &editorapi.Context{TextDocument: &editorapi.TextDocument{URI: "file:///w/..x"}}, map[string]string{
			"file": "/w/..x", "fileDirname": "/w", "fileBasename": "..x", "relativeFile": "..x",
		}},
		{"no file", &editorapi.Context{TextDocument: &editorapi.TextDocument{URI: "untitled:1"}}, map[string]string{}},
		{"an empty selection", &editorapi.Context{SelectedText: &text, LanguageID: "go", Range: &editorapi.Range{Start: editorapi.Position{Line: 4}}}, map[string]string{
			"selectedText": "", "languageId": "go", "lineNumber": "5",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := contextVars(tt.where, []string{"/v", "/w"}); !maps.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
