package oauth

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// paste takes what a person copied from a browser that could not reach this machine: the whole
// address that it ended on, the part of it after "?", or the code alone. The error says why that is
// none and what to do; the sign-in goes on.
func (c *callback) paste(text string) error {
	text = tidy(text)
	query, _, _ := strings.Cut(text, "#")
	address, after, isAddress := strings.Cut(query, "?")
	if isAddress {
		query = after
	}
	values, _ := url.ParseQuery(query)
	hasAny := func(names ...string) bool { return slices.ContainsFunc(names, values.Has) }
	switch {
	case text == "":
		return fmt.Errorf("there is nothing; %s", c.advice())
	case isAddress && address != "" && address != c.address && "http://"+address != c.address,
		!isAddress && (strings.Contains(text, "://") || strings.HasPrefix("http://"+text, c.address)):
		return fmt.Errorf("this is not the address that the browser ended on; %s", c.advice())
	case !isAddress && !hasAny("code", "state", "iss", "error"):
		return c.takeCode(text)
	case !hasAny("code", "error"): // the address at which the person signs in has the state too
		return fmt.Errorf("this address has no code; %s", c.advice())
	}
	_, err := c.take(query)
	if errors.Is(err, errForeign) {
		return fmt.Errorf("%w; %s", err, c.advice())
	}
	return err
}

// tidy undoes what terminals, mails and chats do to an address.
func tidy(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) { // line breaks, and what nobody sees
			return -1
		}
		return r
	}, text)
	return strings.ReplaceAll(strings.Trim(text, "\"'`<>“”„‘’‚«»‹›"), "&amp;", "&")
}

func (c *callback) advice() string {
	return fmt.Sprintf("sign in, and copy the whole address that the browser ends on, which begins with %s?", c.address)
}

// takeCode takes a code alone. It has no state, but the person vouches for it, and the verifier of this
// sign-in (RFC 7636) fits no code of another.
func (c *callback) takeCode(code string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.taken:
		return errUsed
	case c.wanted.issRequired:
		return fmt.Errorf("the code alone does not say who sent it; %s", c.advice())
	case len(code) > maxParameter || strings.ContainsFunc(code, func(r rune) bool { return r <= ' ' || r > '~' }): // RFC 6749, appendix A.11
		return fmt.Errorf("this is not a code; %s", c.advice())
	}
	c.taken = true
	c.responses <- response{code: code} // has room for it
	return nil
}
