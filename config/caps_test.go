package config

import (
	"fmt"
	"strings"
	"testing"
)

// many returns a file with a number of servers, each with a number of variables that all differ.
// They are written so that no search of the text finds them.
func many(name string, servers, variables int) string {
	var b strings.Builder
	b.WriteString(`{"servers": {`)
	n := 0
	for i := range servers {
		fmt.Fprintf(&b, `"%s%d": {"command": "c", "args": ["`, name, i)
		for range variables {
			fmt.Fprintf(&b, `$\u007binput:%x}`, n)
			n++
		}
		b.WriteString(`"]},`)
	}
	b.WriteString(`}}`)
	return b.String()
}

// Promise 4: a file of a folder has no more servers and variables than you can look through.
func TestPromise4FileOfAFolderIsBounded(t *testing.T) {
	for _, test := range []struct {
		name, text string
		source     Source
		servers    int
		problem    string
	}{
		{"servers at the limit", many("s", 100, 1), folderSource, 100, ""},
		{"servers over it", many("s", 101, 1), folderSource, 100, `server "s100" and all servers after it are ignored: the file has more than 100 servers`},
		{"servers in both maps", `{"servers": {"a": {"command": "c"}}, "mcpServers": ` + strings.TrimPrefix(strings.TrimSuffix(many("s", 100, 0), "}"), `{"servers": `) + `}`, folderSource, 100, "more than 100 servers"},
		{"variables at the limit", many("s", 2, 500), folderSource, 2, ""},
		{"variables over it", many("s", 3, 400), folderSource, 2, `server "s2" and all servers after it are ignored: the file has more than 1000 variables`},
		{"one server with all that fits in a file", many("s", 1, 45_000), folderSource, 0, "more than 1000 variables"},
		{"the user's own", many("s", 200, 200), userSource, 200, ""},
		{"all that fits in the user's own", many("s", 1, 45_000), userSource, 1, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := ParseFile([]byte(test.text), test.source)
			if file.Broken || len(file.Servers) != test.servers {
				t.Fatalf("%d servers, problems %+v", len(file.Servers), file.Problems)
			}
			found := 0
			for _, p := range file.Problems {
				if p.Severity == severityError {
					found++
					if test.problem == "" || !strings.Contains(p.Message, test.problem) {
						t.Errorf("problem %+v", p)
					}
				}
			}
			if (found == 1) != (test.problem != "") {
				t.Errorf("%d errors", found)
			}
		})
	}
}

// Promise 4: all files of an editor's folders together hold no more than the editor can be sent,
// and the user's servers stay.
func TestPromise4FilesOfFoldersTogetherAreBounded(t *testing.T) {
	user := ParseFile([]byte(many("s", 400, 0)), userSource)
	var folders []*File
	for i := range 4 {
		source := Source{URI: fmt.Sprintf("file:///w%d/.mcp.json", i), Folder: fmt.Sprintf("/w%d", i)}
		folders = append(folders, ParseFile([]byte(many(fmt.Sprintf("f%d-", i), 90, 0)), source))
	}
	set := Merge("/x", user, nil, folders)
	if len(set.Servers) != 400+300 {
		t.Errorf("%d servers", len(set.Servers))
	}
	problem := set.Problems[len(set.Problems)-1]
	if problem.URI != "file:///w3/.mcp.json" || !strings.Contains(problem.Message, `server "f3-30" and all servers after it`) {
		t.Errorf("problem %+v", problem)
	}
	large := func(i int) *File {
		text := fmt.Sprintf(`{"servers": {"large%d": {"command": "c", "args": [%q]}}}`, i, strings.Repeat("x", 300<<10))
		return ParseFile([]byte(text), Source{URI: "file:///w/.mcp.json", Folder: "/w"})
	}
	if set = Merge("/x", nil, nil, []*File{large(1), large(2)}); len(set.Servers) != 1 || len(set.Problems) != 1 {
		t.Errorf("%d servers over 512 KiB", len(set.Servers))
	}
	// An input counts for each server that shows it.
	uses := ParseFile([]byte(fmt.Sprintf(`{"inputs": [{"id": "i", "default": %q}], "servers": {
		"a": {"command": "${input:i}"}, "b": {"command": "${input:i}"}, "c": {"command": "${input:i}"}}}`, strings.Repeat("x", 200<<10))), folderSource)
	if set = Merge("/x", nil, nil, []*File{uses}); len(set.Servers) != 2 {
		t.Errorf("%d servers with an input of 200 KiB", len(set.Servers))
	}
}

// Unknown keys count towards the limit of problems, and beyond it nobody searches for near names.
func TestProblemsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&b, `"comma%d": 1,`, i)
	}
	file := ParseFile([]byte(`{"servers": {"a": {"command": "c",`+b.String()+`}}}`), folderSource)
	if len(file.Servers) != 1 || len(file.Problems) != maxProblems+1 || !strings.Contains(file.Problems[maxProblems].Message, "more problems") {
		t.Errorf("%d servers, %d problems", len(file.Servers), len(file.Problems))
	}
}
