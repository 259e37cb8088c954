package syntax

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// outline writes a tree so that it shows which bytes each part has.
func outline(text string, n *Node) string {
	if n == nil {
		return "nothing"
	}
	source := text[n.Start:n.End]
	plain := ""
	if n.Plain {
		plain = "p"
	}
	switch n.Kind {
	case List:
		var items []string
		for _, i := range n.Items {
			items = append(items, outline(text, i))
		}
		return fmt.Sprintf("%q[%s]", source, strings.Join(items, " "))
	case Map:
		var members []string
		for _, m := range n.Members {
			members = append(members, fmt.Sprintf("%q=%q:%s", m.Key, text[m.KeySpan.Start:m.KeySpan.End], outline(text, m.Value)))
		}
		return fmt.Sprintf("%q{%s}", source, strings.Join(members, " "))
	case Null:
		return fmt.Sprintf("null%q", source)
	}
	return fmt.Sprintf("%s%s%q%q", [...]string{"", "bool", "number", "string"}[n.Kind], plain, n.Text, source)
}

func TestParseYAML(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"map":                       {"a: x\nb: 1\n", `"a: x\nb: 1"{"a"="a":stringp"x""x" "b"="b":numberp"1""1"}`},
		"null":                      {"a:\nb: ~", `"a:\nb: ~"{"a"="a":null"" "b"="b":null"~"}`},
		"text that looks like none": {"a: 1.10", `"a: 1.10"{"a"="a":numberp"1.10""1.10"}`},
		"bytes, not characters":     {"ä😀: ü # ö\nb: €", `"ä😀: ü # ö\nb: €"{"ä😀"="ä😀":stringp"ü""ü" "b"="b":stringp"€""€"}`},
		"CRLF":                      {"a: x\r\nb:\r\n  c: y\r\n", `"a: x\r\nb:\r\n  c: y"{"a"="a":stringp"x""x" "b"="b":"c: y"{"c"="c":stringp"y""y"}}`},
		"byte order mark":           {"\ufeffa: x", `"a: x"{"a"="a":stringp"x""x"}`},
		"list":                      {"- a\n- - b\n  - c\n-\n- d: e\n  f: g", `"- a\n- - b\n  - c\n-\n- d: e\n  f: g"[stringp"a""a" "- b\n  - c"[stringp"b""b" stringp"c""c"] null"" "d: e\n  f: g"{"d"="d":stringp"e""e" "f"="f":stringp"g""g"}]`},
		"list in its key's column":  {"a:\n- x\n- y\nb: z", `"a:\n- x\n- y\nb: z"{"a"="a":"- x\n- y"[stringp"x""x" stringp"y""y"] "b"="b":stringp"z""z"}`},
		"quotes":                    {`"a b": 'it''s'`, `"\"a b\": 'it''s'"{"a b"="\"a b\"":string"it's""'it''s'"}`},
		"escapes":                   {`a: "\"\\\/\n\t\u00e9\ud83d\ude00\x41"`, `"a: \"\\\"\\\\\\/\\n\\t\\u00e9\\ud83d\\ude00\\x41\""{"a"="a":string"\"\\/\n\té😀A""\"\\\"\\\\\\/\\n\\t\\u00e9\\ud83d\\ude00\\x41\""}`},
		"quoted lines":              {"a: \"x  \n  y\n\n  z \\\n  w\"\nb: 1", `"a: \"x  \n  y\n\n  z \\\n  w\"\nb: 1"{"a"="a":string"x y\nz w""\"x  \n  y\n\n  z \\\n  w\"" "b"="b":numberp"1""1"}`},
		"plain lines":               {"a: x\n  y\n\n  z # c\nb: 1", `"a: x\n  y\n\n  z # c\nb: 1"{"a"="a":stringp"x y\nz""x\n  y\n\n  z" "b"="b":numberp"1""1"}`},
		"flow":                      {"a: {b: 1, \"c\":[x, y z,], d, e: }", `"a: {b: 1, \"c\":[x, y z,], d, e: }"{"a"="a":"{b: 1, \"c\":[x, y z,], d, e: }"{"b"="b":numberp"1""1" "c"="\"c\"":"[x, y z,]"[stringp"x""x" stringp"y z""y z"] "d"="d":null"" "e"="e":null""}}`},
		"flow with lines":           {"{a: 1 # c\n, b: x\n y}", `"{a: 1 # c\n, b: x\n y}"{"a"="a":numberp"1""1" "b"="b":stringp"x y""x\n y"}`},
		"block":                     {"a: |\n  x\n   y\n\n  z\n\nb: 1", `"a: |\n  x\n   y\n\n  z\n\nb: 1"{"a"="a":string"x\n y\n\nz\n""|\n  x\n   y\n\n  z" "b"="b":numberp"1""1"}`},
		"block that keeps":          {"a: |+\n  x\n\nb: 1", `"a: |+\n  x\n\nb: 1"{"a"="a":string"x\n\n""|+\n  x\n" "b"="b":numberp"1""1"}`},
		"block of what looks like":  {"a: |\n  # no\n  b: c\n  --- d\n# yes\nb: 1", `"a: |\n  # no\n  b: c\n  --- d\n# yes\nb: 1"{"a"="a":string"# no\nb: c\n--- d\n""|\n  # no\n  b: c\n  --- d" "b"="b":numberp"1""1"}`},
		"block without line end":    {"a: |\n  x", `"a: |\n  x"{"a"="a":string"x""|\n  x"}`},
		"keeps, without line end":   {"a: |+\n  x\n ", `"a: |+\n  x\n "{"a"="a":string"x\n""|+\n  x\n "}`},
		"empty block":               {"a: |\nb: 1", `"a: |\nb: 1"{"a"="a":string"""|" "b"="b":numberp"1""1"}`},
		"folded":                    {"a: >\n  x\n  y\n\n  z\n   k\n  l\n", `"a: >\n  x\n  y\n\n  z\n   k\n  l"{"a"="a":string"x y\nz\n k\nl\n"">\n  x\n  y\n\n  z\n   k\n  l"}`},
		"block in a list":           {"- |\n  x\n- y", `"- |\n  x\n- y"[string"x\n""|\n  x" stringp"y""y"]`},
		"comments":                  {"# c\n\na: # c\n  # c\n  b: x # c\n# c\nd: y", `"a: # c\n  # c\n  b: x # c\n# c\nd: y"{"a"="a":"b: x"{"b"="b":stringp"x""x"} "d"="d":stringp"y""y"}`},
		"nothing":                   {" \n# c\n", `nothing`},
		"scalar":                    {"x", `stringp"x""x"`},
		"numbers":                   {"[+1, 007, 0x1F, .5, 1., .inf, 1_0]", `"[+1, 007, 0x1F, .5, 1., .inf, 1_0]"[numberp"+1""+1" numberp"007""007" numberp"0x1F""0x1F" numberp".5"".5" numberp"1.""1." stringp".inf"".inf" stringp"1_0""1_0"]`},
	} {
		t.Run(name, func(t *testing.T) {
			docs, problems := ParseYAML(c.text)
			if len(docs) != 1 || len(problems) != 0 {
				t.Fatalf("%d documents, problems %v", len(docs), problems)
			}
			if got := outline(c.text, docs[0].Root); got != c.want {
				t.Errorf("ParseYAML(%q)\n got %s\nwant %s", c.text, got, c.want)
			}
		})
	}
}

