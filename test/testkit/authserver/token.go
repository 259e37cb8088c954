package authserver

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// oauthError is an answer that refuses a request.
type oauthError struct {
	code, text string
}

// readPost reads and checks the form of a request with client authentication. It answers the
// request itself, and returns no client, when something is wrong.
func (a *authority) readPost(w http.ResponseWriter, r *http.Request) (*Client, url.Values) {
	problem := ""
	if len(r.PostForm) == 0 {
		problem = "the body must be a form"
	} else if r.URL.RawQuery != "" {
		problem = "parameters must not be in the URL"
	} else if name := repeated(r.PostForm); name != "" {
		problem = name + " comes more than once"
	}
	if problem != "" {
		a.s.fail(w, r, http.StatusBadRequest, "invalid_request", problem)
		return nil, nil
	}
	a.s.record.secret(r.PostForm.Get("code_verifier"))
	client, err := a.authenticate(r, r.PostForm)
	if err != nil {
		if r.Header.Get("Authorization") != "" {
			w.Header().Set("WWW-Authenticate", `Basic realm="clients"`)
		}
		a.s.fail(w, r, http.StatusUnauthorized, "invalid_client", err.Error())
		return nil, nil
	}
	return client, r.PostForm
}

// exchange is the token endpoint.
func (a *authority) exchange(w http.ResponseWriter, r *http.Request) {
	client, form := a.readPost(w, r)
	if client == nil {
		return
	}
	knobs := a.s.current()
	with := knobs.TokenResponse
	grants := map[string]func(*Client, url.Values) (map[string]any, *oauthError){
		grantCode: a.byCode, grantRefresh: a.byRefresh, grantClient: a.byClient,
	}
	switch {
	case a.name == "idp":
		delete(grants, grantClient)
		grants[grantExchange] = a.byExchange
		with = knobs.IDPResponse
	case a.s.idp != nil && a.name == "issuer":
		grants[grantBearer] = a.byAssertion
	}
	var tokens map[string]any
	problem := &oauthError{"unsupported_grant_type", "grant_type is missing or not known"}
	grantType := form.Get("grant_type")
	if by := grants[grantType]; by != nil && !client.allows(grantType) {
		problem = &oauthError{"unauthorized_client", "the client may not use this grant type"}
	} else if by != nil {
		tokens, problem = by(client, form)
	}
	if problem != nil {
		a.s.fail(w, r, http.StatusBadRequest, problem.code, problem.text)
		return
	}
	made, _ := tokens["access_token"].(string)
	reply(w, http.StatusOK, a.s.overlay(tokens, with, "$TOKEN", made))
}

// verifierForm is what a verifier looks like (RFC 7636, section 4.1).
var verifierForm = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

// byCode exchanges a code. Whatever happens, the code is used up.
func (a *authority) byCode(client *Client, form url.Values) (map[string]any, *oauthError) {
	a.mu.Lock()
	c := a.codes[form.Get("code")]
	replayed := c != nil && c.used
	if c != nil && c.client.ID == client.ID {
		c.used = true
	}
	if replayed {
		// "the authorization server MUST deny the request and SHOULD revoke (when possible) all
		// access tokens and refresh tokens previously issued based on that authorization code"
		// (OAuth 2.1, section 4.1.3).
		c.grant.revoked = true
	}
	a.mu.Unlock()
	verifier := form.Get("code_verifier")
	switch {
	case c == nil:
		return nil, &oauthError{"invalid_grant", "the code is not known"}
	case replayed:
		return nil, &oauthError{"invalid_grant", "the code was used before"}
	case c.client.ID != client.ID:
		return nil, &oauthError{"invalid_grant", "the code is for another client"}
	case time.Now().After(c.expires):
		return nil, &oauthError{"invalid_grant", "the code has expired"}
	case form.Get("redirect_uri") != c.redirectURI:
		return nil, &oauthError{"invalid_grant", "redirect_uri is not that of the authorization request"}
	case !verifierForm.MatchString(verifier) || oauth2.S256ChallengeFromVerifier(verifier) != c.challenge:
		return nil, &oauthError{"invalid_grant", "code_verifier does not belong to code_challenge"}
	}
	if problem := a.target(client, form.Get("resource"), c.grant.resource, nil); problem != nil {
		return nil, problem
	}
	return a.issue(client, c.grant, c.grant.scopes, true), nil
}

