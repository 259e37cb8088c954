package schemalang

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/syntax"
)

const issue = `{
	"type": "object",
	"title": "Issue",
	"required": ["title", "state"],
	"properties": {
		"body": {"type": "string", "description": "What happened."},
		"title": {"type": "string", "title": "Title", "description": "In one line.", "examples": ["Link drops"]},
		"state": {"enum": ["open", "closed", "won't: fix", "true"], "default": "open"},
		"urgent": {"type": "boolean"},
		"count": {"type": ["integer", "null"], "default": 3},
		"labels": {"type": "array", "items": {"$ref": "#/$defs/label"}},
		"owner": {"anyOf": [{"$ref": "#/$defs/person"}, {"type": "null"}]},
		"a b: \"c\"": {"type": "number"},
		"line\nend": {}
	},
	"$defs": {
		"label": {"enum": ["bug", "idea"]},
		"person": {"type": "object", "properties": {"name": {"type": "string"}, "boss": {"$ref": "#/$defs/person"}}, "required": ["name"]}
	}
}`

// applied returns what completions make of a text with the cursor in it; those that an editor would leave out, as they do not fit what
// is typed, are left out.
func applied(schema string, format syntax.Format, marked string) (all []string) {
	before, after, _ := strings.Cut(marked, "‸")
	text := before + after
	for _, item := range Compile(json.RawMessage(schema)).Complete(syntax.At(format, text, len(before)), format) {
		filter := item.Filter
		if filter == "" {
			filter = item.Label
		}
		if !strings.HasPrefix(filter, text[item.Insert.Start:len(before)]) {
			continue
		}
		all = append(all, text[:item.Insert.Start]+item.Insert.Text+text[item.Insert.End:])
	}
	return all
}

func TestComplete(t *testing.T) {
	for name, c := range map[string]struct {
		format syntax.Format
		text   string
		want   []string
	}{
		"names":               {syntax.YAML, "‸", []string{"title: ", "state: ", "body: ", "urgent: ", "count: ", "labels: ", "owner: ", `"a b: \"c\"": `, `"line\nend": `}},
		"names that are left": {syntax.YAML, "title: x\n‸\nbody: y\ncount: 1\nlabels: []\n\"line\\nend\": 1", []string{"title: x\nstate: \nbody: y\ncount: 1\nlabels: []\n\"line\\nend\": 1", "title: x\nurgent: \nbody: y\ncount: 1\nlabels: []\n\"line\\nend\": 1", "title: x\nowner: \nbody: y\ncount: 1\nlabels: []\n\"line\\nend\": 1", "title: x\n\"a b: \\\"c\\\"\": \nbody: y\ncount: 1\nlabels: []\n\"line\\nend\": 1"}},
		"name":                {syntax.YAML, "ti‸", []string{"title: "}},
		"name with a colon":   {syntax.YAML, "ti‸: x", []string{"title: x"}},
		"name in quotes":      {syntax.YAML, "\"ti‸\"", []string{"\"title\": "}},
		"name in braces":      {syntax.YAML, "{body: x, ti‸}", []string{"{body: x, title: }"}},
		"name in JSON":        {syntax.JSONC, `{"ti‸": 1}`, []string{`{"title": 1}`}},
		"name in JSON, bare":  {syntax.JSONC, `{ti‸}`, []string{`{"title": }`}},
		"enum":                {syntax.YAML, "state: ‸", []string{"state: open", "state: closed", `state: "won't: fix"`, `state: "true"`}},
		"enum, begun":         {syntax.YAML, "state: c‸ # x", []string{"state: closed # x"}},
		"enum, in quotes":     {syntax.YAML, `state: "w‸"`, []string{`state: "won't: fix"`}},
		"enum in JSON":        {syntax.JSONC, `{"state": ‸}`, []string{`{"state": "open"}`, `{"state": "closed"}`, `{"state": "won't: fix"}`, `{"state": "true"}`}},
		"boolean":             {syntax.YAML, "urgent: ‸", []string{"urgent: true", "urgent: false"}},
		"default":             {syntax.YAML, "count: ‸", []string{"count: 3"}},
		"examples":            {syntax.YAML, "title: ‸", []string{"title: Link drops"}},
		"list":                {syntax.YAML, "labels:\n  - bug\n  - ‸", []string{"labels:\n  - bug\n  - bug", "labels:\n  - bug\n  - idea"}},
		"list, begun":         {syntax.YAML, "labels:\n- i‸", []string{"labels:\n- idea"}},
		"list in brackets":    {syntax.YAML, "labels: [bug, i‸]", []string{"labels: [bug, idea]"}},
		"nested":              {syntax.YAML, "owner:\n  boss:\n    ‸", []string{"owner:\n  boss:\n    name: ", "owner:\n  boss:\n    boss: "}},
		"nested, next line":   {syntax.YAML, "state:\n  o‸", []string{"state:\n  open"}},
		"comment":             {syntax.YAML, "# ‸", nil},
		"in a block":          {syntax.YAML, "state: |\n  o‸", nil},
		"unknown":             {syntax.YAML, "x:\n  y: ‸", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := applied(issue, c.format, c.text); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
				t.Errorf("completions of %q\n got %q\nwant %q", c.text, got, c.want)
			}
		})
	}
}

func TestCompletionTells(t *testing.T) {
	for _, item := range Compile(json.RawMessage(issue)).Complete(syntax.At(syntax.YAML, "", 0), syntax.YAML) {
		if item.Label == "title" && (item.Detail != "a text, required" || item.Documentation != "In one line.") {
			t.Errorf("title: %+v", item)
		}
	}
}

func TestLongValuesAreLeftOut(t *testing.T) {
	schema := `{"properties": {"a": {"enum": ["` + strings.Repeat("x", maxInsert+1) + `", "y\u2028z", ["\n", 1]]}}}`
	got := applied(schema, syntax.YAML, "a: ‸")
	if want := []string{`a: "y\u2028z"`, `a: ["\n",1]`}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("completions %q, want %q", got, want)
	}
}

func TestHover(t *testing.T) {
	key := func(keys ...string) (path []syntax.Step) {
		for _, k := range keys {
			path = append(path, syntax.Step{Key: k, Index: -1})
		}
		return path
	}
	for name, c := range map[string]struct {
		path []syntax.Step
		want string
	}{
		"text":    {key("title"), "Title\n\nIn one line.\n\nType: a text\nExamples: \"Link drops\"\nRequired"},
		"enum":    {key("state"), "Type: a text\nAllowed: \"open\", \"closed\", \"won't: fix\" or \"true\"\nDefault: \"open\"\nRequired"},
		"default": {key("count"), "Type: a whole number or null\nDefault: 3"},
		"item":    {append(key("labels"), syntax.Step{Index: 3}), "Type: a text\nAllowed: \"bug\" or \"idea\""},
		"nested":  {key("owner", "boss", "name"), "Type: a text\nRequired"},
		"root":    {nil, "Issue\n\nType: a map"},
		"unknown": {key("x"), ""},
		"nothing": {key("line\nend"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := Compile(json.RawMessage(issue)).Hover(c.path); got != c.want || ok != (got != "") {
				t.Errorf("Hover = %q, %v, want %q", got, ok, c.want)
			}
		})
	}
}
