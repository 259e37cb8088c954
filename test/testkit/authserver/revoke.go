package authserver

import (
	"fmt"
	"net/http"
	"time"
)

// revoke is the revocation endpoint (RFC 7009). A token that is not known is no error.
func (a *authority) revoke(w http.ResponseWriter, r *http.Request) {
	client, form := a.readPost(w, r)
	if client == nil {
		return
	}
	text := form.Get("token")
	if text == "" {
		a.s.fail(w, r, http.StatusBadRequest, "invalid_request", "token is missing")
		return
	}
	a.mu.Lock()
	t := a.tokens[text]
	known := t != nil && t.client == client.ID
	if known {
		t.revoke()
	}
	a.mu.Unlock()
	if known {
		a.s.record.change(func(c *Counts) { c.Revocations++ })
	} else {
		a.s.problem(r, "the token is not known to this client")
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
}

// revoke revokes a token. With a refresh token nothing that came of the same consent works any
// longer. The lock of its authority is held.
func (t *token) revoke() {
	if t.revoked = true; t.kind == "refresh" {
		t.grant.revoked = true
	}
}

// Expire makes every token of a kind that there is, "access" or "refresh", expire now.
func (s *Server) Expire(kind string) error {
	return s.each(kind, func(t *token) { t.expires = time.Now() })
}

// Revoke revokes every token of a kind that there is, "access" or "refresh".
func (s *Server) Revoke(kind string) error { return s.each(kind, (*token).revoke) }

// each changes every token of a kind, of every authority.
func (s *Server) each(kind string, do func(*token)) error {
	if kind != "access" && kind != "refresh" {
		return fmt.Errorf("the kind of a token is access or refresh, not %q", kind)
	}
	for _, a := range s.authorities() {
		a.mu.Lock()
		for _, t := range a.tokens {
			if t.kind == kind {
				do(t)
			}
		}
		a.mu.Unlock()
	}
	return nil
}
