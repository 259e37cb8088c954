package config

import (
	"net/url"
)

// Endpoint returns the URL of d, for its scheme, user and host only: variables in the rest of it
// have no value. ok is false when a variable decides one of these three, or when this is not
// the URL of a server.
func (d Definition) Endpoint() (u *url.URL, ok bool) {
	with := func(value string) (*url.URL, bool) {
		text := expandText(d.URL, func(string) string { return value })
		u, err := url.Parse(text)
		return u, err == nil && validURL(text)
	}
	one, ok := with("1")
	two, also := with("2") // differs wherever a variable decides
	if !ok || !also || one.Scheme != two.Scheme || one.Host != two.Host || one.User.String() != two.User.String() {
		return nil, false
	}
	return one, true
}
