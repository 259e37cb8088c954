package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

// A user fills in forms, and the answers fit the schema.
func TestQuestion(t *testing.T) {
	property := func(schema string, required string) string {
		return `{"message":"m","requestedSchema":{"type":"object","properties":{"p":` + schema + `},"required":[` + required + `]}}`
	}
	tests := []struct {
		name, form, typed string
		want              string
		shown             string // the terminal shows it
	}{
		{"text", property(`{"type":"string","title":"Name"}`, ``), "Ada\n", `{"action":"accept","content":{"p":"Ada"}}`, "Name"},
		{"optional and empty", property(`{"type":"string"}`, ``), "\n", `{"action":"accept"}`, ""},
		{"required and empty at first", property(`{"type":"string"}`, `"p"`), "\nx\n", `{"action":"accept","content":{"p":"x"}}`, "an answer is required"},
		{"default", property(`{"type":"integer","default":7}`, `"p"`), "\n", `{"action":"accept","content":{"p":7}}`, "empty: 7"},
		{"integer", property(`{"type":"integer"}`, ``), "1.5\n2\n", `{"action":"accept","content":{"p":2}}`, "whole number"},
		{"limits", property(`{"type":"number","maximum":3}`, ``), "4\n3\n", `{"action":"accept","content":{"p":3}}`, "must be at most 3"},
		{"boolean", property(`{"type":"boolean"}`, ``), "maybe\nY\n", `{"action":"accept","content":{"p":true}}`, "type y or n"},
		{"choice by number", property(`{"type":"string","enum":["a","b"],"enumNames":["Ay","Bee"]}`, ``), "3\n2\n", `{"action":"accept","content":{"p":"b"}}`, "2  b  Bee"},
		{"choice by value", property(`{"type":"string","oneOf":[{"const":"a","title":"Ay"}]}`, ``), "a\n", `{"action":"accept","content":{"p":"a"}}`, "1  a  Ay"},
		{"several choices", property(`{"type":"array","items":{"type":"string","enum":["a","b","c"]}}`, ``), "1, 3\n", `{"action":"accept","content":{"p":["a","c"]}}`, "separated by spaces"},
		{"e-mail address", property(`{"type":"string","format":"email"}`, ``), "notmail\na@b\n", `{"action":"accept","content":{"p":"a@b"}}`, "p (email)"},
		{"e-mail address that is none", property(`{"type":"string","format":"email"}`, ``), "notmail\na@b\n", `{"action":"accept","content":{"p":"a@b"}}`, "write NAME@HOST"},
		{"address", property(`{"type":"string","format":"uri"}`, ``), "home\nhttps://a.example\n", `{"action":"accept","content":{"p":"https://a.example"}}`, "write SCHEME:"},
		{"text or null, which may be left out", property(`{"type":["string","null"],"default":null}`, ``), "\n", `{"action":"accept"}`, "  p\n"},
		{"text or null, required", property(`{"type":["string","null"]}`, `"p"`), "\n", `{"action":"accept","content":{"p":null}}`, "empty: null"},
		{"choice that is no text", property(`{"enum":[1,null]}`, `"p"`), "1\n", `{"action":"accept","content":{"p":1}}`, "2  null"},
		{"nothing to fill in, yes", `{"message":"m","requestedSchema":{"type":"object","properties":{}}}`, "y\n", `{"action":"accept"}`, "yes or no"},
		{"nothing to fill in, no", `{"message":"m"}`, "\n", `{"action":"decline"}`, "yes or no"},
		{"the end of the input", property(`{"type":"string"}`, ``), "", `{"action":"cancel"}`, ""},
		{"escape sequences", `{"message":"\u001b[2J","requestedSchema":{"properties":{"\u202e":{"type":"string","description":"\u0007"}}}}`, "x\n", `{"action":"accept","content":{"` + "\u202e" + `":"x"}}`, `\u{1b}[2J`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var shown bytes.Buffer
			terminal := newTerminal(&shown, strings.NewReader(test.typed))
			answer, err := terminal.elicit(context.Background(), editorapi.Question{Server: "srv", Params: json.RawMessage(test.form)})
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(answer)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if text := shown.String(); !strings.HasPrefix(text, "srv asks:\n") || !strings.Contains(text, test.shown) || strings.ContainsAny(text, "\x1b\x07\u202e") {
				t.Errorf("shown was %q, want %q", text, test.shown)
			}
		})
	}
}

// What a typed text means is the same as in the plugins.
func TestQuestionVectors(t *testing.T) {
	text, err := os.ReadFile("../../internal/toolschema/testdata/forms.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Read []struct {
			Name              string
			Schema, Value     json.RawMessage
			Typed             string
			Required, Omitted bool
			Problem           bool
		}
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, v := range vectors.Read {
		types := slices.DeleteFunc(toolschema.Types(v.Schema), func(kind string) bool { return kind == "null" })
		if len(types) != 1 || types[0] == "array" || types[0] == "object" {
			continue // no property of an elicitation has it
		}
		ran++
		t.Run(v.Name, func(t *testing.T) {
			value, err := newField("p", v.Schema, v.Required).parse(v.Typed)
			if (err != nil) != v.Problem || !v.Problem && (value == nil) != v.Omitted {
				t.Errorf("got %s, %v", value, err)
			} else if value != nil && err == nil && !bytes.Equal(value, v.Value) {
				t.Errorf("got %s, want %s", value, v.Value)
			}
		})
	}
	if ran < 10 {
		t.Errorf("only %d vectors are about what an elicitation has", ran)
	}
}

// A question that is withdrawn while another one is open is never shown.
func TestQuestionWithdrawnBeforeItsTurn(t *testing.T) {
	var shown bytes.Buffer
	terminal := newTerminal(&shown, strings.NewReader("x\n"))
	done, err := terminal.ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := terminal.elicit(ctx, editorapi.Question{Server: "srv", Params: json.RawMessage(`{"message":"m"}`)}); !errors.Is(err, context.Canceled) {
		t.Errorf("elicit returned %v", err)
	}
	done()
	if shown.Len() > 0 {
		t.Errorf("shown was %q", shown.String())
	}
}

// Who answers for another program learns which, and its names are only text.
func TestQuestionForAnotherProgram(t *testing.T) {
	for _, test := range []struct {
		caller *editorapi.Caller
		want   string
	}{
		{nil, "srv asks:\n"},
		{&editorapi.Caller{Name: "Claude Code"}, "srv asks, for Claude Code:\n"},
		{&editorapi.Caller{Name: "Claude\nCode", Tool: "\x1b[2Jwrite"}, `srv asks, for Claude\nCode (tool \u{1b}[2Jwrite):` + "\n"},
	} {
		var shown bytes.Buffer
		terminal := newTerminal(&shown, strings.NewReader("y\n"))
		_, err := terminal.elicit(context.Background(), editorapi.Question{Server: "srv", Params: json.RawMessage(`{"message":"m"}`), Caller: test.caller})
		if text := shown.String(); err != nil || !strings.HasPrefix(text, test.want) {
			t.Errorf("shown was %q, %v, want %q", text, err, test.want)
		}
	}
}
