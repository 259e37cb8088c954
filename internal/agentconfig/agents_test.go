package agentconfig

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// mine is the entry that tests enter.
var mine = []Entry{{"mcp-editord", []string{"/usr/bin/mcp-editord", "mcp"}}}

func agent(t *testing.T, name string) Agent {
	t.Helper()
	all := Agents()
	i := slices.IndexFunc(all, func(a Agent) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("no agent %q", name)
	}
	return all[i]
}

// noNewline ends a file in an archive that does not end with a newline.
const noNewline = "<no newline>\n"

func unpacked(data []byte) []byte {
	if text, ok := bytes.CutSuffix(data, []byte(noNewline)); ok {
		return text
	}
	return data
}

// Each archive has a file of an agent before it is connected, or none, and after.
func TestConnect(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, _, _ := strings.Cut(strings.TrimPrefix(string(archive.Comment), "agent: "), "\n")
			a := agent(t, name)
			var before []byte
			var there bool
			var want []byte
			for _, f := range archive.Files {
				switch f.Name {
				case "before":
					before, there = unpacked(f.Data), true
				case "after":
					want = unpacked(f.Data)
				}
			}
			made, _, err := a.connected(before, mine, false)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(made, want) {
				t.Fatalf("connected it is\n%s\nwant\n%s", made, want)
			}
			for _, style := range []struct {
				name string
				of   func([]byte) []byte
			}{
				{"as it is", bytes.Clone},
				{"with CRLF", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }},
			} {
				if style.name != "as it is" && !bytes.Contains(before, []byte("\n")) {
					continue
				}
				t.Run(style.name, func(t *testing.T) { roundTrip(t, a, style.of(before), style.of(want), there) })
			}
		})
	}
}

// roundTrip connects a file, again, and takes the entry out: with the copy of the file before, and by
// what the file says alone.
func roundTrip(t *testing.T, a Agent, before, want []byte, there bool) {
	had := a.connects(before)
	made, _, err := a.connected(before, mine, false)
	if err != nil || strings.TrimRight(string(before), "\r\n") != "" && !bytes.Equal(made, want) {
		t.Fatalf("connected it is\n%q, %v; want\n%q", made, err, want)
	}
	again, changes, err := a.connected(made, mine, false)
	if err != nil || len(changes) > 0 || !bytes.Equal(again, made) {
		t.Errorf("a second time changes %v, %v", changes, err)
	}
	var copies [][]byte
	if there {
		copies = [][]byte{before}
	}
	gone, _, err := a.disconnected(made, copies)
	if err != nil {
		t.Fatal(err)
	}
	if a.connects(gone) {
		t.Errorf("disconnected it still has the entry:\n%s", gone)
	}
	if !had && there && !bytes.Equal(gone, before) {
		t.Errorf("disconnected it is\n%q, want\n%q", gone, before)
	}
	if had || len(bytes.TrimSpace(before)) == 0 {
		return
	}
	alone, _, err := a.disconnected(made, nil)
	if err != nil {
		t.Fatal(err)
	}
	if string(alone) != string(before) && !looseEnd(a, before) {
		t.Errorf("without the copy it is\n%q, want\n%q", alone, before)
	}
}

// looseEnd reports whether taking out an entry need not give the text from before: it had no servers, they were an empty
// object with white space in it, or all of it was one line. TOML may have had no newline at its end.
func looseEnd(a Agent, before []byte) bool {
	if a.Name == "codex" {
		return !bytes.HasSuffix(before, []byte("\n"))
	}
	return len(a.servers(before)) == 0 || !bytes.Contains(before, []byte("\n"))
}
