package oauth

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// Fault oauth-challenge: what cannot be read is as if it were not there.
func TestReadChallenge(t *testing.T) {
	const metadata = "https://mcp.example.com/.well-known/oauth-protected-resource"
	tests := []struct {
		name   string
		values []string
		want   challenge
	}{
		{"none", nil, challenge{bearer: true}},
		{"empty", []string{""}, challenge{bearer: true}},
		{"alone", []string{"Bearer"}, challenge{bearer: true}},
		{"of the specification", []string{`Bearer error="insufficient_scope", scope="files:read files:write", resource_metadata="` + metadata + `", error_description="File write permission required"`},
			challenge{true, metadata, []string{"files:read", "files:write"}, "insufficient_scope"}},
		{"without quotes", []string{`Bearer resource_metadata=` + metadata + `, scope=read`}, challenge{bearer: true, metadata: metadata, scopes: []string{"read"}}},
		{"one that cannot be read, and one that can", []string{`Negotiate oYG`, `Bearer scope="read"`}, challenge{bearer: true, scopes: []string{"read"}}},
		{"another before it", []string{`Basic realm="x", Bearer scope="read"`}, challenge{bearer: true, scopes: []string{"read"}}},
		{"token68 before it", []string{`Negotiate YII+a/b==, Bearer scope="read"`}, challenge{bearer: true, scopes: []string{"read"}}},
		{"another value", []string{`Basic realm="x"`, `Bearer scope="read"`}, challenge{bearer: true, scopes: []string{"read"}}},
		{"only others", []string{`Basic realm="x", DPoP algs="ES256"`}, challenge{}},
		{"two: the one with metadata", []string{`Bearer scope="read"`, `Bearer resource_metadata="` + metadata + `"`}, challenge{bearer: true, metadata: metadata}},
		{"two: the first", []string{`Bearer scope="read", Bearer scope="write"`}, challenge{bearer: true, scopes: []string{"read"}}},
		{"scopes that are none", []string{`Bearer scope="read wr\\ite ümlaut read a\"b"`}, challenge{bearer: true, scopes: []string{"read"}}},
		{"an error that is none", []string{`Bearer error="not an error"`}, challenge{bearer: true}},
		{"a quote without an end", []string{`Bearer resource_metadata="https://mcp.exa`}, challenge{bearer: true}},
		{"garbage", []string{`{"error": "unauthorized"}`}, challenge{bearer: true}},
		{"a parameter of nothing", []string{`scope="read"`}, challenge{bearer: true}},
		{"too long", []string{`Bearer scope="` + strings.Repeat("a", maxChallenge) + `"`, `Bearer scope="read"`}, challenge{bearer: true, scopes: []string{"read"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := readChallenge(http.Header{"Www-Authenticate": test.values}); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
