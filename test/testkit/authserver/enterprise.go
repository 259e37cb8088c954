package authserver

import (
	"fmt"
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

// scopesOfIDP are the scopes that the identity provider gives.
var scopesOfIDP = []string{"openid", "profile", "email", "offline_access"}

// idToken makes the id token of a person who signed in (OpenID Connect Core, section 2).
func (a *authority) idToken(client *Client, g *grant) string {
	c := newClaims(a.issuer(), subject, client.ID, time.Hour)
	c.Nonce = g.nonce
	text := sign(a.key, "JWT", c)
	a.s.record.secret(text)
	return text
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
	case form.Get("audience") != a.s.Issuer():
		return nil, &oauthError{"invalid_target", "audience is not an authorization server that is known"}
	}
	_, c, err := verify(form.Get("subject_token"), a.keySet(), client.ID)
	if err != nil || c.Issuer != a.issuer() {
		return nil, &oauthError{"invalid_grant", fmt.Sprintf("subject_token is not for this client: %v", err)}
	}
	scopes := strings.Fields(form.Get("scope"))
	if problem := a.s.first.target(client, form.Get("resource"), a.s.Resource(), scopes); problem != nil {
		return nil, problem
	}
	jag := newClaims(a.issuer(), c.Subject, a.s.Issuer(), idjagLife)
	jag.ClientID, jag.Resource, jag.Scope = client.ResourceClientID, form.Get("resource"), strings.Join(scopes, " ")
	text := sign(a.key, jwtIDJAG, jag)
	a.s.record.secret(text)
	return map[string]any{"issued_token_type": typeIDJAG, "access_token": text, "token_type": "N_A",
		"expires_in": int(idjagLife.Seconds()), "scope": jag.Scope}, nil
}

// byAssertion takes an ID-JAG of the identity provider (RFC 7523, section 2.1). There is no
// refresh token: the client comes back with another ID-JAG.
func (a *authority) byAssertion(client *Client, form url.Values) (map[string]any, *oauthError) {
	if client.Method == methodNone {
		return nil, &oauthError{"unauthorized_client", "the client has no credentials"}
	}
	typ, c, err := verify(form.Get("assertion"), a.s.idp.keySet(), a.issuer())
	switch {
	case err != nil:
		return nil, &oauthError{"invalid_grant", "assertion: " + err.Error()}
	case typ != jwtIDJAG || c.Issuer != a.s.IDPIssuer():
		return nil, &oauthError{"invalid_grant", "assertion is not an ID-JAG of the identity provider"}
	case c.ClientID != client.ID:
		return nil, &oauthError{"invalid_grant", "assertion is for another client"}
	case form.Has("resource") && form.Get("resource") != c.Resource:
		return nil, &oauthError{"invalid_target", "resource is not that of the assertion"}
	}
	scopes := strings.Fields(c.Scope)
	if form.Has("scope") {
		wanted := strings.Fields(form.Get("scope"))
		scopes = slices.DeleteFunc(wanted, func(scope string) bool { return !slices.Contains(scopes, scope) })
	}
	if problem := a.target(client, c.Resource, a.s.Resource(), scopes); problem != nil {
		return nil, problem
	}
	if err := a.once(c); err != nil {
		return nil, &oauthError{"invalid_grant", "assertion: " + err.Error()}
	}
	return a.issue(client, &grant{client: client.ID, resource: c.Resource, scopes: scopes}, scopes, false), nil
}