func TestParseYAMLProblems(t *testing.T) {
	deep := strings.Repeat("[", maxDepth+2)
	for name, c := range map[string]struct {
		text string // the problem is between the marks
		want string // within the message
	}{
		"anchor":                 {"a: ‹&›x 1", "anchor"},
		"alias":                  {"a: ‹*›x", "alias"},
		"tag":                    {"a: ‹!›!str 1", "tag"},
		"anchor of a key":        {"‹&›x a: 1", "anchor"},
		"merge":                  {"a: 1\n‹<<›: b", "merges"},
		"complex key":            {"‹?› a\n: b", "KEY: VALUE"},
		"complex flow key":       {"{‹[›a]: b}", "can't be a key"},
		"list as a key":          {"[a]‹:› b", "can be a key"},
		"directive":              {"‹%›YAML 1.2", "directive"},
		"tab":                    {"a:\n‹\t›b: 1", "tab"},
		"duplicate":              {"a: 1\n‹a›: 2", "first one counts"},
		"duplicate in flow":      {"{a: 1, ‹\"a\"›: 2}", "first one counts"},
		"no colon":               {"a: 1\n‹bc›\nd: 1", "KEY: VALUE"},
		"colon in a text":        {"a: ‹b: c›", "quotes"},
		"key below a text":       {"a: x\n  ‹b: c›", "indented as if"},
		"deeper than its map":    {"a:\n  b: [1]\n‹   ›c: 1", "column 4"},
		"between two maps":       {"a:\n   b: 1\n‹ ›c: 1", "column 2"},
		"list beside keys":       {"a: 1\n‹- b›", "beside keys"},
		"list behind a key":      {"a: ‹-› b", "line of its own"},
		"text behind quotes":     {"a: \"x\" ‹y›", "nothing may follow"},
		"open quote":             {"a: ‹\"x›\nb: 1", "is missing"},
		"open bracket":           {"a: ‹[›1, 2", `"]"`},
		"open brace":             {"a: ‹{›b: 1\n", `"}"`},
		"wrong bracket":          {"a: [1‹}›", "comma"},
		"comma first":            {"[‹,›]", "comma"},
		"map in a list":          {"[‹a:› b]", "{KEY: VALUE}"},
		"escape":                 {"a: \"‹\\q›\"", "backslash"},
		"half a pair":            {"a: \"‹\\ud83d›x\"", "backslash"},
		"text behind |":          {"a: ‹|x›", "next line"},
		"too deep":               {strings.Repeat("[", maxDepth) + "‹[›", "deep"},
		"too deep, with dashes":  {strings.Repeat("- ", maxDepth-1) + "-‹ ›- - x", "deep"},
		"document end":           {"a: 1\n‹...›\nb", `"---"`},
		"second value":           {"[a]\n‹b›", "not part"},
		"not UTF-8":              {"a: ‹\xff›", "UTF-8"},
		"@":                      {"a: ‹@›b", "quotes"},
		"document end in quotes": {"‹\"x›\n...\n\"", "missing"},
		"end within brackets":    {"‹[›1,\n...\n]", `"]"`},
		"end behind a block":     {"--- |\nx\n‹...›\n", `"---"`},
		"end first":              {"‹...›\na: b", `"---"`},
		"end behind a mark":      {"\ufeff‹...›\na: b", `"---"`},
		"end after a separator":  {"--- ...\n‹...›", `"---"`},
		"dash in brackets":       {"[‹-›]", "no dashes"},
		"dash and a comma":       {"[‹-›, a]", "no dashes"},
		"question in brackets":   {"{‹?›}", "KEY: VALUE"},
		"question below a key":   {"a: 1\n‹?› b", "KEY: VALUE"},
		"anchor before a colon":  {"a: ‹&›b c: d", "anchor"},
		"no key":                 {"a: 1\n‹:› b", "key is missing"},
		"no key in braces":       {"{‹:› b}", "key is missing"},
		"tab below quotes":       {"a: ‹\"x›\n\ty\"", "not indented"},
		"quotes not indented":    {"a: ‹'x›\ny'\nb: 1", "not indented"},
		"escaped line end":       {"a: ‹\"x\\›\ny\"", "not indented"},
		"tab before a dash":      {"-‹\t›- a", "tab"},
		"tab before a key":       {"- ‹\t›a: b", "tab"},
		"tab in a block":         {"a: |\n‹\t›\nb: 1", "tab"},
		"blanks above a block":   {"a: |\n   \n‹  ›x", "more blanks"},
		"control character":      {"a: b‹\x00›", `"\x00"`},
	} {
		t.Run(name, func(t *testing.T) {
			before, rest, _ := strings.Cut(c.text, "‹")
			marked, after, _ := strings.Cut(rest, "›")
			text := before + marked + after
			_, problems := ParseYAML(text)
			if len(problems) != 1 {
				t.Fatalf("problems of %q: %+v, want one", text, problems)
			}
			p := problems[0]
			if want := (textdoc.Span{Start: len(before), End: len(before) + len(marked)}); p.Span != want || !strings.Contains(p.Message, c.want) {
				t.Errorf("problem of %q: %+v, want %v and %q", text, p, want, c.want)
			}
		})
	}
	if _, problems := ParseYAML(deep); len(problems) != 1 {
		t.Errorf("%d problems", len(problems))
	}
}

