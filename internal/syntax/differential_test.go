package syntax

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// Our reader of YAML beside one of others, which the daemon does not use. Where both are sure, they have to agree.

// theirs decodes a text with goccy/go-yaml. It leaves out documents with nothing in them.
func theirs(text string) (values []any, err error) {
	defer func() {
		if p := recover(); p != nil { // no text may fail a test but by its value
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	d := yaml.NewDecoder(strings.NewReader(text))
	for {
		var v any
		switch err := d.Decode(&v); {
		case errors.Is(err, io.EOF):
			return values, nil
		case err != nil:
			return nil, err
		}
		if v = jsonNumbers(v); v != nil {
			values = append(values, v)
		}
	}
}

// ours decodes a text with ParseYAML in the same way.
func ours(text string) (values []any, err error) {
	docs, problems := ParseYAML(text)
	for _, p := range problems {
		return nil, errors.New(p.Message)
	}
	for _, d := range docs {
		if d.Root == nil {
			continue
		}
		if v := decoded(d.Root); v != nil {
			values = append(values, v)
		}
	}
	return values, nil
}

// jsonNumbers returns a value with the numbers that JSON's decoder makes.
func jsonNumbers(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = jsonNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = jsonNumbers(v[k])
		}
	case uint64:
		return float64(v)
	case int64:
		return float64(v)
	case int:
		return float64(v)
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return fmt.Sprint(v)
		}
	}
	return v
}

