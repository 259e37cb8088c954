package oauth

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
)

// paste takes what a person copied from a browser that could not reach this machine: the whole
// address that it ended on, the part of it after "?", or the code alone. The error says why that is
// none and what to do; the sign-in goes on.
func (c *callback) paste(text string) error {
	// What terminals, mails and chats make of an address: line breaks, what nobody sees, quotes, angle brackets.
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
	text = strings.ReplaceAll(strings.Trim(text, "\"'`<>“”„‘’"), "&amp;", "&")
	address, query, isAddress := strings.Cut(text, "?")
	if !isAddress {
		address, query = c.address, text
	}
	query, _, _ = strings.Cut(query, "#")
	values, _ := url.ParseQuery(query)
	answers := values.Has("code") || values.Has("error") // the address at which the person signs in has a state too
	var err error
	switch {
	case isAddress && (!answers || address != c.address && "http://"+address != c.address):
		err = errForeign
	case answers:
		err = c.take(query)
	default:
		err = c.takeCode(text)
	}
	if err == nil || errors.Is(err, errUsed) {
		return err
	}
	return fmt.Errorf("%w; sign in, and copy the whole address that the browser ends on, which begins with %s?", err, c.address)
}

// takeCode takes a code alone. It has no state, but the person vouches for it, and the verifier of this
// sign-in (RFC 7636) fits no code of another.
func (c *callback) takeCode(code string) error {
	switch {
	case c.issRequired:
		return errors.New("the code alone does not say who sent it")
	case code == "", len(code) > maxParameter, strings.Contains(code, "://"), strings.HasPrefix("http://"+code, c.address),
		strings.ContainsFunc(code, func(r rune) bool { return r <= ' ' || r > '~' }): // RFC 6749, appendix A.11
		return errors.New("this is neither an address nor a code")
	}
	return c.hand(response{code: code})
}
