package oauth

import (
	"crypto/subtle"
	"errors"
	"net/url"
	"strings"
)

const maxParameter = 4 << 10 // bytes of a parameter of a response

// Failed says that a sign-in was refused, or that what came back does not fit. Message is one
// sentence that a person can act on, and safe to show.
type Failed struct{ Message string }

func (f *Failed) Error() string { return f.Message }

// response is what the browser brought: a code, or a [*Failed].
type response struct {
	code string
	err  error
}

var (
	errForeign = errors.New("it does not belong to the sign-in that is under way")
	errUsed    = errors.New("it was used already")
)

// take hands the response in a query string to wait when it is the first that belongs to the sign-in.
// The error is errForeign or errUsed. Of a response that does not belong, nothing is looked at but its
// state.
func (c *callback) take(query string) error {
	values, malformed := url.ParseQuery(query)
	states := values["state"]
	if len(states) != 1 || subtle.ConstantTimeCompare([]byte(states[0]), []byte(c.state)) != 1 {
		return errForeign
	}
	if malformed != nil {
		return c.hand(response{err: &Failed{"what the browser came back with is damaged; sign in again"}})
	}
	code, err := c.check(values)
	return c.hand(response{code, err})
}

// hand gives a response to wait. The error is errUsed where it has one.
func (c *callback) hand(r response) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.taken {
		return errUsed
	}
	c.taken = true
	c.responses <- r // has room for it
	return nil
}

// check returns the code of a response with the right state. The error is a [*Failed].
//
// It refuses a response of another authorization server than the one that was asked (RFC 9207), before it looks at
// any other parameter. MCP 2026-07-28, Authorization Response Validation: an iss that is there is compared, also where
// the metadata does not announce it; one that is announced must be there; "MUST NOT apply […] normalization". A
// mismatch says nothing of what came, errors included: the attacker wrote it.
func (c *callback) check(values url.Values) (code string, err error) {
	// "Request and response parameters MUST NOT be included more than once" (RFC 6749, section 3.1, 3.2).
	for _, name := range []string{"iss", "code", "error", "error_description"} {
		if len(values[name]) > 1 || len(values.Get(name)) > maxParameter {
			return "", &Failed{"what the browser came back with is not what an authorization server sends; sign in again"}
		}
	}
	host, code, reason := hostIn(c.issuer), values.Get("code"), values.Get("error")
	switch {
	case !values.Has("iss") && c.issRequired:
		return "", &Failed{"the browser came back without saying that " + host + " sent it, which always says so; do not go on there, and sign in again"}
	case values.Has("iss") && values.Get("iss") != c.issuer:
		return "", &Failed{"the browser came back from another authorization server than " + host + ", where the sign-in began; do not go on there, and sign in again"}
	case reason == "access_denied": // RFC 6749, section 4.1.2.1
		return "", &Failed{"the sign-in was denied, by you or by " + host + "; sign in again if that was a mistake"}
	case reason != "":
		if description := values.Get("error_description"); description != "" {
			reason += ": " + description
		}
		return "", &Failed{host + " refused the sign-in: " + strings.TrimRight(clip(reason), ". ") + "; sign in again, or ask those who run it"}
	case code == "":
		return "", &Failed{host + " sent the browser back without a code; sign in again"}
	}
	return code, nil
}
