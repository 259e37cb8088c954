package authserver

import (
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// authorize takes an authorization request. Whatever is wrong with the client or its redirect
// URI is said on a page; everything else goes back to the client.
func (a *authority) authorize(w http.ResponseWriter, r *http.Request) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		a.page(w, r, "the query cannot be parsed")
		return
	}
	if name := repeated(q); name != "" {
		a.page(w, r, "the parameter "+name+" comes more than once")
		return
	}
	client, err := a.client(q.Get("client_id"))
	if err != nil {
		a.page(w, r, err.Error())
		return
	}
	redirect := q.Get("redirect_uri")
	if !a.redirectMatches(client, redirect) {
		a.page(w, r, "redirect_uri is not one that is registered")
		return
	}
	req := &request{client: client, redirectURI: redirect, state: q.Get("state"), challenge: q.Get("code_challenge"),
		resource: q.Get("resource"), nonce: q.Get("nonce"), scopes: a.scopes(q)}
	if problem := a.refuses(req, q); problem != nil {
		a.s.problem(r, problem.code+": "+problem.text)
		a.respond(w, r, req, url.Values{"error": {problem.code}, "error_description": {problem.text}})
		return
	}
	name := random()
	a.mu.Lock()
	a.requests[name] = req
	a.mu.Unlock()
	http.Redirect(w, r, a.issuer()+"/consent?request="+name, http.StatusFound)
}

// repeated returns a parameter that comes more than once, or "".
func repeated(q url.Values) string {
	for name, values := range q {
		if len(values) > 1 {
			return name
		}
	}
	return ""
}

// challengeForm is what the SHA-256 of a verifier looks like.
var challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// refuses returns the error for a request that the client got wrong, or nil.
func (a *authority) refuses(req *request, q url.Values) *oauthError {
	switch {
	case !req.client.allows(grantCode):
		return &oauthError{"unauthorized_client", "the client may not use authorization_code"}
	case q.Get("response_type") != "code":
		return &oauthError{"unsupported_response_type", "response_type must be code"}
	case q.Get("code_challenge_method") != "S256":
		return &oauthError{"invalid_request", "code_challenge_method must be S256"}
	case !challengeForm.MatchString(req.challenge):
		return &oauthError{"invalid_request", "code_challenge is missing or is not an S256 challenge"}
	case req.state == "":
		return &oauthError{"invalid_request", "state is missing"}
	case a.name == "idp" && !q.Has("resource"): // the identity provider has none
		return a.scopesAllowed(req.client, req.scopes)
	}
	return a.target(req.client, req.resource, a.s.Resource(), req.scopes)
}

// target returns the error for a resource that is not the one that it must be (RFC 8707), or for
// scopes that nobody may have.
func (a *authority) target(client *Client, resource, want string, scopes []string) *oauthError {
	if resource != want {
		return &oauthError{"invalid_target", "resource is missing, or is not " + want}
	}
	return a.scopesAllowed(client, scopes)
}

func (a *authority) scopesAllowed(client *Client, scopes []string) *oauthError {
	known := scopesKnown
	if a.name == "idp" {
		known = scopesOfIDP
	}
	for _, scope := range scopes {
		if !slices.Contains(known, scope) || client.Scope != "" && !slices.Contains(strings.Fields(client.Scope), scope) {
			return &oauthError{"invalid_scope", "the scope " + scope + " is not known or not allowed"}
		}
	}
	return nil
}

// scopes returns the scopes that a request asks for. One without `scope` gets a default: "the
// authorization server MUST either process the request using a pre-defined default value or
// fail" (OAuth 2.1, section 1.4.1).
func (a *authority) scopes(q url.Values) []string {
	if !q.Has("scope") && a.name != "idp" {
		return []string{"mcp"}
	}
	return strings.Fields(q.Get("scope"))
}

// redirectMatches compares a redirect URI with those of a client, as text, or without the port
// for addresses of the loopback interface when the options say so.
func (a *authority) redirectMatches(client *Client, uri string) bool {
	without := withoutLoopbackPort(uri)
	return slices.ContainsFunc(client.RedirectURIs, func(known string) bool {
		return known == uri || a.s.options.AnyLoopbackPort && without != "" && withoutLoopbackPort(known) == without
	})
}

// withoutLoopbackPort returns a URI without its port, if its host is an address of the loopback
// interface: "The authorization server MUST allow any port to be specified at the time of the
// request for loopback IP redirect URIs" (RFC 8252, section 7.3). Otherwise it returns "".
func withoutLoopbackPort(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" || u.User != nil || u.Fragment != "" {
		return ""
	}
	ip := net.ParseIP(u.Hostname())
	if ip == nil || !ip.IsLoopback() {
		return ""
	}
	u.Host = ip.String()
	return u.String()
}

// consent is the page on which a person agrees. This person always agrees, unless `deny` is in
// the query or a knob says so: a GET is enough, so that tests need no browser.
func (a *authority) consent(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("request")
	a.mu.Lock()
	req := a.requests[name]
	delete(a.requests, name)
	a.mu.Unlock()
	if req == nil {
		a.page(w, r, "this request is not known, or was answered already")
		return
	}
	if knobs := a.s.current(); knobs.Deny || r.URL.Query().Has("deny") {
		a.respond(w, r, req, url.Values{"error": {"access_denied"}, "error_description": {"The person said no."}})
		return
	}
	text := a.s.secret("code")
	a.mu.Lock()
	a.codes[text] = &code{request: req, expires: time.Now().Add(codeLife),
		grant: &grant{client: req.client.ID, resource: req.resource, scopes: req.scopes, nonce: req.nonce}}
	a.mu.Unlock()
	a.s.record.change(func(c *Counts) { c.Codes++ })
	a.respond(w, r, req, url.Values{"code": {text}})
}

// respond sends the browser back to the client.
func (a *authority) respond(w http.ResponseWriter, r *http.Request, req *request, values url.Values) {
	knobs := a.s.current()
	if req.state != "" {
		values.Set("state", req.state)
	}
	if knobs.WrongState {
		values.Set("state", "wrong-"+random())
	}
	switch knobs.Iss {
	case "":
		values.Set("iss", a.issuer())
	case "wrong":
		values.Set("iss", "https://evil.example.com")
	}
	u, err := url.Parse(req.redirectURI)
	if err != nil {
		a.page(w, r, "redirect_uri cannot be parsed")
		return
	}
	// "The endpoint URI MAY include a query component, which MUST be retained" (OAuth 2.1, section 2.3).
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += values.Encode()
	http.Redirect(w, r, u.String(), http.StatusFound)
}
