package authserver

import (
	"crypto"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Enterprise-managed authorization: an employee signs in at the identity provider and gets an
// id token. The client exchanges that for an ID-JAG, which is for one authorization server,
// and with it gets an access token there.
const (
	profileIDJAG = "urn:ietf:params:oauth:grant-profile:id-jag"
	typeIDJAG    = "urn:ietf:params:oauth:token-type:id-jag"
	typeIDToken  = "urn:ietf:params:oauth:token-type:id_token"
	jwtIDJAG     = "oauth-id-jag+jwt" // typ in the header
	idjagLife    = 5 * time.Minute
)

// idToken makes the id token of a person who signed in (OpenID Connect Core, section 2).
func (a *authority) idToken(client *Client, g *grant) string {
	now := time.Now()
	return sign(a.key, "JWT", &claims{Issuer: a.issuer(), Subject: subject, Audience: audience{client.ID},
		Expires: now.Add(time.Hour).Unix(), IssuedAt: now.Unix(), ID: random(), Nonce: g.nonce})
}

// byExchange exchanges an id token for an ID-JAG (RFC 8693). Only the identity provider does.
func (a *authority) byExchange(client *Client, form url.Values) (map[string]any, *oauthError) {
	switch {
	case client.Method == methodNone:
		return nil, &oauthError{"unauthorized_client", "the client has no credentials"}
	case form.Get("requested_token_type") != typeIDJAG:
		return nil, &oauthError{"invalid_request", "requested_token_type must be " + typeIDJAG}
	case form.Get("subject_token_type") != typeIDToken:
		return nil, &oauthError{"invalid_request", "subject_token_type must be " + typeIDToken}
	case form.Get("audience") != a.s.first.issuer():
		return nil, &oauthError{"invalid_target", "audience is not an authorization server that is known"}
	case form.Get("resource") != a.s.Resource():
		return nil, &oauthError{"invalid_target", "resource is missing or not known"}
	}
	_, c, err := verify(form.Get("subject_token"), []crypto.PublicKey{&a.key.PublicKey})
	now := time.Now()
	switch {
	case err != nil:
		return nil, &oauthError{"invalid_grant", "subject_token: " + err.Error()}
	case c.Issuer != a.issuer() || !slices.Equal(c.Audience, audience{client.ID}):
		return nil, &oauthError{"invalid_grant", "subject_token is not for this client"}
	case now.After(time.Unix(c.Expires, 0)):
		return nil, &oauthError{"invalid_grant", "subject_token has expired"}
	}
	scopes := strings.Fields(form.Get("scope"))
	if !a.s.first.scopesAllowed(client, scopes) {
		return nil, &oauthError{"invalid_scope", "a scope is not known or not allowed"}
	}
	text := sign(a.key, jwtIDJAG, &claims{Issuer: a.issuer(), Subject: c.Subject, Audience: audience{a.s.first.issuer()},
		Expires: now.Add(idjagLife).Unix(), IssuedAt: now.Unix(), ID: random(), ClientID: client.ResourceClientID,
		Resource: form.Get("resource"), Scope: strings.Join(scopes, " ")})
	a.s.record.secret(text)
	return map[string]any{"issued_token_type": typeIDJAG, "access_token": text, "token_type": "N_A",
		"expires_in": int(idjagLife.Seconds()), "scope": strings.Join(scopes, " ")}, nil
}

// byAssertion takes an ID-JAG of the identity provider (RFC 7523, section 2.1). There is no
// refresh token: the client comes back with another ID-JAG.
func (a *authority) byAssertion(client *Client, form url.Values) (map[string]any, *oauthError) {
	if client.Method == methodNone {
		return nil, &oauthError{"unauthorized_client", "the client has no credentials"}
	}
	h, c, err := verify(form.Get("assertion"), []crypto.PublicKey{&a.s.idp.key.PublicKey})
	switch {
	case err != nil:
		return nil, &oauthError{"invalid_grant", "assertion: " + err.Error()}
	case h.Typ != jwtIDJAG:
		return nil, &oauthError{"invalid_grant", "assertion: typ must be " + jwtIDJAG}
	case c.Issuer != a.s.idp.issuer() || !slices.Equal(c.Audience, audience{a.issuer()}):
		return nil, &oauthError{"invalid_grant", "assertion is not for this authorization server"}
	case c.ClientID != client.ID:
		return nil, &oauthError{"invalid_grant", "assertion is for another client"}
	case form.Has("resource") && form.Get("resource") != c.Resource:
		return nil, &oauthError{"invalid_target", "resource is not that of the assertion"}
	}
	if code, text := a.targetError(c.Resource, true); code != "" {
		return nil, &oauthError{code, text}
	}
	if err := a.checkTimes(c); err != nil {
		return nil, &oauthError{"invalid_grant", "assertion: " + err.Error()}
	}
	scopes := strings.Fields(c.Scope)
	if form.Has("scope") {
		scopes = slices.DeleteFunc(strings.Fields(form.Get("scope")), func(scope string) bool { return !slices.Contains(scopes, scope) })
	}
	if !a.scopesAllowed(client, scopes) {
		return nil, &oauthError{"invalid_scope", "a scope is not known or not allowed"}
	}
	return a.issue(client, &grant{client: client.ID, resource: c.Resource, scopes: scopes}, scopes, false), nil
}
