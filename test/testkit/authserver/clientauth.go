package authserver

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/golang-jwt/jwt/v5"
)

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

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
	var methods []string
	if basic {
		methods = append(methods, methodBasic)
	} else {
		id = form.Get("client_id")
	}
	if form.Has("client_secret") {
		methods, secret = append(methods, methodPost), form.Get("client_secret")
	}
	if form.Has("client_assertion") {
		methods = append(methods, methodKey)
		if id == "" { // the assertion has it, and is verified below
			var unverified claims
			_, _, _ = jwt.NewParser().ParseUnverified(assertion, &unverified)
			id = unverified.Subject
		}
	}
	if len(methods) > 1 {
		return nil, errors.New("the client authenticates in more than one way")
	}
	method := append(methods, methodNone)[0]
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
	typ, claims, err := verify(assertion, keys, a.issuer(), a.issuer()+"/token")
	switch {
	case err != nil:
	case typ != "" && !strings.EqualFold(typ, "JWT") && typ != "client-authentication+jwt":
		err = errors.New("typ is not that of a client assertion")
	case claims.Issuer != client.ID || claims.Subject != client.ID:
		err = errors.New("iss and sub must be the client id")
	default:
		err = a.once(claims)
	}
	if err != nil {
		return fmt.Errorf("client_assertion: %w", err)
	}
	return nil
}
