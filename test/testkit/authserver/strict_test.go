package authserver

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
)

// A refused authorization request is either told on a page, or told to the client.
func TestAuthorizeRefuses(t *testing.T) {
	s := New(t, Options{Clients: []Client{public(),
		{ID: "machine", RedirectURIs: []string{redirectTo}, GrantTypes: []string{grantClient}},
		{ID: "narrow", Method: methodNone, RedirectURIs: []string{redirectTo}, Scope: "mcp"}}})
	for name, test := range map[string]struct {
		change url.Values // an empty list leaves the parameter out
		page   string     // on a page
		code   string     // or to the client
	}{
		"no client":             {url.Values{"client_id": nil}, "client_id is missing", ""},
		"unknown client":        {url.Values{"client_id": {"nobody"}}, "client_id is not known", ""},
		"no redirect":           {url.Values{"redirect_uri": nil}, "redirect_uri", ""},
		"other path":            {url.Values{"redirect_uri": {redirectTo + "/x"}}, "redirect_uri", ""},
		"other port":            {url.Values{"redirect_uri": {"http://127.0.0.1:10/callback"}}, "redirect_uri", ""},
		"parameter twice":       {url.Values{"resource": {s.URL(), "http://evil.example.com"}}, "more than once", ""},
		"client without code":   {url.Values{"client_id": {"machine"}}, "", "unauthorized_client"},
		"response type token":   {url.Values{"response_type": {"token"}}, "", "unsupported_response_type"},
		"no challenge":          {url.Values{"code_challenge": nil}, "", "invalid_request"},
		"challenge too short":   {url.Values{"code_challenge": {"abc"}}, "", "invalid_request"},
		"plain":                 {url.Values{"code_challenge_method": {"plain"}}, "", "invalid_request"},
		"no challenge method":   {url.Values{"code_challenge_method": nil}, "", "invalid_request"},
		"no state":              {url.Values{"state": nil}, "", "invalid_request"},
		"request object":        {url.Values{"request": {"x"}}, "", "request_not_supported"},
		"fragment":              {url.Values{"response_mode": {"fragment"}}, "", "invalid_request"},
		"no resource":           {url.Values{"resource": nil}, "", "invalid_target"},
		"other resource":        {url.Values{"resource": {"https://other.example.com/mcp"}}, "", "invalid_target"},
		"resource with slash":   {url.Values{"resource": {s.URL() + "/"}}, "", "invalid_target"},
		"unknown scope":         {url.Values{"scope": {"mcp root"}}, "", "invalid_scope"},
		"scope of others":       {url.Values{"client_id": {"narrow"}, "scope": {"admin"}}, "", "invalid_scope"},
		"nothing wrong with it": {nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			q := url.Values{"response_type": {"code"}, "client_id": {"public"}, "redirect_uri": {redirectTo}, "state": {"s"}, "scope": {"mcp"},
				"code_challenge": {oauth2.S256ChallengeFromVerifier(oauth2.GenerateVerifier())}, "code_challenge_method": {"S256"}, "resource": {s.URL()}}
			v, err := Browser{StopAt: "redirect"}.Visit(t.Context(), s.Endpoint("authorize")+"?"+with(q, test.change).Encode())
			if err != nil {
				t.Fatal(err)
			}
			next, _ := url.Parse(v.Next)
			if test.page != "" {
				if v.Next != "" || v.Status != http.StatusBadRequest || !strings.Contains(v.Page, test.page) {
					t.Errorf("got %+v, want a page with %q", v, test.page)
				}
				return
			}
			if got := next.Query().Get("error"); v.Next == "" || got != test.code || next.Query().Get("iss") != s.Issuer() || (got == "") != next.Query().Has("code") {
				t.Errorf("the client got %q, want the error %q", v.Next, test.code)
			}
		})
	}
}

