package oauth

import (
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// maxChallenge is how many bytes a WWW-Authenticate may have. A longer one is ignored.
const maxChallenge = 16 << 10

// A challenge is what a refusal says about authorization (RFC 6750, section 3; RFC 9728, section 5.1).
type challenge struct {
	bearer   bool     // it asks for a Bearer token, or has no challenge at all
	metadata string   // where the metadata of the resource is; "" when it does not say, not checked otherwise
	scopes   []string // that the request would have needed
	code     string   // the error, such as invalid_token or insufficient_scope; "" when it does not say
}

// readChallenge reads the challenges of a refusal. nil is that of one without any. A value that is
// malformed or too long is no challenge.
//
// "MCP clients MUST be able to parse WWW-Authenticate headers" (MCP 2026-07-28, Authorization
// Server Discovery). oauthex.ParseWWWAuthenticate gives up all values for one that it cannot read, so
// it gets them one by one.
func readChallenge(header http.Header) challenge {
	var bearers []map[string]string
	others := false
	for _, value := range header.Values("WWW-Authenticate") {
		if len(value) > maxChallenge {
			continue
		}
		challenges, _ := oauthex.ParseWWWAuthenticate([]string{value})
		for _, c := range challenges {
			switch {
			case c.Scheme == "bearer":
				bearers = append(bearers, c.Params)
			case !strings.Contains(c.Scheme, "="): // else it is a parameter of nothing
				others = true
			}
		}
	}
	if len(bearers) == 0 {
		return challenge{bearer: !others}
	}
	// One that says where the metadata is was made for clients like us.
	params := bearers[max(0, slices.IndexFunc(bearers, func(p map[string]string) bool { return p["resource_metadata"] != "" }))]
	c := challenge{bearer: true, metadata: params["resource_metadata"], scopes: validScopes(strings.Fields(params["scope"]))}
	if code := params["error"]; isScope(code) {
		c.code = code
	}
	return c
}

// maxScopes is how many scopes are taken from one list. The rest is ignored.
const maxScopes = 256

// validScopes returns the scopes that are valid, each once; nil when there are none.
func validScopes(scopes []string) (valid []string) {
	for _, scope := range scopes {
		if len(valid) < maxScopes && isScope(scope) && !slices.Contains(valid, scope) {
			valid = append(valid, scope)
		}
	}
	return valid
}

// isScope reports whether s is a scope-token, or an error code, which has the same characters
// (RFC 6749, sections 3.3 and 5.2).
func isScope(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return s != ""
}
