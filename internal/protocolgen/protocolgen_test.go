package main

import (
	"strings"
	"testing"
)

const source = "package p\n" + `
const prefix = "editord/"

// Requests.
var (
	// methodGet gets things: see [Thing].
	methodGet = serves[GetParams, Thing](prefix + "get", (*session).get)

	// Says goodbye.
	_ = serves[Nothing, json.RawMessage]("editord/bye", (*session).bye)
)

func serves[P, R any](name string, f any) requestToDaemon[P, R] { return nil }
func asks[P, R any](name string) requestToEditor[P, R]           { return nil }
func tells[P any](name string) notificationToEditor[P]           { return nil }
func changes[Q any](name string) requestToDaemon[Q, Thing]       { return nil }

var (
	// Changes a thing.
	_ = changes[GetParams]("editord/change")

	// methodAsk asks.
	methodAsk = asks[Thing, json.RawMessage]("mcp/ask")

	// methodGone tells that a thing has gone.
	methodGone = tells[Gone]("editord/gone")
)

// Nothing has no members.
type Nothing struct{}

// GetParams names a thing.
type GetParams struct {
	Name string ` + "`json:\"name\"`" + `
	Deep *bool  ` + "`json:\"deep,omitempty\"`" + ` // also what is | in it
}

// Gone tells that a thing has gone.
type Gone struct {
	Things []Thing ` + "`json:\"things\"`" + `
}

// Thing is a thing, and this is a comment that goes on for so long that it does not
// fit into a single line of a hundred and twenty characters.
type Thing struct {
	// Where it ends.
	End    int                        ` + "`json:\"end\"`" + `
	Color  Color                      ` + "`json:\"color,omitzero\"`" + `
	Tools  []json.RawMessage          ` + "`json:\"tools\" wire:\"[]mcp.Tool\"`" + `
	Values map[string][]string        ` + "`json:\"values,omitempty\"`" + `
	ID     json.RawMessage            ` + "`json:\"id\" wire:\"int | string\"`" + `
	Raw    json.RawMessage            ` + "`json:\"raw\"`" + `
	Own    string                     ` + "`json:\"-\"`" + `
}

// Color says how a thing looks.
type Color string

const (
	Red  Color = "red" // like blood
	Blue Color = "blue"
)

// Error is an error.
//
//protocolgen:type ErrorData
type Error struct {
	Kind Kind ` + "`json:\"kind\"`" + `
}

// Kind classifies errors.
//
//protocolgen:type ErrorKind
type Kind string

const (
	KindBad   Kind = "bad" // not good
	KindWorse Kind = "worse"
)

func (k Kind) Code() int {
	switch k {
	case KindBad:
		return -1 // one
	default:
		return -2
	}
}
`

func parsed(t *testing.T) *proto {
	t.Helper()
	p, err := parse(map[string]string{"p.go": source})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// has fails the test when text lacks one of these parts.
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("the text lacks\n%s\nThe text:\n%s", part, text)
		}
	}
}

func TestTypeScript(t *testing.T) {
	t.Parallel()
	has(t, typeScript(parsed(t)),
		"import type { Tool } from './mcp';\n",
		"/** Names a thing. */\nexport interface GetParams {\n  name: string;\n  /** Also what is | in it. */\n  deep?: boolean;\n}\n",
		"/**\n * A thing, and this is a comment that goes on for so long that it does not fit into a single line of a hundred and\n * twenty characters.\n */\nexport interface Thing {\n",
		"  /** Where it ends. */\n  end: number;\n  color?: Color;\n  tools: Tool[];\n  values?: Record<string, string[]>;\n  id: number | string;\n  raw: unknown;\n}\n",
		" * Says how a thing looks.\n *\n * - `red`: like blood\n * - `blue`\n */\nexport type Color = 'red' | 'blue';\n",
		"export type Nothing = Record<string, never>;\n",
		"export interface RequestsToDaemon {\n  /** Gets things: see `Thing`. */\n  'editord/get': { params: GetParams; result: Thing };\n  /** Says goodbye. */\n  'editord/bye': { params: Nothing; result: unknown };\n",
		"export interface ErrorData {\n  kind: ErrorKind;\n}\n",
	)
}