// outcome is what became of a text, in one line.
func outcome(values []any, err error) string {
	if err != nil {
		return "refused"
	}
	text, err := json.Marshal(values)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// agreed has texts that both read in the same way.
var agreed = map[string]string{
	"literal":                   "a: |\n  x\n   y\n\n  z\n",
	"literal, no line end":      "a: |\n  x",
	"literal, stripped":         "a: |-\n  x\n\n\nb: 1\n",
	"literal, kept":             "a: |+\n  x\n\n\nb: 1\n",
	"literal, kept at the end":  "a: |+\n  x\n\n\n",
	"literal, indentation":      "a: |2\n    x\n   y\n",
	"literal, both":             "a: |1-\n   x\n  y\n",
	"literal, the other order":  "a: |-1\n   x\n",
	"literal, comment":          "a: | # c\n  x\n",
	"literal in a list":         "- |\n  x\n- |-\n  y\n",
	"literal of what looks so":  "a: |\n  # no\n  b: c\n  - d\n  --- e\n  'f\nb: 1\n",
	"literal, CRLF":             "a:\r\n  b: |\r\n    x\r\n\r\n    y\r\nc: d\r\n",
	"literal, blank line first": "a: |\n\n  x\n",
	"literal, tab":              "a: |\n  \tx\n",
	"literal, empty":            "a: |\nb: 1\n",
	"folded":                    "a: >\n  x\n  y\n\n  z\n\n\n  w\n",
	"folded, deeper":            "a: >\n  x\n   k\n   l\n\n  m\n  n\n",
	"folded, stripped":          "a: >-\n  x\n\n   k\n\n  l\n\n",
	"folded, kept":              "a: >+\n  x\n  y\n\nb: 1\n",
	"folded, empty lines":       "a: >\n\n  x\n\n\n  y\n",
	"folded, indentation":       "a: >1\n  x\n y\n",
	"plain lines":               "a: x\n  y\n\n  z # c\nb: 1\n",
	"plain below its key":       "a:\n  x y\n  z\nb: 1\n",
	"plain with signs":          "a: x:y#z -b? [c] {d}, e\n",
	"plain that begins so":      "- -a\n- ?b\n- :c\n- a'b\"c\n- a&b*c!d%e@f`g\n",
	"URL":                       "uri: http://x/y?z=1&w#a\n",
	"variables":                 "a: ${file}:${lines}\n",
	"double quotes, lines":      "a: \"x  \n  y\n\n  z \\\n  w\"\nb: 1\n",
	"single quotes, lines":      "a: 'x\n\n  y ''z'''\nb: 1\n",
	"escapes":                   `a: "\"\\\/\b\f\n\r\t\0\a\v\e\N\_\L\P\x41\u00e9\U0001F600"`,
	"surrogates":                `a: "\ud83d\ude00"`,
	"quotes that mean nothing":  "a: \"'#: - {}\"\nb: '\"\\n#: '\n",
	"keys":                      "a b: 1\n\"c: d\": 2\n'e''f': 3\nä😀: 4\ng-h_i.j/k: 5\n\"\": 6\n",
	"blank before a colon":      "a : x\n'b' : y\n",
	"comments":                  "# c\n\na: # c\n  # c\n  b: x # c\n# c\n\n  # c\nd: y#z\n# c",
	"list":                      "- a\n- - b\n  - c\n-\n- d: e\n  f: g\n",
	"list in its key's column":  "a:\n- x\n- b: c\n  d:\n  - e\nf: g\n",
	"list, indented":            "a:\n  - x\n  -\n    - y\nb: 1\n",
	"list, item below its dash": "-\n  a: b\n-\n  c\n",
	"empty values":              "a:\nb:\n  c:\n  d: \"\"\ne: ~\n",
	"empty items":               "- \n- a\n-\n",
	"flow":                      "a: {b: 1, \"c\": [x, y z], d, e: }\n",
	"flow, lines":               "a: [\n    x, # c\n    y,\n  ]\nb: {\n    c: d,\n  }\n",
	"flow, empty":               "a: []\nb: {}\nc: [[], {}]\n",
	"flow, colons":              "{a: x:y, \"b\":c, 'd':[e]}\n",
	"flow, text in quotes":      "[\"a, b\", 'c]']\n",
	"brackets in a block":       "a: x[1]{2}\n",
	"closing in its column":     "a: {\n  b: c\n}\nd: [\n  e\n]\n",
	"JSON":                      "{\"a\": [true, null, -1.5, \"x\\ty\"], \"b\": {\"c\": {}}}\n",
	"JSON, lines":               "{\n  \"a\": [\n    1,\n    {\"b\": \"c\"}\n  ]\n}\n",
	"numbers":                   "[+12, 0, -7, 0o17, 0x1F, .5, 1.5e3, -0.25E-2, 1., 123456789012]\n",
	"numbers that are texts":    "[1.2.3, 1-2, 12:30, 0xg, e3, '1']\n",
	"null and the like":         "[null, Null, NULL, ~, true, True, TRUE, false]\n",
	"words":                     "[yes, no, on, off, y, n, nULL, nil, none, tRue]\n",
	"dates":                     "[2001-12-14, 2001-12-14t21:59:43.10-05:00, 2001-12-14 21:59:43]\n",
	"scalar":                    "x",
	"scalar, lines":             "x\ny\n",
	"scalar behind a separator": "--- text\n",
	"separator, comment":        "--- # c\na: b\n",
	"separator, block":          "--- |\n  x\n",
	"documents":                 "a: 1\n---\nb: 2\n---\n- c\n",
	"documents, last is empty":  "a: 1\n---\nb: 2\n---\n",
	"comment, then a document":  "# c\n---\na: 1\n",
	"nothing":                   "",
	"only comments":             " \n# c\n",
	"no line end":               "a:\n  - b: c",
	"tab behind a colon":        "a:\tx\n-b:\t'y'\n",
	"blank lines":               "\n\na: 1\n\n\nb:\n\n  - c\n\n  - d\n\n",
	"deep":                      "a:\n  b:\n    c:\n      - d:\n          e: f\n  g: h\n",
	"call document":             "call: tracker.create_issue\nwith:\n  title: Link drops at 40 C\n  body: |\n    Seen on the bench since Monday.\n    The log is attached.\n  labels:\nresult: |\n  Issue 42 created.\n---\nprompt: tracker.review\ncontext: {file: src/link.c, lines: 10-24}\n",
}

func TestSameAsOthers(t *testing.T) {
	for name, text := range agreed {
		t.Run(name, func(t *testing.T) {
			mine, err := ours(text)
			if err != nil {
				t.Fatalf("ParseYAML(%q): %v", text, err)
			}
			other, err := theirs(text)
			if err != nil {
				t.Fatalf("goccy/go-yaml of %q: %v", text, err)
			}
			if !reflect.DeepEqual(mine, other) {
				t.Errorf("%q\n is %s\nbut %s for goccy/go-yaml", text, outcome(mine, nil), outcome(other, nil))
			}
		})
	}
}

// A difference is a place where our reader and goccy/go-yaml differ, or both from YAML.
type difference struct {
	name string
	text string         // an example
	ours string         // its outcome
	them string         // for goccy/go-yaml
	spec string         // the sentence or production of YAML 1.2.2 that says who is right
	who  string         // "we" are right, "they" are, or "nobody"
	in   *regexp.Regexp // matches all texts in which values may differ for this reason; nil where one of the two refuses
}

var differences = []difference{
	// They read something else, or nothing.
	{"blanks at the end of a block", "a: |-\n  x  \n", `[{"a":"x  "}]`, `[{"a":"x"}]`,
		"8.1.2: Inside literal scalars, all (indented) characters are considered to be content, including white space characters.", "we", regexp.MustCompile(`[|>][^\n\r]*[\n\r](?s:.*)[ \t](?:[\n\r]|$)`)},
	{"a kept block with nothing in it", "a: |+\nb: 1", `[{"a":"","b":1}]`, "refused",
		"8.1.1.2, production l-keep-empty: l-empty(n,block-in)*", "we", regexp.MustCompile(`[|>][1-9]?\+`)},
	{"an empty line below a block with an indentation", "a: |1\n  x\n\n", `[{"a":" x\n"}]`, "refused",
		"8.1.1.2: any trailing empty lines are excluded from the scalar's content.", "we", nil},
	{"a tab first in a block", "a: |\n  \tx\n  y\n", `[{"a":"\tx\ny\n"}]`, "refused",
		"8.1.2: Inside literal scalars, all (indented) characters are considered to be content, including white space characters.", "we", nil},
	{"an empty document between others", "a\n---\n---\nb\n", `["a","b"]`, `["a"]`,
		"9.1.4: an explicit document begins with an explicit directives end marker line but no directives.", "we", regexp.MustCompile(`---(?s:.*)---`)},
	{"a folded text without a line end", "a: >\n  b\n  c", `[{"a":"b c"}]`, `[{"a":"b\nc"}]`,
		"6.5: Otherwise (the following line is not empty), the line break is converted to a single space.", "we", regexp.MustCompile(`>(?s:.*)[^\n\r]$`)},
	{"the same as the whole document", ">\n 0\n 0", `["0 0"]`, `["0\n0"]`,
		"6.5, as above", "we", regexp.MustCompile(`(?:^|[\n\r]|---)[ \t]*[|>]`)},
	{"an empty item before the next key", "a:\n-\nc: 1\n", `[{"a":[null],"c":1}]`, `[{"a":[{"c":1}]}]`,
		"8.2.1, production c-l-block-seq-entry: the node behind a dash is s-l+block-indented(n,c), so indented further than the dash.", "we", regexp.MustCompile(`-[ \t]*(?:#[^\n\r]*)?[\n\r]`)},
	{"a tab in a text", "a: b\tc", `[{"a":"b\tc"}]`, `[{"a":"bc"}]`,
		"7.3.3, production nb-ns-plain-in-line: ( s-white* ns-plain-char(c) )*, where s-white is a space or a tab.", "we", regexp.MustCompile(`\t`)},
	{"blanks on empty lines of a text", "a: b\n\n \n c", `[{"a":"b\n\nc"}]`, `[{"a":"b\nc"}]`,
		"6.5: If a line break is followed by an empty line, it is trimmed; the first line break is discarded and the rest are retained as content.", "we", regexp.MustCompile(`[\n\r][ \t]+(?:[\n\r]|$)`)},
	{"a comment below a dash in a text", "a: b\n - #c", `[{"a":"b -"}]`, `[{"a":"b - #c"}]`,
		"7.3.3: Plain scalars must never contain the \": \" and \" #\" character combinations.", "we", regexp.MustCompile(`[\n\r] *-[^\n\r]* #`)},
	{"two signs", "++.5", `["++.5"]`, `[0.5]`,
		"10.3.2: the regular expression of a float begins with [-+]?.", "we", regexp.MustCompile(`[-+][-+]`)},
	{"a number without a point", "1e3", `[1000]`, `["1e3"]`,
		"10.3.2: [-+]? ( \\. [0-9]+ | [0-9]+ ( \\. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? is a float.", "we", regexp.MustCompile(`[0-9][eE]`)},
	{"underscores and other bases", "[1_0, 0b11]", `[["1_0","0b11"]]`, `[[10,3]]`,
		"10.3.2: If none of the regular expressions matches, the scalar is resolved to a string.", "we", regexp.MustCompile(`[0-9a-fA-F]_|_[0-9]|0[bBoOxX]`)},
	{"a zero first", "010", `[10]`, `[8]`,
		"10.3.2: [-+]? [0-9]+ is an int, base 10.", "we", regexp.MustCompile(`0[0-9]`)},
	{"a colon in a flow key", "{a:b}", `[{"a:b":null}]`, `[{"a":"b"}]`,
		"7.4.2, production ns-plain-char: a colon may stand before an ns-plain-safe(c) character.", "we", regexp.MustCompile(`\{(?s:.*):\S`)},
	{"lines of a text in braces", "{a: b\n c}", `[{"a":"b c"}]`, "refused",
		"7.3.3, production ns-plain(n,c): ns-plain-multi-line in the context flow-in.", "we", nil},
	{"a byte order mark", "\ufeffa: x", `[{"a":"x"}]`, "[{\"\ufeffa\":\"x\"}]",
		"5.2: If a character stream begins with a byte order mark, the character encoding will be taken to be as indicated by the byte order mark.", "we", regexp.MustCompile("\ufeff")},
	{"a dash in brackets", "[-]", "refused", `[["-"]]`,
		"7.3.3: \":\", \"?\" and \"-\" may be used as the first character if followed by a non-space \"safe\" character.", "we", nil},
	{"a text in quotes that is not indented", "a: \"x\ny\"", "refused", `[{"a":"x y"}]`,
		"6.3, production s-flow-line-prefix: s-indent(n) s-separate-in-line?", "we", nil},
	{"a control character", "a: \"\x01\"", "refused", `[{"a":"\u0001"}]`,
		"5.1: The allowed character range explicitly excludes the C0 control block.", "we", nil},

	// We read what a call document can mean, and say no to the rest.
	{"infinity", "[.inf, -.inf, .nan]", `[[".inf","-.inf",".nan"]]`, `[["+Inf","-Inf","NaN"]]`,
		"10.3.2: ( \\.inf | \\.Inf | \\.INF ) is a float. JSON, in which arguments travel, has no such number.", "they", regexp.MustCompile(`(?i)\.(?:inf|nan)`)},
	{"keys as they are written", "0x1F: a\n~: b", `[{"0x1F":"a","~":"b"}]`, `[{"31":"a","null":"b"}]`,
		"3.2.1.1: keys are nodes of any kind. In JSON they are texts, so nothing is resolved.", "they", nil},
	{"numbers beyond 64 bits", "18446744073709551616", `[18446744073709552000]`, `["18446744073709551616"]`,
		"10.3.2: [-+]? [0-9]+ is an int.", "we", regexp.MustCompile(`[0-9]{19}`)},
	{"the end of a document", "a: x\n...\n", "refused", `[{"a":"x"}]`,
		"9.1.2: At the end of a document, a document end marker line is used to signal the parser to begin scanning for directives again. There are none, and what is added below would be lost.", "they", nil},
	{"a pair in a list", "[a: b]", "refused", `[[{"a":"b"}]]`,
		"7.4.1, production ns-flow-pair", "they", nil},
	{"a key with a question mark", "? a", "refused", `[{"a":null}]`,
		"8.2.2, production c-l-block-map-explicit-entry", "they", nil},
	{"a key that is nothing", ": a", "refused", "refused",
		"7.2: Nodes with empty content are interpreted as if they were plain scalars with an empty value. As a key that is a slip.", "nobody", nil},
	{"lines in brackets that are not indented", "a: {\nb: c\n}", `[{"a":{"b":"c"}}]`, `[{"a":{"b":"c"}}]`,
		"6.3, production s-flow-line-prefix: s-indent(n) s-separate-in-line? JSON is pasted like that, and nobody can misread it.", "nobody", nil},
	{"a tab before brackets", "a:\n \t[b]", "refused", `[{"a":["b"]}]`,
		"6.2, production s-separate-in-line: s-white+. A tab there looks like indentation.", "they", nil},
}

func TestDifferences(t *testing.T) {
	for _, d := range differences {
		t.Run(d.name, func(t *testing.T) {
			if got := outcome(ours(d.text)); got != d.ours {
				t.Errorf("%q is %s, want %s", d.text, got, d.ours)
			}
			if got := outcome(theirs(d.text)); got != d.them {
				t.Errorf("%q is %s for goccy/go-yaml, want %s", d.text, got, d.them)
			}
			if d.in != nil && !d.in.MatchString(d.text) {
				t.Errorf("%v does not match %q", d.in, d.text)
			}
		})
	}
}

// FuzzSameAsOthers compares the values of what both readers take. What one of them refuses is in the tables above.
func FuzzSameAsOthers(f *testing.F) {
	for _, text := range agreed {
		f.Add(text)
	}
	for _, d := range differences {
		f.Add(d.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range differences {
			if d.in != nil && d.in.MatchString(text) {
				return
			}
		}
		mine, err := ours(text)
		if err != nil {
			return
		}
		other, err := theirs(text)
		if err != nil {
			return
		}
		if !sameKeys(mine) || !sameKeys(other) {
			return
		}
		if !reflect.DeepEqual(mine, other) {
			t.Errorf("%q\n is %s\nbut %s for goccy/go-yaml", text, outcome(mine, nil), outcome(other, nil))
		}
	})
}

// sameKeys resolves the keys of maps, since goccy/go-yaml does. It reports false when two become the same.
func sameKeys(v any) bool {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if !sameKeys(item) {
				return false
			}
		}
	case map[string]any:
		resolved := map[string]any{}
		for k, value := range v {
			if !sameKeys(value) {
				return false
			}
			switch n := (&Node{Kind: kindOf(k), Text: k}); n.Kind {
			case Null:
				k = "null"
			case Bool:
				k = n.JSON()
			case Number:
				if f, err := strconv.ParseFloat(n.JSON(), 64); err == nil {
					k = fmt.Sprint(f + 0) // −0 is 0
				}
			}
			resolved[k] = value
		}
		if len(resolved) < len(v) {
			return false
		}
		clear(v)
		for k, value := range resolved {
			v[k] = value
		}
	}
	return true
}
