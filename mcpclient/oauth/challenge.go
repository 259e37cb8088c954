package oauth

import (
	"net/http"
	"slices"
	"strings"
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

// readChallenge reads the challenges of a refusal. nil is that of one without any. What is malformed
// or too long is no challenge.
//
// "MCP clients MUST be able to parse WWW-Authenticate headers" (MCP 2026-07-28, Authorization
// Server Discovery). oauthex.ParseWWWAuthenticate gives up all headers for one that it cannot read,
// and it cannot read token68 (which Negotiate and Basic use), an empty value, or a space before "=".
func readChallenge(header http.Header) challenge {
	var bearers []map[string]string
	others := false
	for _, value := range header.Values("WWW-Authenticate") {
		if len(value) > maxChallenge {
			continue
		}
		for _, c := range readChallenges(value) {
			if c.scheme == "bearer" {
				bearers = append(bearers, c.params)
			} else {
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

// A schemeChallenge is one challenge of RFC 9110, section 11.3. The scheme and the names of the
// parameters are in lower case.
type schemeChallenge struct {
	scheme string
	params map[string]string
}

// readChallenges reads the value of one WWW-Authenticate. It returns nil when the value is malformed.
// Parameters may be separated by spaces alone, as some servers do.
func readChallenges(value string) []schemeChallenge {
	var all []schemeChallenge
	for {
		value = strings.TrimLeft(value, ", \t")
		if value == "" {
			return all
		}
		name, rest := cutToken(value)
		if name == "" {
			return nil
		}
		name = strings.ToLower(name)
		after := strings.TrimLeft(rest, " \t")
		if !strings.HasPrefix(after, "=") {
			all = append(all, schemeChallenge{scheme: name, params: map[string]string{}})
			value = skipToken68(rest)
			continue
		}
		if len(all) == 0 {
			return nil // a parameter of nothing
		}
		param, rest, ok := cutValue(strings.TrimLeft(after[1:], " \t"))
		if !ok {
			return nil
		}
		params := all[len(all)-1].params
		if _, twice := params[name]; !twice {
			params[name] = param
		}
		value = rest
	}
}

// cutToken cuts a token (RFC 9110, section 5.6.2) off the start of s.
func cutToken(s string) (token, rest string) {
	end := strings.IndexFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:]
}

// cutValue cuts a token or a quoted string off the start of s. ok is false when a quote does not end.
// A value without quotes ends at a space or a comma: some servers leave out the quotes of a URL.
func cutValue(s string) (value, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, ", \t")
		if end < 0 {
			end = len(s)
		}
		return s[:end], s[end:], true
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}

// skipToken68 returns what follows the token68 that s begins with, or s when it begins with none:
// it fills all up to a comma or the end.
func skipToken68(s string) string {
	body := strings.TrimLeft(s, " \t")
	end := strings.IndexByte(body, ',')
	if end < 0 {
		end = len(body)
	}
	text := strings.TrimRight(strings.TrimRight(body[:end], " \t"), "=")
	other := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-._~+/", r))
	}
	if text == "" || strings.ContainsFunc(text, other) {
		return s
	}
	return body[end:]
}
