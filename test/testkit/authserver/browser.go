package authserver

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	maxHops = 10
	maxPage = 1 << 20 // bytes of a page that the browser keeps
)

// A Browser plays the person who signs in. It goes nowhere but to addresses of the loopback
// interface.
type Browser struct {
	// Deny says no on the consent page.
	Deny bool `json:"deny,omitempty"`
	// StopAt ends the visit early: "consent" shows the consent page and leaves it, "redirect"
	// has the code but does not bring it to the client. The next URL is then Visit.Next.
	StopAt string `json:"stopAt,omitempty"`
}

// A Visit is what the person saw.
type Visit struct {
	URL    string `json:"url"`    // the last one that was opened
	Status int    `json:"status"` // of the last page
	Page   string `json:"page"`   // its text
	// Next is where the last page leads, which Browser.StopAt kept from being opened.
	Next string `json:"next,omitempty"`
}

// Visit opens an authorization URL and follows redirects by hand. A page that says what went
// wrong is no error.
func (b Browser) Visit(ctx context.Context, address string) (*Visit, error) {
	if !slices.Contains([]string{"", "consent", "redirect"}, b.StopAt) {
		return nil, fmt.Errorf("stopAt: %q is not one of consent, redirect", b.StopAt)
	}
	v := &Visit{}
	for range maxHops {
		next, err := v.open(ctx, address)
		if err != nil || next == nil {
			return v, err
		}
		q := next.Query()
		consent := strings.HasSuffix(next.Path, "/consent") && q.Has("request")
		leaves := q.Has("state") || q.Has("code") || q.Has("error")
		if b.StopAt == "consent" && consent || b.StopAt == "redirect" && leaves {
			v.Next = next.String()
			return v, nil
		}
		if consent && b.Deny {
			next.RawQuery += "&deny=1"
		}
		address = next.String()
	}
	return v, fmt.Errorf("more than %d redirects", maxHops)
}

// open opens one URL. It returns where the answer redirects to, if it does.
func (v *Visit) open(ctx context.Context, address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme != "http" || u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%s is not on the loopback interface", address)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/html")
	v.URL = address
	answer, err := transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(io.LimitReader(answer.Body, maxPage))
	if err != nil {
		return nil, err
	}
	v.Status, v.Page = answer.StatusCode, string(page)
	if location := answer.Header.Get("Location"); location != "" && answer.StatusCode/100 == 3 {
		return u.Parse(location)
	}
	return nil, nil
}

// transport keeps no connections: a client's listener may end after one.
var transport = &http.Transport{DisableKeepAlives: true}
