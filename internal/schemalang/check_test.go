package schemalang

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
)

// tree reads a YAML text.
func tree(t testing.TB, text string) *syntax.Node {
	t.Helper()
	docs, problems := syntax.ParseYAML(text)
	if len(docs) != 1 || len(problems) > 0 {
		t.Fatalf("%q: %+v", text, problems)
	}
	return docs[0].Root
}

// checked returns the problems of a text, each with what it is about.
func checked(t testing.TB, schema, text string) string {
	t.Helper()
	var all []string
	for _, p := range Compile(json.RawMessage(schema)).Check(tree(t, text)) {
		all = append(all, fmt.Sprintf("%s: %s", text[p.Start:p.End], p.Message))
	}
	return strings.Join(all, " | ")
}

func object(properties, more string) string {
	return `{"type": "object", "properties": {` + properties + `}` + more + `}`
}

func TestCheck(t *testing.T) {
	shapes := `{"oneOf": [
		{"type": "object", "required": ["kind", "radius"], "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}},
		{"type": "object", "required": ["kind", "side"], "properties": {"kind": {"const": "square"}, "side": {"type": "number"}}}]}`
	for name, c := range map[string]struct{ schema, text, want string }{
		"fine":                    {object(`"a": {"type": "string"}`, `, "required": ["a"]`), "a: x", ""},
		"everything":              {`true`, "a: x", ""},
		"no schema":               {`{`, "a: x", ""},
		"nothing":                 {object(`"a": false`, ``), "b: 1\na: x", `a: "a" is not known here; remove it`},
		"missing":                 {object(``, `, "required": ["title", "body"]`), "body: 1\nc: 2", `body: "title" is missing`},
		"unknown":                 {object(`"title": true`, `, "additionalProperties": false`), "titel: 1", `titel: "titel" is not known here; did you mean "title"?`},
		"unknown, far":            {object(`"title": true`, `, "additionalProperties": false`), "x: 1", `x: "x" is not known here; remove it`},
		"unknown is allowed":      {object(`"title": true`, ``), "x: 1", ``},
		"pattern of names":        {object(``, `, "patternProperties": {"^x-": {"type": "number"}}, "additionalProperties": false`), "x-a: b", `b: must be a number`},
		"type":                    {object(`"a": {"type": "integer"}`, ``), "a: x", `x: must be a whole number`},
		"types":                   {object(`"a": {"type": ["integer", "null"]}`, ``), "a: x", `x: must be a whole number or null`},
		"number without fraction": {object(`"a": {"type": "integer"}`, ``), "a: 1.0", ``},
		"number with a fraction":  {object(`"a": {"type": "integer"}`, ``), "a: 1.5", `1.5: must be a whole number`},
		"plain number as a text":  {object(`"a": {"type": "string"}`, ``), "a: 1.10", ``},
		"plain bool as a text":    {object(`"a": {"type": "string"}`, ``), "a: true", ``},
		"quoted number":           {object(`"a": {"type": "number"}`, ``), "a: '1'", `'1': must be a number`},
		"no text":                 {object(`"a": {"type": "string"}`, ``), "a:\nb: 1", `: must be a text`},
		"list":                    {object(`"a": {"type": "array", "items": {"type": "boolean"}}`, ``), "a: [true, x]", `x: must be true or false`},
		"list wanted":             {object(`"a": {"type": "array"}`, ``), "a: x", `x: must be a list`},
		"enum":                    {object(`"a": {"enum": ["x", 1, null]}`, ``), "a: y", `y: must be "x", 1 or null`},
		"enum, one":               {object(`"a": {"const": "x"}`, ``), "a: y", `y: must be "x"`},
		"enum of texts":           {object(`"a": {"enum": ["1.10"]}`, ``), "a: 1.10", ``},
		"enum of numbers":         {object(`"a": {"enum": [1.10]}`, ``), "a: 1.1", ``},
		"enum of lists":           {object(`"a": {"enum": [[1, {"b": 2}]]}`, ``), "a: [1, {b: 2}]", ``},
		"minimum":                 {object(`"a": {"minimum": 1, "maximum": 3}`, ``), "a: 0", `0: must be at least 1`},
		"maximum":                 {object(`"a": {"minimum": 1, "exclusiveMaximum": 3}`, ``), "a: 3", `3: must be less than 3`},
		"multiple":                {object(`"a": {"multipleOf": 0.1}`, ``), "a: 0.25", `0.25: must be a multiple of 0.1`},
		"large numbers":           {object(`"a": {"maximum": 9007199254740993}`, ``), "a: 9007199254740994", `9007199254740994: must be at most 9007199254740993`},
		"length":                  {object(`"a": {"minLength": 3, "maxLength": 1}`, ``), "a: ü€", `ü€: must have at least 3 characters | ü€: must have at most 1 character`},
		"pattern":                 {object(`"a": {"pattern": "^[a-z]+$"}`, ``), "a: X", `X: must match the pattern "^[a-z]+$"`},
		"pattern of JavaScript":   {object(`"a": {"pattern": "^(?=x)"}`, ``), "a: X", ``},
		"format":                  {object(`"a": {"format": "date"}, "b": {"format": "x"}`, ``), "a: 1.1.2024\nb: c", `1.1.2024: this does not look like a date; write YYYY-MM-DD`},
		"items":                   {object(`"a": {"minItems": 2, "uniqueItems": true}`, ``), "a: [x]\nb: 1", `[x]: must have at least 2 items`},
		"unique":                  {object(`"a": {"uniqueItems": true}`, ``), "a: [{b: 1}, {b: 1}]", `{b: 1}: this is in the list already; remove one of them`},
		"tuple":                   {object(`"a": {"prefixItems": [{"type": "string"}], "items": false}`, ``), "a: [x, y]", `y: the list has no more items than this; remove it`},
		"tuple of draft 7":        {object(`"a": {"items": [{"type": "string"}], "additionalItems": {"type": "null"}}`, ``), "a: [x, y]", `y: must be null`},
		"missing but a default":   {`{"properties": {"a": {"default": 1}}, "required": ["a"]}`, "b: 2", ""},
		"dependent":               {object(``, `, "dependentRequired": {"a": ["b"]}`), "a: 1", `a: "b" is missing, which "a" needs`},
		"not":                     {object(`"a": {"not": {"const": "x"}}`, ``), "a: x", `x: this value is not allowed here`},
		"if":                      {object(``, `, "if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}`), "a: 1", `a: "b" is missing`},
		"all of":                  {`{"allOf": [{"required": ["a"]}, {"required": ["b"]}]}`, "a: 1", `a: "b" is missing`},
		"all of, twice":           {`{"allOf": [{"required": ["b"]}, {"required": ["b"]}]}`, "a: 1", `a: "b" is missing`},
		"reference":               {`{"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"required": ["b"]}}}`, "a: 1", `a: "b" is missing`},
		"reference elsewhere":     {`{"$ref": "https://example.com/schema.json"}`, "a: 1", ``},
		"reference to nothing":    {`{"$ref": "#/$defs/x"}`, "a: 1", ``},
		"any of":                  {object(`"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}`, ``), "a: [1]", `[1]: must be a text or null`},
		"any of, fits":            {object(`"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}`, ``), "a: ~", ``},
		"any of constants":        {object(`"a": {"oneOf": [{"const": "x", "title": "X"}, {"const": "y"}]}`, ``), "a: z", `z: must be "x" or "y"`},
		"any of, best":            {object(`"a": {"anyOf": [{"type": "string"}, {"type": "object", "required": ["b"]}]}`, ``), "a: {c: 1}", `c: "b" is missing`},
		"one of, by kind":         {shapes, "kind: square\nradius: 1", `kind: "side" is missing`},
		"one of, no kind":         {shapes, "kind: star", ``},
		"variable":                {object(`"a": {"type": "integer", "maximum": 3}`, `, "required": ["a"]`), "a: ${lineNumber}", ``},
		"more problems":           {object(`"a": {"type": "integer"}, "b": {"type": "array"}`, ``), "b: 1\na: x", `1: must be a list | x: must be a whole number`},
	} {
		t.Run(name, func(t *testing.T) {
			got := checked(t, c.schema, c.text)
			if name == "one of, no kind" { // either kind is as good
				if !strings.Contains(got, `star: must be "circle"`) {
					t.Errorf("got %s", got)
				}
				return
			}
			if got != c.want {
				t.Errorf("Check of %q\n got %s\nwant %s", c.text, got, c.want)
			}
		})
	}
}

