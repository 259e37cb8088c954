package config

import (
	"net/url"
)

// Endpoint returns the URL that d is called at, for its scheme, user and host: variables in what
// follows them have no value. ok is false when a variable decides on one of these, or when it is
// no URL of a server.
func (d Definition) Endpoint() (u *url.URL, ok bool) {
	with := func(value string) (*url.URL, bool) {
		text := expandText(d.URL, func(string) string { return value })
		u, err := url.Parse(text)
		return u, err == nil && validURL(text)
	}
	one, ok := with("1")
	two, also := with("2") // what a variable decides is another now
	if !ok || !also || one.Scheme != two.Scheme || one.Host != two.Host || one.User.String() != two.User.String() {
		return nil, false
	}
	return one, true
}
