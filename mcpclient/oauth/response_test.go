package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
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
		{"issuer not announced and another", false, code + iss("https://strange.example"), foreign},
		{"issuer with a slash", false, code + iss(testIssuer+"/"), foreign},
		{"issuer in capitals", false, code + iss("https://AS.example/tenant"), foreign},
		{"issuer twice", false, code + issQuery + issQuery, shape},

		{"denied", true, "error=access_denied&error_description=strange" + issQuery, "was denied, by you or by as.example;"},
		{"refused with a reason", false, "error=invalid_scope&error_description=no+such+scope.", "refused the sign-in: invalid_scope: no such scope; sign in again"},
		{"refused with what nobody sees", false, "error=a%1b%5d8&error_description=b%e2%80%ae", `: a\u{1b}]8: b\u{202e};`},
		{"refused although there is a code", false, code + "&error=server_error", "refused the sign-in: server_error; sign in again"},
		{"refused without an issuer", true, "error=strange&error_description=strange", silent},
		{"refused by another", false, "error=strange&error_description=strange" + iss("https://strange.example"), foreign},
		{"error that is empty", false, code + "&error=", ""},

		{"no code", false, "", "without a code"},
		{"code twice", false, code + "&code=strange", shape},
		{"error twice", false, "error=strange&error=strange", shape},
		{"long code", false, "code=" + long, shape},
		{"long description", false, "error=x&error_description=" + long, shape},
		{"damaged", false, code + "&x=%zz", "is damaged"},
		{"with parameters that mean nothing", false, code + "&session_state=a&session_state=b&x", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := listening(t, tt.issRequired)
			page := open(t, c, tt.query+"&state="+testState)
			code, err := c.wait(t.Context())
			c.close(err)
			got := <-page
			if tt.want == "" {
				if code != testCode || err != nil {
					t.Errorf("it is %q, %v", code, err)
				}
				got.check(t, http.StatusOK, "You are signed in")
				return
			}
			wantFailed(t, err, tt.want)
			got.check(t, http.StatusForbidden, "You are not signed in to")
			if code != "" || strings.Contains(err.Error()+got.text, "strange") || len(err.Error()) > 2*maxName {
				t.Errorf("it is %q, %v, and the page shows %s", code, err, got.text)
			}
		})
	}
}
