package oauth

import (
	"errors"
	"strings"
	"testing"
)

func TestPaste(t *testing.T) {
	for _, tt := range []struct {
		name string
		text string // ADDRESS is the callback's, HOST what follows http://, QUERY a good query
	}{
		{"the address", "ADDRESS?QUERY"},
		{"without its scheme", "HOST?QUERY"},
		{"the query", "QUERY"},
		{"with spaces around it", " \t ADDRESS?QUERY \r\n"},
		{"in quotes", `"ADDRESS?QUERY"`},
		{"in quotes of a text", "“ADDRESS?QUERY”"},
		{"in angle brackets", "<ADDRESS?QUERY>"},
		{"from the source of a page", "ADDRESS?HTML"},
		{"over lines", "ADDRESS?BROKEN"},
		{"with what nobody sees", "\ufeffADDRESS?QUERY\u200b"},
		{"with a fragment", "ADDRESS?QUERY#_=_"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := listening(t, true)
			text := strings.NewReplacer("ADDRESS", c.address, "HOST", strings.TrimPrefix(c.address, "http://"), "QUERY", goodQuery,
				"HTML", strings.ReplaceAll(goodQuery, "&", "&amp;"), "BROKEN", goodQuery[:9]+"\r\n   "+goodQuery[9:30]+"\n"+goodQuery[30:]).Replace(tt.text)
			if err := c.paste(text); err != nil {
				t.Fatal(err)
			}
			wantCode(t, c)
			if err := c.paste(text); !errors.Is(err, errUsed) {
				t.Errorf("pasting it again: %v", err)
			}
		})
	}
}

func TestPasteACode(t *testing.T) {
	for _, code := range []string{testCode, "4/0AX4-x_y", "abc==", "a#b", "a&b=c"} {
		t.Run(code, func(t *testing.T) {
			c := listening(t, false)
			if err := c.paste(" " + code + "\n"); err != nil {
				t.Fatal(err)
			}
			if err := c.paste(code); !errors.Is(err, errUsed) {
				t.Errorf("pasting it again: %v", err)
			}
			if got, err := c.wait(t.Context()); got != code || err != nil {
				t.Errorf("it is %q, %v", got, err)
			}
		})
	}
}

// What does not fit is refused with advice, and the sign-in goes on.
func TestPasteRefuses(t *testing.T) {
	const (
		other = "does not belong"
		none  = "neither an address nor a code"
	)
	for _, tt := range []struct {
		name, text  string
		issRequired bool
		want        string
	}{
		{"nothing", " \n", false, none},
		{"a code alone", testCode, true, "does not say who sent it"},
		{"no code", "not\x01code", false, none},
		{"another alphabet", "kód", false, none},
		{"a long code", strings.Repeat("x", maxParameter+1), false, none},
		{"another state", "ADDRESS?code=x&state=x", false, other},
		{"no state", "code=x", false, other},
		{"the address of the sign-in", "https://as.example/authorize?response_type=code&state=" + testState, false, other},
		{"another path", "ADDRESS/x?" + goodQuery, false, other},
		{"another port", "http://127.0.0.1:1/x?" + goodQuery, false, other},
		{"the address without its end", "ADDRESS", false, none},
		{"the address without its code", "ADDRESS?state=" + testState + issQuery, false, other},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := listening(t, tt.issRequired)
			err := c.paste(strings.Replace(tt.text, "ADDRESS", c.address, 1))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "begins with "+c.address+"?") {
				t.Errorf("the error is %v, want %q and advice", err, tt.want)
			}
			if err := c.paste(goodQuery); err != nil {
				t.Errorf("after it: %v", err)
			}
		})
	}
}
