package oauth

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestResponses(t *testing.T) {
	const (
		silent  = "without saying that as.example sent it"
		foreign = "from another authorization server than as.example"
		shape   = "is not what an authorization server sends"
	)
	iss := func(issuer string) string { return "&iss=" + url.QueryEscape(issuer) }
	code := "code=" + testCode
	long := strings.Repeat("x", maxParameter+1)
	for _, tt := range []struct {
		name        string
		issRequired bool
		query       string // without the state
		want        string // what the message has; "" for the code
	}{
		{"issuer announced and there", true, code + issQuery, ""},
		{"issuer announced and not there", true, code, silent},
		{"issuer announced and empty", true, code + "&iss=", foreign},
		{"issuer announced and another", true, code + iss("https://strange.example"), foreign},
		{"issuer not announced but there", false, code + issQuery, ""},
		{"issuer not announced and not there", false, code, ""},
		{"issuer not announced and empty", false, code + "&iss=", foreign},
		{"issuer not announced and another", false, code + iss("https://strange.example"), foreign},
		{"issuer with a slash", false, code + iss(testIssuer+"/"), foreign},
		{"issuer in capitals", false, code + iss("https://AS.example/tenant"), foreign},
		{"issuer with its port", false, code + iss("https://as.example:443/tenant"), foreign},
		{"issuer escaped", false, code + iss("https://as.example/%74enant"), foreign},
		{"issuer twice", false, code + issQuery + issQuery, shape},

		{"denied", true, "error=access_denied&error_description=strange" + issQuery, "was denied, by you or by as.example;"},
		{"refused", false, "error=invalid_scope", "as.example refused the sign-in: invalid_scope; sign in again"},
		{"refused with a reason", false, "error=invalid_scope&error_description=no+such+scope.", "refused the sign-in: invalid_scope: no such scope; sign in again"},
		{"refused with what nobody sees", false, "error=a%1b%5d8&error_description=b%e2%80%ae", `: a\u{1b}]8: b\u{202e};`},
		{"refused although there is a code", false, code + "&error=server_error", "server_error"},
		{"refused without an issuer", true, "error=strange&error_description=strange", silent},
		{"refused by another", false, "error=strange&error_description=strange" + iss("https://strange.example"), foreign},
		{"error that is empty", false, code + "&error=", ""},

		{"no code", false, "", "without a code"},
		{"empty code", false, "code=", "without a code"},
		{"code twice", false, code + "&code=strange", shape},
		{"error twice", false, "error=strange&error=strange", shape},
		{"description twice", false, "error=x&error_description=strange&error_description=strange", shape},
		{"long code", false, "code=" + long, shape},
		{"long issuer", false, code + "&iss=" + long, shape},
		{"long error", false, "error=" + long, shape},
		{"long description", false, "error=x&error_description=" + long, shape},
		{"damaged", false, code + "&x=%zz", "is damaged"},
		{"with parameters that mean nothing", false, code + "&session_state=a&session_state=b&x", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := listening(t, tt.issRequired)
			page := open(t, c, tt.query+"&state="+testState)
			code, finish, err := c.wait(t.Context())
			finish(nil) // no-op for what is refused already
			if tt.want == "" {
				if code != testCode || err != nil {
					t.Errorf("it is %q, %v", code, err)
				}
				(<-page).check(t, http.StatusOK, "You are signed in")
				return
			}
			failed, ok := errors.AsType[*Failed](err)
			if !ok || code != "" || !strings.Contains(failed.Message, tt.want) || strings.Contains(failed.Message, "strange") {
				t.Errorf("it is %q, %v, want %q", code, err, tt.want)
			}
			got := <-page
			got.check(t, http.StatusForbidden, "You are not signed in to")
			if strings.Contains(got.text, "strange") {
				t.Errorf("the page shows what came: %s", got.text)
			}
		})
	}
}

func TestLongReason(t *testing.T) {
	e := expected{issuer: testIssuer}
	_, err := e.check(url.Values{"error": {"x"}, "error_description": {strings.Repeat("ä", 1000)}})
	if n := utf8.RuneCountInString(err.Error()); n < maxName || n > maxName+100 {
		t.Errorf("the message has %d characters: %v", n, err)
	}
}
