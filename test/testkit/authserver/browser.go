package authserver

import (
	"context"
	"errors"
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

// transport keeps no connections: a client's listener may end after one.
var transport = &http.Transport{DisableKeepAlives: true}

// Visit opens an authorization URL and follows redirects. A page that says what went wrong is no
// error.
func (b Browser) Visit(ctx context.Context, address string) (*Visit, error) {
	if !slices.Contains([]string{"", "consent", "redirect"}, b.StopAt) {
		return nil, fmt.Errorf("stopAt: %q is not one of consent, redirect", b.StopAt)
	}
	v := &Visit{URL: address}
	first, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err == nil {
		err = onLoopback(first.URL)
	}
	if err != nil {
		return v, err
	}
	first.Header.Set("Accept", "text/html")
	client := &http.Client{Transport: transport, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		q := next.URL.Query()
		consent := strings.HasSuffix(next.URL.Path, "/consent") && q.Has("request")
		leaves := q.Has("state") || q.Has("code") || q.Has("error")
		if b.StopAt == "consent" && consent || b.StopAt == "redirect" && leaves {
			v.Next = next.URL.String()
			return http.ErrUseLastResponse
		}
		if len(via) >= maxHops {
			return errors.New("there are too many redirects")
		}
		if consent && b.Deny {
			next.URL.RawQuery += "&deny=1"
		}
		return onLoopback(next.URL)
	}}
	answer, err := client.Do(first)
	if err != nil {
		return v, err
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(io.LimitReader(answer.Body, maxPage))
	v.URL, v.Status, v.Page = answer.Request.URL.String(), answer.StatusCode, string(page)
	return v, err
}

// onLoopback fails for a URL that leads to another machine.
func onLoopback(u *url.URL) error {
	if ip := net.ParseIP(u.Hostname()); u.Scheme != "http" || u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%s is not on the loopback interface", u)
	}
	return nil
}