func TestLua(t *testing.T) {
	t.Parallel()
	has(t, lua(parsed(t)),
		"--- Names a thing.\n---@class mcp-editord.GetParams\n---@field name string\n---@field deep? boolean also what is | in it\n",
		"---@field [\"end\"] integer Where it ends.\n---@field color? mcp-editord.Color\n---@field tools table[] MCP's Tool\n---@field values? table<string, string[]>\n---@field id integer|string\n---@field raw any\n",
		"---@alias mcp-editord.Color\n---| 'red' # like blood\n---| 'blue'\n",
	)
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	var document string
	for _, part := range []string{"requests to the daemon", "requests to the editor", "notifications to the editor", "type ErrorData", "kinds of errors", "types"} {
		document += "before\n<!-- made of editorapi: " + part + " -->\nold\n<!-- end -->\nafter\n"
	}
	text, err := fillMarkdown(document, parsed(t))
	if err != nil {
		t.Fatal(err)
	}
	has(t, text,
		"| `editord/get` | `{name, deep?}`<br>`deep`: also what is \\| in it | [Thing](#thing) | Gets things: see `Thing`. |\n| `editord/bye` | `{}` | — | Says goodbye. |\n| `editord/change` | `{name, deep?}`<br>`deep`: also what is \\| in it | [Thing](#thing) | Changes a thing. |\n<!-- end -->\nafter\n",
		"| `editord/gone` | `{things: [Thing]}` | Tells that a thing has gone. |\n",
		"| `kind` | [ErrorKind](#errorkind) | |\n",
		"| `bad` | -1 | not good |\n| `worse` | -2 | |\n",
		"\n### Thing\n\nA thing, and",
		"| `color?` | [Color](#color) | |\n| `tools` | list of MCP's Tool | |\n| `values?` | object of list of string | |\n| `id` | integer or string | |\n",
	)
	for _, other := range []string{"old", "mcp/ask", "### GetParams", "### ErrorData"} {
		if strings.Contains(text, other) {
			t.Errorf("%q must not be in\n%s", other, text)
		}
	}
	if again, err := fillMarkdown(text, parsed(t)); err != nil || again != text {
		t.Errorf("filling it again changes it, %v", err)
	}
}

// A type that protocolgen cannot express is an error; it is not left out.
func TestProblems(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"may be null":         "type T struct { A *int `json:\"a\"` }",
		"no name on the wire": "type T struct { A int }",
		"embedded":            "type T struct { U }",
		"no type U":           "type T struct { A U `json:\"a\"` }",
		"cannot express":      "type T struct { A func() `json:\"a\"` }",
		"neither a struct":    "type T int",
		"no comment":          "type T struct {}\nfunc tells[P any](string) notificationToEditor[P]\nvar m = tells[T](\"editord/m\")",
		"not a constant":      "type T struct {}\nfunc tells[P any](string) notificationToEditor[P]\n// Tells.\nvar m = tells[T](f())",
		"not say its types":   "type T struct {}\nfunc tells[P any](string, P) notificationToEditor[P]\n// Tells.\nvar m = tells(\"editord/m\", T{})",
	} {
		_, err := parse(map[string]string{"p.go": "package p\n//protocolgen:type\n" + source})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	for _, document := range []string{"<!-- made of editorapi: types -->\n", "<!-- made of editorapi: types\n", "<!-- made of editorapi: type Other -->\n<!-- end -->\n"} {
		if _, err := fillMarkdown(document, parsed(t)); err == nil {
			t.Errorf("%q is not an error", document)
		}
	}
}
