package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// described writes a place on one line: its path, what is written there, what stands before the cursor and what would be replaced.
func described(text string, p Place) string {
	var b strings.Builder
	for _, s := range p.Path {
		if s.Index >= 0 {
			fmt.Fprintf(&b, "[%d]", s.Index)
		} else {
			b.WriteString("." + s.Key)
		}
	}
	if p.Nothing {
		return "nothing"
	}
	if p.InKey {
		fmt.Fprintf(&b, " key %v", p.Keys)
	} else {
		b.WriteString(" value")
	}
	fmt.Fprintf(&b, " %q %q", p.Prefix, text[p.Replace.Start:p.Replace.End])
	for _, flag := range []struct {
		set  bool
		name string
	}{{p.Colon, "colon"}, {p.Quoted, "quoted"}, {p.Block, "block"}, {p.Flow, "flow"}} {
		if flag.set {
			b.WriteString(" " + flag.name)
		}
	}
	if p.InKey && !p.Flow {
		fmt.Fprintf(&b, " in %d", p.Indent)
	}
	return strings.TrimPrefix(b.String(), " ")
}

func TestAtYAML(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":                     {"‸", `key [] "" "" in 0`},
		"first key":                 {"ca‸", `key [] "ca" "ca" in 0`},
		"before a key":              {"‸call: x", `key [] "" "call" colon in 0`},
		"in a key":                  {"ca‸ll: x\nwith:\n", `key [with] "ca" "call" colon in 0`},
		"next key":                  {"call: x\nwi‸\nresult: y", `key [call result] "wi" "wi" in 0`},
		"empty line":                {"call: x\n‸\nresult: y", `key [call result] "" "" in 0`},
		"end of the text":           {"call: x\n‸", `key [call] "" "" in 0`},
		"value":                     {"call: a.‸b c\nwith:", `.call value "a." "a.b c"`},
		"no value yet":              {"call: ‸\nwith:", `.call value "" ""`},
		"no value, comment":         {"call: ‸ # c", `.call value "" ""`},
		"right behind the colon":    {"call:‸", `nothing`},
		"blanks behind a value":     {"call: a ‸", `.call value "a " "a "`},
		"quoted":                    {"call: \"a \\\"‸b\" # c", `.call value "a \"" "\"a \\\"b\"" quoted`},
		"single quotes":             {"call: 'it''s‸'", `.call value "it's" "'it''s'" quoted`},
		"open quote":                {"call: \"ab‸\nwith:\n  x: \"y\"", `.call value "ab" "\"ab" quoted`},
		"below an open quote":       {"call: \"ab\nwi‸", `key [call] "wi" "wi" in 0`},
		"quotes over lines":         {"call: \"a\n  b‸\"", `.call value "a\n  b" "" quoted block`},
		"below quotes over lines":   {"- \"a: b\n  - c\"\n- d‸", `[1] key [] "d" "d" in 2`},
		"first in with":             {"with:\n  ‸", `.with key [] "" "" in 2`},
		"in with":                   {"with:\n  ti‸", `.with key [] "ti" "ti" in 2`},
		"in with, more":             {"with:\n  title: x\n  ‸\n  body: y\nresult: z", `.with key [title body] "" "" in 2`},
		"after with":                {"with:\n  title: x\n‸", `key [with] "" "" in 0`},
		"before members":            {"with:\n  ‸\n  body: y", `.with key [body] "" "" in 2`},
		"key after a bad line":      {"with:\n  title\n  bo‸", `.with key [] "bo" "bo" in 2`},
		"with, not indented":        {"with:\n‸", `key [with] "" "" in 0`},
		"between columns":           {"with:\n    a: x\n  ‸", `nothing`},
		"deeper than a text":        {"a: x\n  y‸", `.a value "y" "y" block`},
		"empty below a text":        {"a: x\n  ‸", `nothing`},
		"quoted key":                {"with:\n  \"a b\": 1\n  \"a‸", `.with key [a b] "a" "\"a" quoted in 2`},
		"quoted key with a colon":   {"with:\n  \"a: ‸b\": 1", `.with key [] "a: " "\"a: b\"" colon quoted in 2`},
		"nested":                    {"a:\n  b:\n    c: x\n  d:\n    ‸", `.a.d key [] "" "" in 4`},
		"list item":                 {"a:\n  - x\n  - y‸", `.a[1] key [] "y" "y" in 4`},
		"empty item":                {"a:\n  - ‸", `.a[0] key [] "" "" in 4`},
		"right behind a dash":       {"a:\n  -‸", `nothing`},
		"map in a list":             {"a:\n  - b: 1\n    c‸\n    d: 2\n  - e: 3", `.a[0] key [b d] "c" "c" in 4`},
		"value in a list":           {"a:\n- b: 1\n- c: x‸", `.a[1].c value "x" "x"`},
		"below a list in its key's": {"a:\n- b\n‸", `key [a] "" "" in 0`},
		"lists in lists":            {"- - a\n  - b‸", `[0][1] key [] "b" "b" in 4`},
		"comment":                   {"# a‸", `nothing`},
		"comment behind a value":    {"a: x # y‸", `nothing`},
		"block":                     {"a: |\n  x ${‸y\nb: 1", `.a value "x ${" "x ${y" block`},
		"block with a key in it":    {"a: |\n  b:\n    ‸", `.a value "" "" block`},
		"empty line in a block":     {"a: |\n  b\n  ‸\n  c", `.a value "" "" block`},
		"behind a block":            {"a: |\n  b: 1\n‸", `key [a] "" "" in 0`},
		"behind a block in with":    {"with:\n  a: |\n    b\n  ‸", `.with key [a] "" "" in 2`},
		"header of a block":         {"a: |‸\n  b", `nothing`},
		"block in a list":           {"a:\n  - |\n    x‸\n", `.a[0] value "x" "x" block`},
		"flow":                      {"with: {a: 1, b‸}", `.with key [a] "b" "b" flow`},
		"open flow":                 {"with: {a: 1, ‸\nresult: x", `.with key [a] "" "" flow`},
		"empty flow":                {"with: {‸}", `.with key [] "" "" flow`},
		"flow value":                {"with: {a: ‸, b: 1}", `.with.a value "" "" flow`},
		"flow list":                 {"with: {a: [x, y z‸", `.with.a[1] value "y z" "y z" flow`},
		"flow over lines":           {"with: {\n  a: 1,\n  ‸\n  b: 2\n}\nresult:", `.with key [a b] "" "" flow`},
		"below an open flow":        {"with: {a: 1\nre‸", `key [with] "re" "re" in 0`},
		"below flow":                {"with: {\n}\nre‸", `key [with] "re" "re" in 0`},
		"flow on its own line":      {"with:\n  {a: 1, ‸}", `.with key [a] "" "" flow`},
		"flow at the root":          {"{a: 1, b: {c: ‸}}", `.b.c value "" "" flow`},
		"flow, quoted":              {`{"a": "x‸", 'b': 1}`, `.a value "x" "\"x\"" quoted flow`},
		"flow comment":              {"{a: 1, # ‸\n}", `nothing`},
		"after ---":                 {"\nca‸", `key [] "ca" "ca" in 0`},
		"CRLF":                      {"call: x\r\nwith:\r\n  ti‸\r\n  b: 1\r\n", `.with key [b] "ti" "ti" in 2`},
		"many bytes":                {"ä: ü‸€", `.ä value "ü" "ü€"`},
	} {
		t.Run(name, func(t *testing.T) { testAt(t, YAML, c.text, c.want) })
	}
}