// byRefresh exchanges a refresh token, and rotates it.
func (a *authority) byRefresh(client *Client, form url.Values) (map[string]any, *oauthError) {
	rotate := !a.s.current().NoRotation
	t, scopes, problem := a.useRefresh(client, form, rotate)
	if problem != nil {
		return nil, problem
	}
	a.s.record.change(func(c *Counts) { c.Refreshes++ })
	return a.issue(client, t.grant, scopes, rotate), nil
}

// useRefresh checks a request with a refresh token, and uses the token up if it rotates. It
// does both under the lock: of two requests at the same time one is a reuse.
func (a *authority) useRefresh(client *Client, form url.Values, rotate bool) (*token, []string, *oauthError) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.token("refresh", form.Get("refresh_token"))
	switch {
	case t == nil || t.client != client.ID:
		return nil, nil, &oauthError{"invalid_grant", "the refresh token is not known"}
	case t.used:
		// "the authorization server cannot determine which party submitted the invalid refresh
		// token, but it will revoke the active refresh token" (OAuth 2.1, section 4.3.1).
		t.grant.revoked = true
		a.s.record.change(func(c *Counts) { c.RefreshReuses++ })
		return nil, nil, &oauthError{"invalid_grant", "the refresh token was used before; everything that came of it is revoked"}
	case !t.valid():
		return nil, nil, &oauthError{"invalid_grant", "the refresh token has expired or was revoked"}
	}
	scopes := t.scopes
	if form.Has("scope") {
		scopes = strings.Fields(form.Get("scope"))
	}
	if problem := a.target(client, form.Get("resource"), t.resource, nil); problem != nil {
		return nil, nil, problem
	}
	if slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(t.scopes, scope) }) {
		return nil, nil, &oauthError{"invalid_scope", "a scope was not granted"}
	}
	t.used = rotate
	return t, scopes, nil
}

// byClient gives a client a token of its own (client_credentials). There is no refresh token.
func (a *authority) byClient(client *Client, form url.Values) (map[string]any, *oauthError) {
	if client.Method == methodNone {
		return nil, &oauthError{"unauthorized_client", "the client has no credentials"}
	}
	scopes := a.scopes(form)
	if problem := a.target(client, form.Get("resource"), a.s.Resource(), scopes); problem != nil {
		return nil, problem
	}
	return a.issue(client, &grant{client: client.ID, resource: form.Get("resource"), scopes: scopes}, scopes, false), nil
}

// issue makes the tokens of a grant.
func (a *authority) issue(client *Client, g *grant, scopes []string, refreshable bool) map[string]any {
	knobs := a.s.current()
	if knobs.GrantedScope != "" && a.name != "idp" {
		scopes = strings.Fields(knobs.GrantedScope)
	}
	access := a.s.secret("access")
	answer := map[string]any{"access_token": access, "token_type": "Bearer",
		"expires_in": int(accessLife.Seconds()), "scope": strings.Join(scopes, " ")}
	a.mu.Lock()
	a.tokens[access] = &token{grant: g, kind: "access", scopes: scopes, expires: time.Now().Add(accessLife)}
	if refreshable && !knobs.NoRefreshToken && client.allows(grantRefresh) {
		text := a.s.secret("refresh")
		a.tokens[text] = &token{grant: g, kind: "refresh", scopes: g.scopes, expires: time.Now().Add(refreshLife)}
		answer["refresh_token"] = text
	}
	a.mu.Unlock()
	if a.name == "idp" && slices.Contains(scopes, "openid") {
		answer["id_token"] = a.idToken(client, g)
	}
	a.s.record.change(func(c *Counts) { c.AccessTokens++ })
	return answer
}