func TestValue(t *testing.T) {
	schema := `{"properties": {
		"text": {"type": "string"}, "number": {"type": "number"}, "both": {"type": ["string", "number"]}, "list": {"items": {"$ref": "#/properties/text"}},
		"maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "enum": {"enum": ["1", "2"]}, "map": {"additionalProperties": {"type": "string"}}}}`
	for name, c := range map[string]struct{ text, want string }{
		"texts":          {"text: 1.10", `{"text":"1.10"}`},
		"bool":           {"text: yes\nnumber: true", `{"text":"yes","number":true}`},
		"true as a text": {"text: True", `{"text":"True"}`},
		"null":           {"text:\nmaybe: ~", `{"text":null,"maybe":null}`},
		"number":         {"number: 007.50", `{"number":7.50}`},
		"both":           {"both: 1", `{"both":1}`},
		"both, bool":     {"both: true", `{"both":"true"}`},
		"list":           {"list: [1, '2', x]", `{"list":["1","2","x"]}`},
		"alternatives":   {"maybe: 1", `{"maybe":"1"}`},
		"enum":           {"enum: 1", `{"enum":"1"}`},
		"map":            {"map: {a: 1}", `{"map":{"a":"1"}}`},
		"unknown":        {"x: {y: [1, 0x10, null]}", `{"x":{"y":[1,16,null]}}`},
		"quotes":         {"'\"': \"\\n\"", `{"\"":"\n"}`},
		"variables":      {"text: $x\nlist: [$x, 1]", `{"text":"!x","list":["!x","1"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Compile(json.RawMessage(schema)).Value(tree(t, c.text), func(s string) (string, error) { return strings.ReplaceAll(s, "$", "!"), nil })
			if err != nil || string(got) != c.want || rawjson.Check(got) != nil {
				t.Errorf("Value = %s, %v, want %s", got, err, c.want)
			}
		})
	}
	failed := errors.New("no")
	if _, err := Compile(nil).Value(tree(t, "a: [b]"), func(string) (string, error) { return "", failed }); err != failed {
		t.Errorf("Value = %v, want %v", err, failed)
	}
}

// hostile has schemas that cost a careless reader much time.
func hostile() map[string]string {
	var doubled, refs, many strings.Builder
	for i := range 30 {
		fmt.Fprintf(&doubled, `"d%d": {"anyOf": [{"$ref": "#/$defs/d%d"}, {"allOf": [{"$ref": "#/$defs/d%d"}], "type": "string"}]},`, i, i+1, i+1)
		fmt.Fprintf(&refs, `"r%d": {"$ref": "#/$defs/r%d"},`, i, (i+1)%30)
	}
	for i := range 10_000 {
		fmt.Fprintf(&many, `"p%d": {"type": "integer", "description": "x"},`, i)
	}
	deep := strings.Repeat(`{"properties": {"a": `, 5000) + `true` + strings.Repeat(`}}`, 5000)
	return map[string]string{
		"itself":         `{"$ref": "#"}`,
		"itself in it":   `{"allOf": [{"$ref": "#"}, {"$ref": "#"}], "anyOf": [{"$ref": "#"}, {"not": {"$ref": "#"}}], "properties": {"a": {"$ref": "#"}}, "items": {"$ref": "#"}}`,
		"alternatives":   `{"$ref": "#/$defs/d0", "$defs": {` + doubled.String() + `"d30": {"type": "number"}}}`,
		"in a circle":    `{"$ref": "#/$defs/r0", "$defs": {` + refs.String() + `"x": true}}`,
		"inner pointers": `{"$ref": "#/allOf/0/allOf/0/allOf/0", "allOf": [{"allOf": [{"allOf": [{"$ref": "#/allOf/0"}]}]}]}`,
		"properties":     `{"properties": {` + many.String() + `"a": true}, "additionalProperties": false, "patternProperties": {"(a+)+$": {"pattern": "(a+)+$"}}}`,
		"deep":           deep,
		"enum":           `{"properties": {"a": {"enum": [` + strings.Repeat(`[[1]],`, 30_000) + `1]}}}`,
		"long values":    `{"properties": {"a": {"items": {"enum": [[` + strings.Repeat("0,", 1<<18) + `0]]}}}}`,
		"pattern":        `{"patternProperties": {"` + strings.Repeat("(a{1,9}", 100) + strings.Repeat("){1,9}", 100) + `": true}}`,
		"repetitions":    `{"patternProperties": {"[a-z]{0,1000}$": {"pattern": "[a-z]{0,1000}$"}}}`,
		"wrong kinds":    `{"type": 1, "properties": [], "required": {}, "items": 1, "allOf": {}, "anyOf": [1, "x", null], "enum": {}, "minimum": "x", "pattern": "(", "$ref": 5, "examples": 1, "patternProperties": []}`,
		"not JSON":       `{"a": `,
	}
}

// A keyword of millions of digits is not read anew for each value.
func TestLongKeywordsAreNotKept(t *testing.T) {
	for _, name := range readAlways {
		long := Compile(json.RawMessage(`{"` + name + `": "` + strings.Repeat("9", maxKeyword) + `"}`))
		if short := Compile(json.RawMessage(`{"` + name + `": "9"}`)); long.root.keywords[name] != nil || short.root.keywords[name] == nil {
			t.Errorf("%q is kept as %.20q, and if it is short, as %q", name, long.root.keywords[name], short.root.keywords[name])
		}
	}
}

// Fault hostile-schema: a pattern runs if that takes a moment, whatever it repeats, and however many there are.
func TestPatternsAreBounded(t *testing.T) {
	few := func(i int) string { return fmt.Sprintf("^[a-z]{0,1000}-%d$", i) }
	for _, test := range []struct {
		name, pattern, text string
		matches             bool
	}{
		{"short", few(0), "a-1", false},
		{"of a page", few(0), strings.Repeat("a", 5_000), false},
		{"of a megabyte", few(0), strings.Repeat("a", 1_000_000), true},
		{"that repeats much", strings.Repeat("(a?){1000}", 99) + "$", "-", true},
		{"that is none", "(", "-", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Compile(json.RawMessage(`{}`))
			s.begin()
			if got := s.matches(test.pattern, test.text); got != test.matches {
				t.Errorf("it matches: %v", got)
			}
		})
	}
	s := Compile(json.RawMessage(`{}`))
	for i := range 1000 {
		s.begin()
		s.matches(few(i), "-")
	}
	compiled := 0
	for _, p := range s.patterns {
		compiled += p.size
	}
	if compiled > maxProgram || len(s.patterns) == 0 {
		t.Errorf("%d instructions of %d patterns are kept", compiled, len(s.patterns))
	}
}

func TestHostileSchemas(t *testing.T) {
	texts := []string{"a: " + strings.Repeat("a", 100_000) + "!", "a:\n  - [[[[1]]]]\n  - {a: {a: {a: x}}}", "x", "- a: [1]\n- p1: 2", "a: [" + strings.Repeat("[1],", 3000) + "]"}
	for name, schema := range hostile() {
		t.Run(name, func(t *testing.T) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				s := Compile(json.RawMessage(schema))
				for _, text := range texts {
					n := tree(t, text)
					s.Check(n)
					if _, err := s.Value(n, nil); err != nil {
						t.Error(err)
					}
				}
				for _, path := range [][]syntax.Step{nil, {{Key: "a", Index: -1}}, {{Key: "a", Index: -1}, {Index: 0}, {Key: "a", Index: -1}}} {
					s.Hover(path)
					s.Complete(syntax.Place{Path: path}, syntax.YAML)
					s.Complete(syntax.Place{Path: path, InKey: true}, syntax.JSONC)
				}
			}()
			select {
			case <-done:
			case <-time.After(time.Minute):
				t.Fatal("it does not end")
			}
		})
	}
}

// FuzzSchema asks everything about any schema and any text.
func FuzzSchema(f *testing.F) {
	for _, schema := range []string{
		`{"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}, "required": ["a", "b"], "$defs": {"x": {"enum": ["y\n", 1, {}]}}, "additionalProperties": false}`,
		`{"anyOf": [{"type": ["string", "null"], "pattern": "a+", "maxLength": 1}, {"items": {"minimum": 1}, "uniqueItems": true, "minItems": 1}], "default": "z"}`,
		`{"if": {"required": ["a"]}, "then": false, "else": {"not": {"const": 1}}, "patternProperties": {"^a": {"format": "uri"}}}`,
	} {
		f.Add(schema, "a: [1, x]\nb: ~")
		f.Add(schema, "- a")
	}
	f.Fuzz(func(t *testing.T, schema, text string) {
		s := Compile(json.RawMessage(schema))
		docs, _ := syntax.ParseYAML(text)
		for _, d := range docs {
			for _, p := range s.Check(d.Root) {
				if p.Message == "" || p.Start < 0 || p.End > len(text) || p.Start > p.End {
					t.Fatalf("problem %+v", p)
				}
			}
			if d.Root == nil {
				continue
			}
			if raw, err := s.Value(d.Root, nil); err != nil || rawjson.Check(raw) != nil {
				t.Fatalf("Value = %s, %v", raw, err)
			}
		}
		for _, format := range []syntax.Format{syntax.YAML, syntax.JSONC} {
			p := syntax.At(format, text, len(text)/2)
			s.Hover(p.Path)
			for _, item := range s.Complete(p, format) {
				if strings.ContainsAny(item.Insert.Text, "\n\r") {
					t.Fatalf("%q has a line end", item.Insert.Text)
				}
			}
		}
	})
}

func TestStrangers(t *testing.T) {
	title := object(`"title": true, "body": true`, ``)
	for name, c := range map[string]struct {
		schema string
		keys   []string
		want   string
	}{
		"known":            {title, []string{"title", "body"}, ""},
		"misspelt":         {title, []string{"titel", "body"}, `titel (title)`},
		"not misspelt":     {title, []string{"titel", "title"}, `titel ()`},
		"not allowed":      {object(`"title": true`, `, "additionalProperties": false`), []string{"titel"}, `titel (title) refused`},
		"allowed":          {object(`"title": true`, `, "additionalProperties": true`), []string{"titel"}, ""},
		"by a pattern":     {object(`"title": true`, `, "patternProperties": {"^t": true}`), []string{"titel"}, ""},
		"of another part":  {`{"allOf": [` + title + `, ` + object(`"kind": true`, ``) + `]}`, []string{"title", "kind"}, ""},
		"of an option":     {`{"anyOf": [` + title + `, {"$ref": "#/$defs/a"}], "$defs": {"a": ` + object(`"kind": true`, ``) + `}}`, []string{"kind", "knid"}, `knid ()`},
		"no members":       {object(``, ``), []string{"a"}, `a ()`},
		"nothing is named": {`{"type": "object"}`, []string{"a"}, ""},
		"no schema":        {``, []string{"a"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, s := range Compile(json.RawMessage(c.schema)).Strangers(c.keys) {
				got = append(got, s.Key+" ("+s.Meant+")"+map[bool]string{true: " refused"}[s.Refused])
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