func TestDocuments(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":         {"", `0-0 nothing`},
		"two":           {"a\n---\nb\n", `0-2 stringp"a""a" | 5-8 stringp"b""b"`},
		"begins with":   {"---\na", `3-5 stringp"a""a"`},
		"on the line":   {"--- [a] # c\n---\tb", `3-12 "[a]"[stringp"a""a"] | 15-17 stringp"b""b"`},
		"empty between": {"a\n---\n---\n# c\n---", `0-2 stringp"a""a" | 5-6 nothing | 9-14 | 17-17 nothing`},
		"no separator":  {"a\n---b", `0-6 stringp"a ---b""a\n---b"`},
		"one is broken": {"a: [\n---\nb\n---\n\"c", `0-5 broken | 8-11 stringp"b""b" | 14-17 broken`},
		"in a block":    {"a: |\n  x\n---\nb", `0-9 "a: |\n  x"{"a"="a":string"x\n""|\n  x"} | 12-14 stringp"b""b"`},
		"in quotes":     {"a: \"x\n---\nb", `0-6 broken | 9-11 stringp"b""b"`},
		"CRLF":          {"a\r\n---\r\nb", `0-3 stringp"a""a" | 6-9 stringp"b""b"`},
	} {
		t.Run(name, func(t *testing.T) {
			docs, _ := ParseYAML(c.text)
			var got []string
			for _, d := range docs {
				root := outline(c.text, d.Root)
				if d.Broken {
					root = "broken"
				}
				got = append(got, fmt.Sprintf("%d-%d %s", d.Start, d.End, root))
			}
			if s := strings.Join(got, " | "); s != strings.ReplaceAll(c.want, "9-14 |", "9-14 nothing |") {
				t.Errorf("ParseYAML(%q)\n got %s\nwant %s", c.text, s, c.want)
			}
		})
	}
}

