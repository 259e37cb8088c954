package authserver

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
	leeway        = 30 * time.Second // that clocks may differ by
	longest       = time.Hour        // that an assertion may last
)

// authenticate returns the client of a request to the token or revocation endpoint. It takes
// exactly the method that the client is registered with.
func (a *authority) authenticate(r *http.Request, form url.Values) (*Client, error) {
	id, secret, basic := r.BasicAuth()
	if basic {
		a.s.record.secret(strings.TrimSpace(r.Header.Get("Authorization")[len("Basic "):]))
		// Both are form-encoded before they are put together (OAuth 2.1, section 2.4.1).
		var err1, err2 error
		id, err1 = url.QueryUnescape(id)
		secret, err2 = url.QueryUnescape(secret)
		if err1 != nil || err2 != nil {
			return nil, errors.New("the Authorization header is not form-encoded")
		}
		if form.Has("client_id") && form.Get("client_id") != id {
			return nil, errors.New("client_id differs from the Authorization header")
		}
	} else if r.Header.Get("Authorization") != "" {
		return nil, errors.New("the Authorization header is not Basic")
	}
	assertion := form.Get("client_assertion")
	methods := 0
	for _, used := range []bool{basic, form.Has("client_secret"), form.Has("client_assertion")} {
		if used {
			methods++
		}
	}
	if methods > 1 {
		return nil, errors.New("the client authenticates in more than one way")
	}
	method := methodNone
	switch {
	case basic:
		method = methodBasic
	case form.Has("client_secret"):
		method, id, secret = methodPost, form.Get("client_id"), form.Get("client_secret")
	case form.Has("client_assertion"):
		method, id = methodKey, form.Get("client_id")
		if id == "" {
			id = unverifiedSubject(assertion)
		}
	default:
		id = form.Get("client_id")
	}
	client, err := a.client(id)
	if err != nil {
		return nil, err
	}
	if method != client.Method {
		return nil, fmt.Errorf("the client authenticates with %s, but is registered with %s", method, client.Method)
	}
	switch method {
	case methodBasic, methodPost:
		if subtle.ConstantTimeCompare([]byte(secret), []byte(client.Secret)) != 1 {
			return nil, errors.New("the client secret is wrong")
		}
	case methodKey:
		a.s.record.secret(assertion)
		return client, a.checkAssertion(client, form.Get("client_assertion_type"), assertion)
	}
	return client, nil
}

// checkAssertion checks the JWT by which a client authenticates (RFC 7523, section 3).
func (a *authority) checkAssertion(client *Client, kind, assertion string) error {
	if kind != assertionType {
		return errors.New("client_assertion_type is wrong")
	}
	keys, err := parseKeys(client.JWKS)
	if err != nil {
		return err
	}
	header, claims, err := verify(assertion, keys)
	if err != nil {
		return fmt.Errorf("client_assertion: %w", err)
	}
	switch {
	case header.Typ != "" && !strings.EqualFold(header.Typ, "JWT") && header.Typ != "client-authentication+jwt":
		return errors.New("client_assertion: typ is not that of a client assertion")
	case claims.Issuer != client.ID || claims.Subject != client.ID:
		return errors.New("client_assertion: iss and sub must be the client id")
	case len(claims.Audience) != 1 || claims.Audience[0] != a.issuer() && claims.Audience[0] != a.base()+"/token":
		return errors.New("client_assertion: aud must be the issuer or the token endpoint, and nothing else")
	}
	if err := a.checkTimes(claims); err != nil {
		return fmt.Errorf("client_assertion: %w", err)
	}
	return nil
}

// checkTimes checks when a JWT is valid, and that it comes once only.
func (a *authority) checkTimes(claims *claims) error {
	now := time.Now()
	expires := time.Unix(claims.Expires, 0)
	switch {
	case now.After(expires.Add(leeway)):
		return errors.New("exp is missing or has passed")
	case expires.After(now.Add(longest + leeway)):
		return errors.New("it lasts longer than an hour")
	case claims.IssuedAt != 0 && time.Unix(claims.IssuedAt, 0).After(now.Add(leeway)):
		return errors.New("iat is in the future")
	case claims.NotBefore != 0 && time.Unix(claims.NotBefore, 0).After(now.Add(leeway)):
		return errors.New("nbf is in the future")
	case claims.ID == "":
		return errors.New("jti is missing")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	key := claims.Issuer + "\x00" + claims.ID
	if a.seen[key] {
		return errors.New("jti was used before")
	}
	a.seen[key] = true
	return nil
}