func TestAtJSONC(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":               {"‸", `value "" "" flow`},
		"first key":           {"{‸}", `key [] "" "" flow`},
		"open":                {"{‸", `key [] "" "" flow`},
		"open key":            {"{\n  \"ser‸\n}", `key [] "ser" "\"ser" quoted flow`},
		"key":                 {`{"se‸rv": 1, "b": 2}`, `key [b] "se" "\"serv\"" colon quoted flow`},
		"key without quotes":  {"{\n  se‸\n}", `key [] "se" "se" flow`},
		"value":               {`{"a": {"b": tr‸ue}}`, `.a.b value "tr" "true" flow`},
		"no value":            {`{"a": ‸}`, `.a value "" "" flow`},
		"no colon":            {`{"a" ‸}`, `nothing`},
		"no comma":            {`{"a": 1 ‸}`, `nothing`},
		"no comma, next line": {"{\"a\": 1\n  ‸\n  \"b\": 2}", `key [a b] "" "" flow`},
		"no comma, typed":     {"{\"a\": 1\n  \"c‸\"\n  \"b\": 2}", `key [a b] "c" "\"c\"" quoted flow`},
		"list":                {`{"a": [1, ‸]}`, `.a[1] value "" "" flow`},
		"list, no comma":      {"[\"a\"\n\"b‸\"", `[1] value "b" "\"b\"" quoted flow`},
		"list of maps":        {`[{"a": 1}, {"b": 2, ‸`, `[1] key [b] "" "" flow`},
		"open brace inside":   {`{"a": {"b": 1, "c": [‸}`, `.a.c[0] value "" "" flow`},
		"comma first":         {`{"a": 1, ‸, "b": 2}`, `key [a b] "" "" flow`},
		"line comment":        {"{ // ‸\n}", `nothing`},
		"block comment":       {"{ /* ‸ */ }", `nothing`},
		"behind a comment":    {"{ /* */ ‸ }", `key [] "" "" flow`},
		"braces in texts":     {`{"a": "}", "b": "{", ‸`, `key [a b] "" "" flow`},
		"keys after a map":    {`{‸ "a": {"x": 1}, "b": [{"y": 2}]} {"c"`, `key [a b] "" "" flow`},
		"behind all":          {"{}\n‸", `nothing`},
	} {
		t.Run(name, func(t *testing.T) { testAt(t, JSONC, c.text, c.want) })
	}
}

