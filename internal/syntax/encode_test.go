package syntax

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

func TestScalar(t *testing.T) {
	for text, want := range map[string]string{
		"abc": "abc", "a b-c": "a b-c", "ü€": "ü€", "/a/b.go": "/a/b.go", "1.2.3": "1.2.3", "yes": "yes", "_x": "_x", "${x}": `"${x}"`,
		"": `""`, "true": `"true"`, "null": `"null"`, "~": `"~"`, "1": `"1"`, "1e3": `"1e3"`, "0x1f": `"0x1f"`, " a": `" a"`, "a ": `"a "`,
		"a: b": `"a: b"`, "a:": `"a:"`, "a:b": `"a:b"`, "a #b": `"a #b"`, "- a": `"- a"`, "-a": `"-a"`, "---": `"---"`, "...": `"..."`, "<<": `"<<"`, "&a": `"&a"`, "a, b": `"a, b"`, "[a": `"[a"`,
		"a\nb": `"a\nb"`, "a\tb": `"a\tb"`, "a\rb": `"a\rb"`, `a"b`: `a"b`, `"a`: `"\"a"`, `\a`: `"\\a"`, "a\u2028": `"a\u2028"`, "\ufeffa": `"\ufeffa"`, "a\u0085b": `"a\u0085b"`, "\x00": `"\u0000"`, "a\xffb": "\"a\ufffdb\"",
		"vim": `"vim"`, "vim: set ro": `"vim\u003a set ro"`, "local variables:": `"local variables\u003a"`, "a -*- b": `"a -\u002a- b"`,
		"a\u202eb": `"a\u202eb"`, "a\u200bb": `"a\u200bb"`, "a\u2800": `"a\u2800"`, "a\U000e0041": `"a\udb40\udc41"`,
	} {
		if got := Scalar(text); got != want {
			t.Errorf("Scalar(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestEncode(t *testing.T) {
	for name, c := range map[string]struct{ value, want string }{
		"text":            {`"a, b"`, ` a, b`},
		"quoted":          {`"true"`, ` "true"`},
		"number":          {`1.10`, ` 1.10`},
		"nothing":         {`null`, ` null`},
		"empty":           {`{"a": {}, "b": []}`, "\n  a: {}\n  b: []"},
		"lines":           {`"x\ny"`, " |-\n  x\n  y"},
		"lines with end":  {`"x\ny\n"`, " |\n  x\n  y"},
		"lines with ends": {`"x\n\n"`, " |+\n  x\n"},
		"begins blank":    {`" x\ny"`, " |2-\n   x\n  y"},
		"only a line end": {`"\n"`, " |2+\n"},
		"not in a block":  {`"x\r\ny"`, ` "x\r\ny"`},
		"turned around":   {`"x\u202e\ny"`, ` "x\u202e\ny"`},
		"settings":        {`"x\nvim: set ro"`, ` "x\nvim\u003a set ro"`},
		"a picture":       {`"x\u200d\ny"`, " |-\n  x\u200d\n  y"},
		"list":            {`["a", {"b": 1, "c": [2]}, [3, [4]], [], "x\ny"]`, "\n  - a\n  - b: 1\n    c:\n      - 2\n  - - 3\n    - - 4\n  - []\n  - |-\n    x\n    y"},
		"keys":            {`{"a b": 1, "a: b": 2, "": 3, "a.b": 4}`, "\n  a b: 1\n  \"a: b\": 2\n  \"\": 3\n  a.b: 4"},
		"a key twice":     {`{"a": 1, "a": 2}`, "\n  a: 1"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Encode(json.RawMessage(c.value), 0); got != c.want {
				t.Errorf("Encode(%s) = %q, want %q", c.value, got, c.want)
			}
		})
	}
}

// decoded returns the JSON value that a node is.
func decoded(n *Node) any {
	switch n.Kind {
	case String:
		return n.Text
	case List:
		list := []any{}
		for _, i := range n.Items {
			list = append(list, decoded(i))
		}
		return list
	case Map:
		m := map[string]any{}
		for _, member := range n.Members {
			m[member.Key] = decoded(member.Value)
		}
		return m
	}
	var v any
	if err := json.Unmarshal([]byte(n.JSON()), &v); err != nil {
		panic(n.JSON())
	}
	return v
}

// parsed reads a text that must be one good document.
func parsed(t *testing.T, text string) *Node {
	t.Helper()
	docs, problems := ParseYAML(text)
	if len(docs) != 1 || len(problems) > 0 {
		t.Fatalf("%q: %d documents, problems %+v", text, len(docs), problems)
	}
	return docs[0].Root
}

// FuzzEncode writes a text everywhere where a text may stand, and reads it back.
func FuzzEncode(f *testing.F) {
	for _, s := range []string{"", " a", "a ", "\ta\nb", "\n", "\n\n", " \n", "\n \n", "a\n\n", "a\n ", "a\r\nb", "---\nx", "#a", "a: b", "- a", "true", "1e3", "\u2028a", "\u0085", "\ufeff", "a\x00b", "'", `"\`, "😀", "|", "a\n---\n", "\n\ta", "...", "a\n...\nb"} {
		f.Add(s, 2)
	}
	f.Fuzz(func(t *testing.T, s string, indent int) {
		if !utf8.ValidString(s) || len(s) > maxBytes/8 {
			return
		}
		scalar := Scalar(s)
		if strings.ContainsAny(scalar, "\n\r") {
			t.Fatalf("Scalar(%q) = %q is not one line", s, scalar)
		}
		quoted := rawjson.Quote(s)
		value := json.RawMessage(`{"k":` + string(quoted) + `,"l":[` + string(quoted) + `,[` + string(quoted) + `],{` + string(quoted) + `:` + string(quoted) + `,"n":` + string(quoted) + `}]}`)
		list := []any{s, []any{s}, map[string]any{s: s, "n": s}}
		if s == "n" {
			list[2] = map[string]any{s: s}
		}
		want := map[string]any{
			"a": s, "f": []any{s, map[string]any{s: s}},
			"e": map[string]any{"k": s, "l": list}, "z": "z",
		}
		text := "a: " + scalar + "\nf: [" + scalar + ", {" + scalar + ": " + scalar + "}]\ne:" + Encode(value, 0) + "\nz: z\n"
		if got := decoded(parsed(t, text)); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q\n is %q\nwant %q", text, got, want)
		}
		if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' }) {
			return
		}
		indent = indent & 7
		blanks := strings.Repeat(" ", indent)
		text = blanks + "a: " + Block(s, indent) + "\n" + blanks + "z: z"
		if got := decoded(parsed(t, text)); !reflect.DeepEqual(got, map[string]any{"a": s, "z": "z"}) {
			t.Fatalf("%q is %q, want %q", text, got, s)
		}
	})
}

func TestJSONNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"1": "1", "-0": "-0", "+1": "1", "007": "7", "-.5": "-0.5", "1.": "1", "1.50": "1.50", "00.5e+3": "0.5e+3", "0x1F": "31", "0o17": "15", "0": "0", "0xffffffffffffffff": "18446744073709551615",
	} {
		n := Node{Kind: kindOf(text), Text: text}
		if got := n.JSON(); n.Kind != Number || got != want || !json.Valid([]byte(got)) {
			t.Errorf("JSON of %s is %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{".", "1_0", "0b1", ".inf", "-", "e3", "0x", "1e", "--1", "0xfffffffffffffffff", "1:30"} {
		if kindOf(text) != String {
			t.Errorf("%s is no text", text)
		}
	}
}

func TestParseJSONC(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"comments":        {"// c\n{/* c */ \"a\": [1, true,], // c\n \"ü\": null,} // c", `"{/* c */ \"a\": [1, true,], // c\n \"ü\": null,}"{"a"="\"a\"":"[1, true,]"[number"1""1" bool"true""true"] "ü"="\"ü\"":null"null"}`},
		"byte order mark": {"\ufeff\"a\\n\"", `string"a\n""\"a\\n\""`},
		"nothing":         {" // c", "nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			root, problems := ParseJSONC(c.text)
			if got := outline(c.text, root); got != c.want || len(problems) > 0 {
				t.Errorf("ParseJSONC = %s, %v, want %s", got, problems, c.want)
			}
		})
	}
	for name, c := range map[string]struct {
		text, want string
		at         int
	}{
		"missing value": {"{\"ä\":\n  }", "", 9},
		"open":          {`{"a": 1`, "", 7},
		"duplicate":     {`{"a": 1, "a": 2}`, "first one counts", 9},
		"too deep":      {strings.Repeat("[", maxDepth+1), "deep", maxDepth},
		"too many":      {"[" + strings.Repeat("1,", maxNodes) + "1]", "values", 0},
		"too large":     {strings.Repeat(" ", maxBytes+1), "1 MiB", 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := ParseJSONC(c.text)
			if len(problems) != 1 || problems[0].Start != c.at || !strings.Contains(problems[0].Message, c.want) {
				t.Errorf("problems %+v, want one at %d with %q", problems, c.at, c.want)
			}
		})
	}
	if root, _ := ParseJSONC(`{"a": "` + strings.Repeat("[", maxDepth+1) + `"} // ` + strings.Repeat("{", maxDepth+1)); root == nil {
		t.Error("brackets in texts and comments count")
	}
}

func TestFind(t *testing.T) {
	root := parsed(t, "a:\n  - x\n  - b: y")
	for name, c := range map[string]struct {
		path []Step
		want string
	}{
		"root":        {nil, "map"},
		"found":       {[]Step{{"a", -1}, {"", 1}, {"b", -1}}, "y"},
		"no key":      {[]Step{{"c", -1}, {"b", -1}}, ""},
		"no item":     {[]Step{{"a", -1}, {"", 2}}, ""},
		"not a list":  {[]Step{{"", 0}}, ""},
		"not a map":   {[]Step{{"a", -1}, {"b", -1}}, ""},
		"in a scalar": {[]Step{{"a", -1}, {"", 0}, {"b", -1}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if n := Find(root, c.path); n != nil && n.Kind == Map {
				got = "map"
			} else if n != nil {
				got = n.Text
			}
			if got != c.want {
				t.Errorf("Find = %q, want %q", got, c.want)
			}
		})
	}
}

// Find returns the node that a path leads to; nil when there is none.
func Find(root *Node, path []Step) *Node {
	for _, s := range path {
		switch {
		case root == nil:
			return nil
		case s.Index >= 0:
			if root.Kind != List || s.Index >= len(root.Items) {
				return nil
			}
			root = root.Items[s.Index]
		default:
			root = root.Member(s.Key)
		}
	}
	return root
}
