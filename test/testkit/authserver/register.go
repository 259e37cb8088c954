package authserver

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// client returns the client of an id: a registered one, or one whose id is the URL of its
// metadata document.
func (a *authority) client(id string) (*Client, error) {
	if id == "" {
		return nil, errors.New("client_id is missing")
	}
	a.mu.Lock()
	c := a.clients[id]
	a.mu.Unlock()
	if c != nil {
		return c, nil
	}
	if document, ok := a.s.options.ClientDocuments[id]; ok && a.name != "idp" {
		return documented(id, document)
	}
	return nil, errors.New("client_id is not known")
}

// documented returns the client of a client id metadata document.
func documented(id string, document json.RawMessage) (*Client, error) {
	var c Client
	if err := json.Unmarshal(document, &c); err != nil {
		return nil, fmt.Errorf("the client id metadata document is not valid: %w", err)
	}
	c.Method = cmp.Or(c.Method, methodNone)
	u, err := url.Parse(id)
	switch {
	case err != nil || u.Scheme != "https" || u.Host == "" || len(u.Path) < 2 || u.Fragment != "" || u.User != nil:
		return nil, errors.New("client_id is not an https URL with a path")
	case c.ID != id:
		return nil, errors.New("client_id in the client id metadata document is not its URL")
	case c.Name == "" || len(c.RedirectURIs) == 0:
		return nil, errors.New("the client id metadata document must have client_name and redirect_uris")
	case c.Secret != "" || c.Method != methodNone && c.Method != methodKey:
		return nil, errors.New("a client of a metadata document has no secret")
	}
	return &c, c.complete("")
}

// register registers a client (RFC 7591). This is for native applications only.
func (a *authority) register(w http.ResponseWriter, r *http.Request) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	var c Client
	if err == nil {
		err = json.Unmarshal(body, &c)
	}
	if err != nil || kind != "application/json" {
		a.s.fail(w, r, http.StatusBadRequest, "invalid_client_metadata", "the body must be a JSON object with the metadata of a client")
		return
	}
	problem := unregistrable(&c)
	c.ID, c.registered = "client-"+random(), true
	if err := c.complete(a.s.options.Canary); err != nil && problem == nil {
		problem = &oauthError{"invalid_client_metadata", err.Error()}
	}
	if problem != nil {
		a.s.fail(w, r, http.StatusBadRequest, problem.code, problem.text)
		return
	}
	a.s.record.secret(c.Secret)
	a.mu.Lock()
	a.clients[c.ID] = &c
	a.mu.Unlock()
	a.s.record.change(func(n *Counts) { n.Registrations++ })
	registered := map[string]any{
		"client_id": c.ID, "client_id_issued_at": time.Now().Unix(), "token_endpoint_auth_method": c.Method, "redirect_uris": c.RedirectURIs,
		"grant_types": c.GrantTypes, "response_types": c.ResponseTypes, "application_type": c.ApplicationType,
	}
	if c.Name != "" {
		registered["client_name"] = c.Name
	}
	if c.Secret != "" {
		registered["client_secret"], registered["client_secret_expires_at"] = c.Secret, 0
	}
	reply(w, http.StatusCreated, a.s.overlay(registered, a.s.current().Registration))
}

// Forget makes the authorization servers forget the clients that registered themselves, as
// after a loss of their memory. Tokens stay.
func (s *Server) Forget() {
	for _, a := range s.authorities() {
		a.mu.Lock()
		maps.DeleteFunc(a.clients, func(_ string, c *Client) bool { return c.registered })
		a.mu.Unlock()
	}
}

// unregistrable returns the error for a client that cannot be registered, or nil.
func unregistrable(c *Client) *oauthError {
	const metadata, redirect = "invalid_client_metadata", "invalid_redirect_uri"
	if len(c.GrantTypes) == 0 {
		c.GrantTypes = []string{grantCode}
	}
	if len(c.ResponseTypes) == 0 {
		c.ResponseTypes = []string{"code"}
	}
	others := slices.DeleteFunc(slices.Clone(c.GrantTypes), func(t string) bool { return t == grantCode || t == grantRefresh })
	switch {
	case c.ID != "" || c.Secret != "":
		return &oauthError{metadata, "client_id and client_secret are not for the client to choose"}
	case c.ApplicationType != "native":
		return &oauthError{metadata, "application_type must be native"}
	case !c.allows(grantCode) || len(others) > 0:
		return &oauthError{metadata, "grant_types must be authorization_code, with or without refresh_token"}
	case !slices.Equal(c.ResponseTypes, []string{"code"}):
		return &oauthError{metadata, "response_types must be code"}
	case len(c.RedirectURIs) == 0:
		return &oauthError{redirect, "redirect_uris is missing"}
	case slices.ContainsFunc(c.RedirectURIs, func(uri string) bool { return !nativeRedirect(uri) }):
		return &oauthError{redirect, "a redirect URI of a native application must be http on the loopback interface, or of a private scheme"}
	}
	return nil
}

// nativeRedirect tells whether a native application may have this redirect URI (RFC 8252,
// section 7): http on the loopback interface, or a private scheme, which has a dot.
func nativeRedirect(uri string) bool {
	u, err := url.Parse(uri)
	if err != nil || u.Fragment != "" || u.User != nil {
		return false
	}
	if u.Scheme == "http" {
		ip := net.ParseIP(u.Hostname())
		return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	}
	return strings.Contains(u.Scheme, ".")
}