func TestTokenRefuses(t *testing.T) {
	s := New(t, Options{Clients: []Client{public(), {ID: "other", Method: methodNone, RedirectURIs: []string{redirectTo}},
		{ID: "basic", RedirectURIs: []string{redirectTo}}}})
	for name, test := range map[string]struct {
		change url.Values
		code   string
	}{
		"no grant type":         {url.Values{"grant_type": nil}, "unsupported_grant_type"},
		"password":              {url.Values{"grant_type": {"password"}}, "unsupported_grant_type"},
		"grant of others":       {url.Values{"grant_type": {grantClient}}, "unauthorized_client"},
		"no client":             {url.Values{"client_id": nil}, "invalid_client"},
		"client without secret": {url.Values{"client_id": {"basic"}}, "invalid_client"},
		"secret of public":      {url.Values{"client_secret": {"x"}}, "invalid_client"},
		"other client":          {url.Values{"client_id": {"other"}}, "invalid_grant"},
		"unknown code":          {url.Values{"code": {"x"}}, "invalid_grant"},
		"no verifier":           {url.Values{"code_verifier": nil}, "invalid_grant"},
		"wrong verifier":        {url.Values{"code_verifier": {oauth2.GenerateVerifier()}}, "invalid_grant"},
		"no redirect":           {url.Values{"redirect_uri": nil}, "invalid_grant"},
		"other redirect":        {url.Values{"redirect_uri": {redirectTo + "/"}}, "invalid_grant"},
		"no resource":           {url.Values{"resource": nil}, "invalid_target"},
		"other resource":        {url.Values{"resource": {"https://other.example.com/mcp"}}, "invalid_target"},
		"resource twice":        {url.Values{"resource": {s.URL(), s.URL()}}, "invalid_request"},
		"nothing wrong with it": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, verifier := config(s, "public"), oauth2.GenerateVerifier()
			form := url.Values{"grant_type": {grantCode}, "client_id": {"public"}, "redirect_uri": {redirectTo}, "code_verifier": {verifier},
				"resource": {s.URL()}, "code": {authorize(t, s, c, verifier).Get("code")}}
			code := form.Get("code")
			got, answer := post(t, s, s.Endpoint("token"), with(form, test.change))
			if got != test.code || (got == "") != (answer["access_token"] != nil) {
				t.Errorf("got %v, want the error %q", answer, test.code)
			}
			if name == "wrong verifier" {
				if _, err := exchange(t, s, c, code, verifier); err == nil {
					t.Error("the code works after a wrong verifier")
				}
			}
		})
	}
	if answer, err := http.Post(s.Endpoint("token"), "application/json", strings.NewReader(`{}`)); err != nil || answer.StatusCode != http.StatusBadRequest {
		t.Errorf("JSON: %v, %v", answer, err)
	}
	if code, _ := post(t, s, s.Endpoint("token")+"?client_id=public", url.Values{}); code != "invalid_request" {
		t.Errorf("parameters in the URL: %q", code)
	}
	if answer, err := http.Get(s.Endpoint("token")); err != nil || answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET of the token endpoint: %v %v", answer, err)
	}
}

func TestCodeExpires(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}})
	c, verifier := config(s, "public"), oauth2.GenerateVerifier()
	code := authorize(t, s, c, verifier).Get("code")
	s.first.mu.Lock()
	s.first.codes[code].expires = time.Now().Add(-time.Second)
	s.first.mu.Unlock()
	if _, err := exchange(t, s, c, code, verifier); err == nil || !strings.Contains(err.Error(), "expired") {
		t.Errorf("got %v", err)
	}
}

func TestConsentWorksOnce(t *testing.T) {
	s := New(t, Options{Clients: []Client{{ID: "query", Method: methodNone, RedirectURIs: []string{redirectTo + "?own=1"}}}})
	c := config(s, "query")
	ask := c.AuthCodeURL("x", oauth2.S256ChallengeOption(oauth2.GenerateVerifier()), oauth2.SetAuthURLParam("resource", s.URL()))
	v, err := Browser{StopAt: "redirect"}.Visit(t.Context(), ask)
	if err != nil || !strings.HasPrefix(v.Next, redirectTo+"?own=1&code=") {
		t.Fatalf("%+v, %v", v, err)
	}
	if v, err = (Browser{}).Visit(t.Context(), v.URL); err != nil || v.Status != http.StatusBadRequest || !strings.Contains(v.Page, "answered already") {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestReplayedCodeRevokes(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}})
	c, verifier := config(s, "public", "mcp"), oauth2.GenerateVerifier()
	code := authorize(t, s, c, verifier).Get("code")
	token, err := exchange(t, s, c, code, verifier)
	if err != nil {
		t.Fatal(err)
	}
	allowed(t, s, token.AccessToken, "echo")
	if _, err := exchange(t, s, c, code, verifier); err == nil || !strings.Contains(err.Error(), "invalid_grant") {
		t.Errorf("the code worked again: %v", err)
	}
	refused(t, s, token.AccessToken, "revoked")
	if code, _ := refresh(t, s, token.RefreshToken); code != "invalid_grant" {
		t.Errorf("the refresh token of a replayed code: %q", code)
	}
	if n := s.Counts().CodesReplayed; n != 1 {
		t.Errorf("codes replayed: %d", n)
	}
}

