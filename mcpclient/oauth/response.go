package oauth

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

const maxParameter = 4 << 10 // bytes of a parameter of a response

// Failed says that a sign-in was refused, or that what came back does not fit. Message is one
// sentence that a person can act on, and safe to show.
type Failed struct{ Message string }

func (f *Failed) Error() string { return f.Message }

// expected says which responses belong to a sign-in.
type expected struct {
	state       string // never ""
	issuer      string // of the authorization server, exactly as in its metadata
	issRequired bool   // its metadata has authorization_response_iss_parameter_supported
}

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
func (c *callback) take(query string) (response, error) {
	values, malformed := url.ParseQuery(query)
	c.mu.Lock()
	defer c.mu.Unlock()
	states := values["state"]
	if len(states) != 1 || subtle.ConstantTimeCompare([]byte(states[0]), []byte(c.wanted.state)) != 1 {
		return response{}, errForeign
	}
	if c.taken {
		return response{}, errUsed
	}
	var r response
	if malformed != nil {
		r.err = &Failed{"what the browser came back with is damaged; sign in again"}
	} else {
		r.code, r.err = c.wanted.check(values)
	}
	c.taken = true
	c.responses <- r // has room for it
	return r, nil
}

// check returns the code of a response with the right state. The error is a [*Failed].
func (e *expected) check(values url.Values) (code string, err error) {
	// "Request and response parameters MUST NOT be included more than once" (RFC 6749, section 3.1, 3.2).
	for _, name := range []string{"iss", "code", "error", "error_description"} {
		if len(values[name]) > 1 || len(values.Get(name)) > maxParameter {
			return "", &Failed{"what the browser came back with is not what an authorization server sends; sign in again"}
		}
	}
	if err := e.checkIssuer(values); err != nil { // before any other parameter is looked at
		return "", err
	}
	if values.Get("error") != "" {
		return "", e.denied(values.Get("error"), values.Get("error_description"))
	}
	if values.Get("code") == "" {
		return "", &Failed{fmt.Sprintf("%s sent the browser back without a code; sign in again", hostIn(e.issuer))}
	}
	return values.Get("code"), nil
}

// checkIssuer refuses a response of another authorization server than the one that was asked (RFC 9207).
//
// MCP 2026-07-28, Authorization Response Validation: an iss that is there is compared, also where the
// metadata does not announce it; one that is announced must be there; "MUST NOT apply […] normalization".
// A mismatch says nothing of what came, errors included: the attacker wrote it.
func (e *expected) checkIssuer(values url.Values) error {
	switch {
	case !values.Has("iss") && e.issRequired:
		return &Failed{fmt.Sprintf("the browser came back without saying that %s sent it, which always says so; do not go on there, and sign in again", hostIn(e.issuer))}
	case values.Has("iss") && values.Get("iss") != e.issuer:
		return &Failed{fmt.Sprintf("the browser came back from another authorization server than %s, where the sign-in began; do not go on there, and sign in again", hostIn(e.issuer))}
	}
	return nil
}

// denied says why the authorization server gave no code (RFC 6749, section 4.1.2.1).
func (e *expected) denied(code, description string) error {
	if code == "access_denied" {
		return &Failed{fmt.Sprintf("the sign-in was denied, by you or by %s; sign in again if that was a mistake", hostIn(e.issuer))}
	}
	reason := code
	if description != "" {
		reason += ": " + description
	}
	reason = strings.TrimRight(clip(reason), ". ")
	return &Failed{fmt.Sprintf("%s refused the sign-in: %s; sign in again, or ask those who run it", hostIn(e.issuer), reason)}
}