// hostile has texts that cost a careless parser much time or stack. All of them are as large as they may be.
var hostile = map[string]string{
	"brackets":         strings.Repeat("[", maxBytes),
	"braces":           strings.Repeat("{a: ", maxBytes/4),
	"JSON braces":      strings.Repeat(`{"a":`, maxBytes/5),
	"dashes":           strings.Repeat("- ", maxBytes/2),
	"dashes on lines":  strings.Repeat("-\n", maxBytes/2),
	"keys":             strings.Repeat("a:\n", maxBytes/3),
	"keys on one line": strings.Repeat("a: ", maxBytes/3),
	"blanks":           strings.Repeat(" ", maxBytes),
	"lines":            strings.Repeat("\n", maxBytes),
	"quotes":           strings.Repeat(`"`, maxBytes),
	"quoted lines":     `a: "` + strings.Repeat("x \n", maxBytes/3-3) + `"`,
	"escaped lines":    `a: "` + strings.Repeat("\\\n", maxBytes/2-3) + `"`,
	"plain lines":      "a:" + strings.Repeat(" x\n", maxBytes/3-1),
	"block":            "a: |\n" + strings.Repeat(" x\n", maxBytes/3-2),
	"empty block":      "a: |\n  x\n" + strings.Repeat("\n", maxBytes-9),
	"folded block":     "a: >\n  x\n" + strings.Repeat("\n", maxBytes-13) + "  y",
	"commas":           "[" + strings.Repeat("a,", maxBytes/2-1) + "]",
	"colons":           strings.Repeat(":", maxBytes),
	"comments":         strings.Repeat("#\n", maxBytes/2),
	"documents":        strings.Repeat("---\n", maxBytes/4),
	"broken documents": strings.Repeat("--- [\n", maxBytes/6),
	"steps":            steps(),
	"hex":              "0x" + strings.Repeat("f", maxBytes-2),
	"slashes":          strings.Repeat("/", maxBytes),
	"comment stars":    "/" + strings.Repeat("*", maxBytes-1),
}

