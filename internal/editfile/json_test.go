package editfile

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Each archive has a text before and after, and what is done: its first word, and the rest separated by " | ".
func TestJSON(t *testing.T) {
	t.Parallel()
	archives, _ := filepath.Glob("testdata/*.txtar")
	if len(archives) == 0 {
		t.Fatal("there is no testdata")
	}
	for _, path := range archives {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			before, after := string(archive.Files[0].Data), string(archive.Files[1].Data)
			text := []byte(before)
			for line := range strings.Lines(string(archive.Comment)) {
				what, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
				words := strings.Split(rest, " | ")
				switch what {
				case "set":
					text, err = SetJSON(text, strings.ReplaceAll(words[0], "⏎", "\n"), words[1:]...)
				case "append":
					text, err = AppendJSON(text, strings.ReplaceAll(words[0], "⏎", "\n"), words[1])
				case "remove":
					text, err = RemoveJSON(text, words[0], words[1])
				default:
					t.Fatalf("nothing does %q", what)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if string(text) != after {
				t.Errorf("got\n%s\nwant\n%s", text, after)
			}
			if crlf, err := DecodeJSON([]byte(strings.ReplaceAll(before, "\n", "\r\n"))); err != nil || crlf == nil {
				t.Errorf("with CRLF: %v", err)
			}
		})
	}
}

// What cannot be done leaves the text alone and says why, without what the text says.
func TestJSONRefuses(t *testing.T) {
	t.Parallel()
	set := func(text string) ([]byte, error) { return SetJSON([]byte(text), "1", "servers", "a") }
	add := func(text string) ([]byte, error) { return AppendJSON([]byte(text), "1", "inputs") }
	remove := func(text string) ([]byte, error) { return RemoveJSON([]byte(text), "servers", "a") }
	for name, test := range map[string]struct {
		do         func(string) ([]byte, error)
		text, want string
	}{
		"not JSON":                {set, "{\n  tok-secret}", "not valid JSON at line 2"},
		"a list":                  {add, "[]", "not a JSON object"},
		"servers are a list":      {set, `{"servers": []}`, `"servers" is not an object`},
		"inputs are an object":    {add, `{"inputs": {}}`, `"inputs" is not a list`},
		"there is nothing to go":  {remove, `{"servers": {}}`, "no servers.a"},
		"there are no servers":    {remove, `{}`, "no servers.a"},
		"more brackets than fits": {set, `{"a": ` + strings.Repeat("[", 250_000), "brackets"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, err := test.do(test.text)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("error %v, want %q; it made %q", err, test.want, made)
			}
		})
	}
}
