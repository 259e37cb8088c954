package authserver

import (
	"crypto/sha256"
	"crypto/subtle"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

var (
	challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
	verifierForm  = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)
)

// isChallenge tells whether a text can be the SHA-256 of a verifier.
func isChallenge(text string) bool { return challengeForm.MatchString(text) }

// proves tells whether a verifier belongs to a challenge (RFC 7636, S256).
func proves(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return verifierForm.MatchString(verifier) && subtle.ConstantTimeCompare([]byte(b64.EncodeToString(sum[:])), []byte(challenge)) == 1
}

// oauthError is an answer that refuses a request.
type oauthError struct {
	code, text string
}

// readPost reads and checks the form of a request with client authentication. It answers the
// request itself, and returns no client, when something is wrong.
func (a *authority) readPost(w http.ResponseWriter, r *http.Request) (*Client, url.Values) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || kind != "application/x-www-form-urlencoded" {
		a.s.fail(w, r, http.StatusBadRequest, "invalid_request", "the body must be a form")
		return nil, nil
	}
	if r.URL.RawQuery != "" {
		a.s.fail(w, r, http.StatusBadRequest, "invalid_request", "parameters must not be in the URL")
		return nil, nil
	}
	for name, values := range r.PostForm {
		if len(values) > 1 {
			a.s.fail(w, r, http.StatusBadRequest, "invalid_request", name+" comes more than once")
			return nil, nil
		}
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

// token is the token endpoint.
func (a *authority) token(w http.ResponseWriter, r *http.Request) {
	client, form := a.readPost(w, r)
	if client == nil {
		return
	}
	grantType := form.Get("grant_type")
	grants := map[string]func(*Client, url.Values) (map[string]any, *oauthError){
		grantCode: a.byCode, grantRefresh: a.byRefresh, grantClient: a.byClient,
	}
	if a.s.idp != nil && a.name == "issuer" {
		grants[grantBearer] = a.byAssertion
	}
	if a.name == "idp" {
		delete(grants, grantClient)
		grants[grantExchange] = a.byExchange
	}
	by := grants[grantType]
	if by == nil {
		a.s.fail(w, r, http.StatusBadRequest, "unsupported_grant_type", "grant_type is missing or not known")
		return
	}
	if !client.allows(grantType) {
		a.s.fail(w, r, http.StatusBadRequest, "unauthorized_client", "the client may not use this grant type")
		return
	}
	tokens, problem := by(client, form)
	if problem != nil {
		a.s.fail(w, r, http.StatusBadRequest, problem.code, problem.text)
		return
	}
	knobs := a.s.Knobs()
	with := knobs.TokenResponse
	if a.name == "idp" {
		with = knobs.IDPResponse
	}
	made, _ := tokens["access_token"].(string)
	reply(w, http.StatusOK, a.s.overlay(tokens, with, "$TOKEN", made))
}

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
	if replayed {
		a.s.record.change(func(c *Counts) { c.CodesReplayed++ })
	}
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
	case !proves(form.Get("code_verifier"), c.challenge):
		return nil, &oauthError{"invalid_grant", "code_verifier does not belong to code_challenge"}
	}
	if problem := sameTarget(form, c.grant); problem != nil {
		return nil, problem
	}
	return a.issue(client, c.grant, c.grant.scopes, true), nil
}

// byRefresh exchanges a refresh token, and rotates it.
func (a *authority) byRefresh(client *Client, form url.Values) (map[string]any, *oauthError) {
	rotate := !a.s.Knobs().NoRotation
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
	t := a.refresh[form.Get("refresh_token")]
	switch {
	case t == nil || t.client != client.ID:
		return nil, nil, &oauthError{"invalid_grant", "the refresh token is not known"}
	case t.used:
		// "the authorization server cannot determine which party submitted the invalid refresh
		// token, but it will revoke the active refresh token" (OAuth 2.1, section 4.3.1).
		t.grant.revoked = true
		a.s.record.change(func(c *Counts) { c.RefreshReuses++ })
		return nil, nil, &oauthError{"invalid_grant", "the refresh token was used before; everything that came of it is revoked"}
	case !t.valid(time.Now()):
		return nil, nil, &oauthError{"invalid_grant", "the refresh token has expired or was revoked"}
	}
	if problem := sameTarget(form, t.grant); problem != nil {
		return nil, nil, problem
	}
	scopes := t.scopes
	if form.Has("scope") {
		scopes = strings.Fields(form.Get("scope"))
	}
	for _, scope := range scopes {
		if !slices.Contains(t.scopes, scope) {
			return nil, nil, &oauthError{"invalid_scope", "a scope was not granted"}
		}
	}
	t.used = rotate
	return t, scopes, nil
}

// byClient gives a client a token of its own (client_credentials). There is no refresh token.
func (a *authority) byClient(client *Client, form url.Values) (map[string]any, *oauthError) {
	if client.Method == methodNone {
		return nil, &oauthError{"unauthorized_client", "the client has no credentials"}
	}
	if code, text := a.targetError(form.Get("resource"), form.Has("resource")); code != "" {
		return nil, &oauthError{code, text}
	}
	scopes := a.scopes(form)
	if !a.scopesAllowed(client, scopes) {
		return nil, &oauthError{"invalid_scope", "a scope is not known or not allowed"}
	}
	return a.issue(client, &grant{client: client.ID, resource: form.Get("resource"), scopes: scopes}, scopes, false), nil
}

// sameTarget checks that `resource` is the one that the person agreed to.
func sameTarget(form url.Values, g *grant) *oauthError {
	if form.Get("resource") != g.resource {
		return &oauthError{"invalid_target", "resource is missing, or is not that of the authorization request"}
	}
	return nil
}

// issue makes the tokens of a grant.
func (a *authority) issue(client *Client, g *grant, scopes []string, refreshable bool) map[string]any {
	knobs := a.s.Knobs()
	life := time.Duration(knobs.AccessSeconds) * time.Second
	if knobs.AccessSeconds == 0 {
		life = time.Hour
	}
	if knobs.GrantedScope != "" && a.name != "idp" {
		scopes = strings.Fields(knobs.GrantedScope)
	}
	now := time.Now()
	access := a.s.options.Canary + "-access-" + random()
	answer := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": int(life.Seconds()), "scope": strings.Join(scopes, " ")}
	refreshable = refreshable && !knobs.NoRefreshToken && client.allows(grantRefresh) &&
		(!a.s.options.OfflineAccess || slices.Contains(g.scopes, "offline_access"))
	a.mu.Lock()
	a.access[access] = &token{grant: g, scopes: scopes, expires: now.Add(life)}
	if refreshable {
		text := a.s.options.Canary + "-refresh-" + random()
		a.refresh[text] = &token{grant: g, scopes: g.scopes, expires: now.Add(refreshLife)}
		answer["refresh_token"] = text
	}
	a.mu.Unlock()
	if a.name == "idp" && slices.Contains(scopes, "openid") {
		answer["id_token"] = a.idToken(client, g)
	}
	for _, name := range []string{"access_token", "refresh_token", "id_token"} {
		text, _ := answer[name].(string)
		a.s.record.secret(text)
	}
	a.s.record.change(func(c *Counts) { c.AccessTokens++ })
	return answer
}