func steps() string {
	var b strings.Builder
	for i := 0; b.Len()+i+3 < maxBytes; i++ {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// Fault hostile-document.
func TestHostileText(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				ParseYAML(text)
				ParseJSONC(text)
				for _, format := range []Format{YAML, JSONC} {
					for _, at := range []int{0, len(text) / 2, len(text)} {
						At(format, text, at)
					}
				}
			}()
			select {
			case <-done: // after milliseconds
			case <-time.After(time.Minute):
				t.Fatal("it does not end, or takes a time that is not linear in the text")
			}
		})
	}
}

func FuzzParseYAML(f *testing.F) {
	for _, s := range []string{"a: x\n  y\nb: |+2\n    z\n\n- c", "- - 'x''\n y'\n-\t{a: [1, ,], \"b\":2}\n---\n&x", "a:\r\n- >\r  x\r\n\r\n  y", "? a\n: *b\n<<: !c d", "[a: b, {? c}, |, \"\\u12\\\n\"]", "--- |\nx\n...", "\ufeff# c\n'a' : b: c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		docs, problems := ParseYAML(text)
		broken := 0
		for _, d := range docs {
			if d.Broken {
				broken++
			}
			checkSpans(t, text, d.Root, d.Span)
		}
		if len(problems) < broken {
			t.Fatalf("%d broken documents, %d problems", broken, len(problems))
		}
		for _, p := range problems {
			if p.Start < 0 || p.End < p.Start || p.End > len(text) || p.Message == "" {
				t.Fatalf("problem %+v", p)
			}
		}
		root, _ := ParseJSONC(text)
		checkSpans(t, text, root, textdoc.Span{Start: 0, End: len(text)})
	})
}

// checkSpans fails when a node is not within what it is part of, or not in its order.
func checkSpans(t *testing.T, text string, n *Node, within textdoc.Span) {
	t.Helper()
	if n == nil {
		return
	}
	if n.Start < within.Start || n.End > within.End || n.Start > n.End {
		t.Fatalf("%q: %+v is not within %v", text, n, within)
	}
	if n.Plain && n.Text != text[n.Start:n.End] && !strings.ContainsAny(text[n.Start:n.End], "\r\n") {
		t.Fatalf("%q: %q is %q", text, text[n.Start:n.End], n.Text)
	}
	at := n.Start
	for _, i := range n.Items {
		checkSpans(t, text, i, textdoc.Span{Start: at, End: n.End})
		at = i.End
	}
	for _, m := range n.Members {
		if key := text[m.KeySpan.Start:m.KeySpan.End]; m.KeySpan.Start < at || m.KeySpan.End > m.Value.Start || !strings.ContainsAny(key, "\"'\r\n") && key != m.Key {
			t.Fatalf("%q: the key %q has the span %v", text, m.Key, m.KeySpan)
		}
		checkSpans(t, text, m.Value, textdoc.Span{Start: m.KeySpan.End, End: n.End})
		at = m.Value.End
	}
}
