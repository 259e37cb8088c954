package authserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
)

// enterprise starts servers with an identity provider, and returns the id token of a person.
func enterprise(t *testing.T) (*Server, string) {
	t.Helper()
	s := New(t, Options{
		Clients: []Client{{ID: "machine", Method: methodPost, Secret: "m", GrantTypes: []string{grantBearer}},
			{ID: "other", Method: methodPost, Secret: "o", GrantTypes: []string{grantBearer}},
			{ID: "loose", Method: methodNone, GrantTypes: []string{grantBearer}}},
		IDPClients: []Client{{ID: "loose", Method: methodNone, GrantTypes: []string{grantExchange}}, {ID: "employee", Method: methodPost, Secret: "e", RedirectURIs: []string{redirectTo}, ResourceClientID: "machine", GrantTypes: []string{grantCode, grantExchange}}},
	})
	c := &oauth2.Config{ClientID: "employee", ClientSecret: "e", RedirectURL: redirectTo, Scopes: []string{"openid"},
		Endpoint: oauth2.Endpoint{AuthURL: s.IDPEndpoint("authorize"), TokenURL: s.IDPEndpoint("token"), AuthStyle: oauth2.AuthStyleInParams}}
	verifier := oauth2.GenerateVerifier()
	v, err := Browser{StopAt: "redirect"}.Visit(t.Context(), c.AuthCodeURL("s", oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("nonce", "n")))
	if err != nil {
		t.Fatal(err)
	}
	next, err := url.Parse(v.Next)
	if err != nil {
		t.Fatal(err)
	}
	token, err := c.Exchange(t.Context(), next.Query().Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	id, _ := token.Extra("id_token").(string)
	return s, id
}

func exchangeForm(s *Server, idToken string) url.Values {
	return url.Values{"grant_type": {grantExchange}, "client_id": {"employee"}, "client_secret": {"e"}, "requested_token_type": {typeIDJAG},
		"subject_token": {idToken}, "subject_token_type": {typeIDToken}, "audience": {s.Issuer()}, "resource": {s.URL()}, "scope": {"mcp"}}
}

func TestExchangeOfIDTokens(t *testing.T) {
	s, idToken := enterprise(t)
	now := time.Now()
	made := func(change func(*claims)) string {
		c := &claims{Issuer: s.IDPIssuer(), Subject: subject, Audience: audience{"employee"}, Expires: now.Add(time.Minute).Unix()}
		change(c)
		return sign(s.idp.key, "JWT", c)
	}
	for name, test := range map[string]struct {
		change url.Values
		code   string
	}{
		"good":                {nil, ""},
		"access token wanted": {url.Values{"requested_token_type": nil}, "invalid_request"},
		"other subject type":  {url.Values{"subject_token_type": {"urn:ietf:params:oauth:token-type:access_token"}}, "invalid_request"},
		"other audience":      {url.Values{"audience": {"https://other.example.com"}}, "invalid_target"},
		"no resource":         {url.Values{"resource": nil}, "invalid_target"},
		"unknown scope":       {url.Values{"scope": {"root"}}, "invalid_scope"},
		"no token":            {url.Values{"subject_token": nil}, "invalid_grant"},
		"for another client":  {url.Values{"subject_token": {made(func(c *claims) { c.Audience = audience{"x"} })}}, "invalid_grant"},
		"of another issuer":   {url.Values{"subject_token": {made(func(c *claims) { c.Issuer = "x" })}}, "invalid_grant"},
		"expired":             {url.Values{"subject_token": {made(func(c *claims) { c.Expires = now.Add(-time.Minute).Unix() })}}, "invalid_grant"},
		"no credentials":      {url.Values{"client_id": {"loose"}, "client_secret": nil}, "unauthorized_client"},
		"wrong secret":        {url.Values{"client_secret": {"x"}}, "invalid_client"},
	} {
		code, answer := post(t, s, s.IDPEndpoint("token"), with(exchangeForm(s, idToken), test.change))
		if code != test.code || code == "" && (answer["issued_token_type"] != typeIDJAG || answer["token_type"] != "N_A") {
			t.Errorf("%s: got %v, want %q", name, answer, test.code)
		}
	}
}

func TestKnobsOfTheIdentityProvider(t *testing.T) {
	s, idToken := enterprise(t)
	if m := get(t, s.first.origin()+"/.well-known/oauth-authorization-server"); !slices.Contains(m["grant_types_supported"].([]any), any(grantBearer)) {
		t.Errorf("the authorization server does not announce that it takes ID-JAGs: %v", m)
	}
	set(t, s, Knobs{IDPMetadata: map[string]any{"issuer": "$ISSUER", "jwks_uri": nil}, IDPResponse: map[string]any{"token_type": "Bearer", "access_token": "$TOKEN$IDP"}})
	m := get(t, s.IDPIssuer()+"/.well-known/openid-configuration")
	if m["issuer"] != s.Issuer() || m["jwks_uri"] != nil || m["token_endpoint"] != s.IDPEndpoint("token") {
		t.Errorf("%v", m)
	}
	_, answer := post(t, s, s.IDPEndpoint("token"), exchangeForm(s, idToken))
	if text, _ := answer["access_token"].(string); answer["token_type"] != "Bearer" || !strings.HasPrefix(text, "ey") || !strings.HasSuffix(text, s.IDPIssuer()) {
		t.Errorf("%v", answer)
	}
}

func TestIDJAG(t *testing.T) {
	s, idToken := enterprise(t)
	_, answer := post(t, s, s.IDPEndpoint("token"), exchangeForm(s, idToken))
	issued, _ := answer["access_token"].(string)
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	made := func(key *ecdsa.PrivateKey, typ string, change func(*claims)) url.Values {
		c := &claims{Issuer: s.IDPIssuer(), Subject: subject, Audience: audience{s.Issuer()}, Expires: now.Add(time.Minute).Unix(), ID: random(),
			ClientID: "machine", Resource: s.URL(), Scope: "mcp"}
		change(c)
		return url.Values{"assertion": {sign(key, typ, c)}}
	}
	same := func(*claims) {}
	and := func(change, more url.Values) url.Values {
		maps.Copy(change, more)
		return change
	}
	idp := s.idp.key
	for _, test := range []struct {
		name   string
		change url.Values
		code   string
	}{
		{"other client", url.Values{"client_id": {"other"}, "client_secret": {"o"}}, "invalid_grant"},
		{"other resource", url.Values{"resource": {"https://other.example.com"}}, "invalid_target"},
		{"good", nil, ""},
		{"the same again", nil, "invalid_grant"},
		{"made well", made(idp, jwtIDJAG, same), ""},
		{"id token", url.Values{"assertion": {idToken}}, "invalid_grant"},
		{"typ JWT", made(idp, "JWT", same), "invalid_grant"},
		{"stranger's key", made(stranger, jwtIDJAG, same), "invalid_grant"},
		{"other audience", made(idp, jwtIDJAG, func(c *claims) { c.Audience = audience{s.SecondIssuer()} }), "invalid_grant"},
		{"other issuer", made(idp, jwtIDJAG, func(c *claims) { c.Issuer = s.Issuer() }), "invalid_grant"},
		{"expired", made(idp, jwtIDJAG, func(c *claims) { c.Expires = now.Add(-time.Minute).Unix() }), "invalid_grant"},
		{"without jti", made(idp, jwtIDJAG, func(c *claims) { c.ID = "" }), "invalid_grant"},
		{"no credentials", and(made(idp, jwtIDJAG, func(c *claims) { c.ClientID = "loose" }), url.Values{"client_id": {"loose"}, "client_secret": nil}), "unauthorized_client"},
		{"unknown scope", made(idp, jwtIDJAG, func(c *claims) { c.Scope = "root" }), "invalid_scope"},
		{"more scopes than the assertion", and(made(idp, jwtIDJAG, same), url.Values{"scope": {"mcp admin"}}), ""},
		{"less scopes than the assertion", and(made(idp, jwtIDJAG, func(c *claims) { c.Scope = "mcp admin" }), url.Values{"scope": {"mcp"}}), ""},
		{"resource of others", made(idp, jwtIDJAG, func(c *claims) { c.Resource = "https://other.example.com" }), "invalid_target"},
	} {
		form := url.Values{"grant_type": {grantBearer}, "client_id": {"machine"}, "client_secret": {"m"}, "assertion": {issued}}
		code, answer := post(t, s, s.Endpoint("token"), with(form, test.change))
		if code != test.code {
			t.Errorf("%s: got %v, want %q", test.name, answer, test.code)
		}
		if access, ok := answer["access_token"].(string); ok {
			allowed(t, s, access, "echo")
			if answer["refresh_token"] != nil || answer["scope"] != "mcp" {
				t.Errorf("%s: got %v, want the scope mcp and no refresh token", test.name, answer)
			}
		}
	}
}