func TestReusedRefreshTokenRevokesTheFamily(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}})
	token := signIn(t, s, "public", "mcp")
	bystander := signIn(t, s, "public", "mcp")
	code, second := refresh(t, s, token.RefreshToken)
	if code != "" || second["refresh_token"] == token.RefreshToken {
		t.Fatalf("refreshing: %q %v", code, second)
	}
	allowed(t, s, second["access_token"].(string), "echo")
	if code, answer := refresh(t, s, token.RefreshToken); code != "invalid_grant" || !strings.Contains(answer["error_description"].(string), "used before") {
		t.Errorf("the first refresh token again: %q", answer)
	}
	refused(t, s, second["access_token"].(string), "revoked")
	if code, _ := refresh(t, s, second["refresh_token"].(string)); code != "invalid_grant" {
		t.Errorf("the second refresh token after the reuse: %q", code)
	}
	allowed(t, s, bystander.AccessToken, "echo")
	if n := s.Counts(); n.RefreshReuses != 1 || n.Refreshes != 1 {
		t.Errorf("counts: %+v", n)
	}
}

func TestRefreshRefuses(t *testing.T) {
	s := New(t, Options{Clients: []Client{public(), {ID: "other", Method: methodNone, RedirectURIs: []string{redirectTo}, GrantTypes: []string{grantCode, grantRefresh}}}})
	token := signIn(t, s, "public", "mcp")
	for name, test := range map[string]struct {
		change url.Values
		code   string
	}{
		"other client":   {url.Values{"client_id": {"other"}}, "invalid_grant"},
		"no resource":    {url.Values{"resource": nil}, "invalid_target"},
		"other resource": {url.Values{"resource": {"https://other.example.com/"}}, "invalid_target"},
		"more scopes":    {url.Values{"scope": {"mcp admin"}}, "invalid_scope"},
	} {
		form := url.Values{"grant_type": {grantRefresh}, "client_id": {"public"}, "refresh_token": {token.RefreshToken}, "resource": {s.URL()}}
		if code, _ := post(t, s, s.Endpoint("token"), with(form, test.change)); code != test.code {
			t.Errorf("%s: got %q, want %q", name, code, test.code)
		}
	}
	if code, _ := refresh(t, s, token.RefreshToken); code != "" {
		t.Errorf("a refused request used the refresh token up: %q", code)
	}
}

func TestRevocationEndpoint(t *testing.T) {
	s := New(t, Options{Clients: []Client{public(), {ID: "other", Method: methodNone}}})
	token := signIn(t, s, "public", "mcp")
	revoke := func(client, text string) {
		if code, _ := post(t, s, s.Endpoint("revoke"), url.Values{"client_id": {client}, "token": {text}}); code != "" {
			t.Errorf("revoking: %q", code)
		}
	}
	if code, _ := post(t, s, s.Endpoint("revoke"), url.Values{"client_id": {"public"}}); code != "invalid_request" {
		t.Errorf("revoking nothing: %q", code)
	}
	if code, _ := post(t, s, s.Endpoint("revoke"), url.Values{"client_id": {"nobody"}, "token": {token.AccessToken}}); code != "invalid_client" {
		t.Errorf("revoking as nobody: %q", code)
	}
	revoke("other", token.AccessToken)
	revoke("public", "no such token")
	allowed(t, s, token.AccessToken, "echo")
	revoke("public", token.AccessToken)
	refused(t, s, token.AccessToken, "revoked")
	code, second := refresh(t, s, token.RefreshToken)
	if code != "" {
		t.Fatalf("revoking the access token revoked the refresh token: %q", code)
	}
	revoke("public", second["refresh_token"].(string))
	refused(t, s, second["access_token"].(string), "revoked")
	if n := s.Counts().Revocations; n != 2 {
		t.Errorf("revocations: %d", n)
	}
}

func TestExpireAndRevoke(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}})
	token := signIn(t, s, "public", "mcp")
	if err := s.Expire("access"); err != nil {
		t.Fatal(err)
	}
	refused(t, s, token.AccessToken, "expired")
	_, second := refresh(t, s, token.RefreshToken)
	allowed(t, s, second["access_token"].(string), "echo")
	if err := s.Revoke("access"); err != nil {
		t.Fatal(err)
	}
	refused(t, s, second["access_token"].(string), "revoked")
	_, second = refresh(t, s, second["refresh_token"].(string))
	allowed(t, s, second["access_token"].(string), "echo")
	if err := s.Expire("refresh"); err != nil {
		t.Fatal(err)
	}
	allowed(t, s, second["access_token"].(string), "echo")
	if code, _ := refresh(t, s, second["refresh_token"].(string)); code != "invalid_grant" {
		t.Errorf("an expired refresh token: %q", code)
	}
	if err := s.Revoke("refresh"); err != nil {
		t.Fatal(err)
	}
	refused(t, s, second["access_token"].(string), "revoked")
	if code, _ := refresh(t, s, second["refresh_token"].(string)); code != "invalid_grant" {
		t.Errorf("a revoked refresh token: %q", code)
	}
	if s.Expire("cookie") == nil {
		t.Error("expired a kind of token that does not exist")
	}
}