func testAt(t *testing.T, format Format, marked, want string) {
	t.Helper()
	before, after, _ := strings.Cut(marked, "‸")
	text := before + after
	if got := described(text, At(format, text, len(before))); got != want {
		t.Errorf("At(%q)\n got %s\nwant %s", marked, got, want)
	}
}

func FuzzAt(f *testing.F) {
	for _, s := range []string{"a: x\nb:\n  - c: |\n      d\n  - {e: [\"f", "{\"a\": [1, // c\n{\"b\": /* c */ tr", "- - 'x\n  y': {a\n}\n? z", "\"a\\u00", "a:\r\n  \"b\\"} {
		f.Add(s, len(s)/2)
		f.Add(s, len(s))
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		for _, format := range []Format{YAML, JSONC} {
			p := At(format, text, at)
			at := min(max(at, 0), len(text))
			if p.Replace.Start < 0 || p.Replace.End > len(text) || !p.Nothing && !p.Replace.Contains(at) {
				t.Fatalf("At(%d, %q, %d) = %+v", format, text, at, p)
			}
			if p.InKey && p.Quoted && !p.Flow && p.Replace.Start == p.Replace.End {
				t.Fatalf("At(%d, %q, %d) = %+v", format, text, at, p)
			}
		}
	})
}

// FuzzAtParsed looks at each scalar of a text that is complete: At must know the place that the parser gave it.
func FuzzAtParsed(f *testing.F) {
	for _, s := range []string{"a: x\nb:\n  - c: d\n    e: 'f'\n  - {g: [\"h\", i]}\n", "- - a\n  - b: \"c\"\n-\n  d", "{a: {b: c}, \"d\": [e]}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		docs, problems := ParseYAML(text)
		if len(docs) == 1 && len(problems) == 0 && docs[0].Start == 0 && !strings.ContainsAny(text, "\t|>") && !overLines(text, docs[0].Root) {
			compare(t, YAML, text, docs[0].Root, nil)
		}
		if root, problems := ParseJSONC(text); len(problems) == 0 && !strings.HasPrefix(text, bom) {
			compare(t, JSONC, text, root, nil)
		}
	})
}

// overLines reports whether something in quotes or brackets has several lines. The parser takes those that are indented too little,
// At does not: for it they are the lines behind a quote or a bracket that is missing.
func overLines(text string, n *Node) bool {
	if n == nil {
		return false
	}
	if n.Start < n.End && strings.IndexByte("\"'[{", text[n.Start]) >= 0 && strings.ContainsAny(text[n.Start:n.End], "\r\n") && (n.Kind != Map || text[n.Start] == '{') {
		return true
	}
	for _, i := range n.Items {
		if overLines(text, i) {
			return true
		}
	}
	for _, m := range n.Members {
		if overLines(text, m.Value) {
			return true
		}
	}
	return false
}

func compare(t *testing.T, format Format, text string, n *Node, path []Step) {
	t.Helper()
	if n == nil || n.Start == n.End || strings.ContainsAny(text[n.Start:n.End], "\r\n") && n.Kind == String {
		return
	}
	for i, item := range n.Items {
		compare(t, format, text, item, append(path[:len(path):len(path)], Step{Index: i}))
	}
	seen := map[string]bool{}
	for _, m := range n.Members {
		if strings.ContainsAny(text[m.KeySpan.Start:m.KeySpan.End], "\r\n") {
			return
		}
		if p := At(format, text, m.KeySpan.End); !p.InKey || fmt.Sprint(p.Path) != fmt.Sprint(path) || p.Replace != m.KeySpan || p.Prefix != m.Key && !p.Quoted {
			t.Fatalf("At(%d, %q, %d) = %+v, want the key %q at %v", format, text, m.KeySpan.End, p, m.Key, path)
		}
		if seen[m.Key] {
			return
		}
		seen[m.Key] = true
		compare(t, format, text, m.Value, append(path[:len(path):len(path)], Step{m.Key, -1}))
	}
	if n.Kind == List || n.Kind == Map {
		return
	}
	if p := At(format, text, n.End); fmt.Sprint(p.Path) != fmt.Sprint(path) || p.Replace != n.Span {
		t.Fatalf("At(%d, %q, %d) = %+v, want the value at %v %v", format, text, n.End, p, path, n.Span)
	}
}
