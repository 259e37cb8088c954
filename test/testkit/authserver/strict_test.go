package authserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/oauth2"
)

// redirectTo is a redirect URI of a client whose listener is not needed.
const redirectTo = "http://127.0.0.1:9/callback"

func public(id string) Client {
	return Client{ID: id, Method: methodNone, RedirectURIs: []string{redirectTo}, GrantTypes: []string{grantCode, grantRefresh}}
}

// with returns a form with changes; an empty list leaves a parameter out.
func with(form, change url.Values) url.Values {
	form = maps.Clone(form)
	maps.Copy(form, change)
	return form
}

// ask asks for a code. It returns what the client hears, or else the page that the person sees.
func ask(t *testing.T, s *Server, verifier string, change url.Values) (q url.Values, page string) {
	t.Helper()
	form := url.Values{"response_type": {"code"}, "client_id": {"public"}, "redirect_uri": {redirectTo}, "state": {"s"}, "scope": {"mcp"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(verifier)}, "code_challenge_method": {"S256"}, "resource": {s.URL()}}
	v, err := Browser{StopAt: "redirect"}.Visit(t.Context(), s.Issuer()+"/authorize?"+with(form, change).Encode())
	if err != nil {
		t.Fatal(err)
	}
	next, err := url.Parse(v.Next)
	if err != nil {
		t.Fatal(err)
	}
	return next.Query(), v.Page
}

// byCode is the form that exchanges a new code.
func byCode(t *testing.T, s *Server) url.Values {
	t.Helper()
	verifier := oauth2.GenerateVerifier()
	q, _ := ask(t, s, verifier, nil)
	return url.Values{"grant_type": {grantCode}, "client_id": {"public"}, "redirect_uri": {redirectTo}, "code_verifier": {verifier},
		"resource": {s.URL()}, "code": {q.Get("code")}}
}

// post asks for a token, and returns the answer with its error, or "".
func post(t *testing.T, s *Server, form url.Values) (code string, out map[string]any) {
	t.Helper()
	answer, err := http.PostForm(s.Issuer()+"/token", form)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	code, _ = out["error"].(string)
	return code, out
}

// A client that gets one thing wrong is refused, at each step.
func TestRefuses(t *testing.T) {
	s := New(t, Options{Clients: []Client{public("public"), public("other"), {ID: "machine", RedirectURIs: []string{redirectTo}, GrantTypes: []string{grantClient}}}})
	for name, test := range map[string]struct {
		change url.Values
		want   string // an error to the client, or a part of the page
	}{
		"unknown client":      {url.Values{"client_id": {"nobody"}}, "client_id is not known"},
		"other path":          {url.Values{"redirect_uri": {redirectTo + "/x"}}, "redirect_uri"},
		"other port":          {url.Values{"redirect_uri": {"http://127.0.0.1:10/callback"}}, "redirect_uri"},
		"parameter twice":     {url.Values{"resource": {s.URL(), s.URL()}}, "more than once"},
		"client without code": {url.Values{"client_id": {"machine"}}, "unauthorized_client"},
		"response type token": {url.Values{"response_type": {"token"}}, "unsupported_response_type"},
		"no challenge":        {url.Values{"code_challenge": nil}, "invalid_request"},
		"plain":               {url.Values{"code_challenge_method": {"plain"}}, "invalid_request"},
		"no state":            {url.Values{"state": nil}, "invalid_request"},
		"no resource":         {url.Values{"resource": nil}, "invalid_target"},
		"resource with slash": {url.Values{"resource": {s.URL() + "/"}}, "invalid_target"},
		"unknown scope":       {url.Values{"scope": {"mcp root"}}, "invalid_scope"},
		"nothing wrong":       {nil, ""},
	} {
		q, page := ask(t, s, oauth2.GenerateVerifier(), test.change)
		if got := q.Get("error"); got != test.want && (test.want == "" || !strings.Contains(page, test.want)) || (test.want == "") != q.Has("code") {
			t.Errorf("authorize, %s: got %v and %q, want %q", name, q, page, test.want)
		}
	}
	for name, test := range map[string]struct {
		change url.Values
		want   string
	}{
		"password":             {url.Values{"grant_type": {"password"}}, "unsupported_grant_type"},
		"grant of others":      {url.Values{"grant_type": {grantClient}}, "unauthorized_client"},
		"secret of a public":   {url.Values{"client_secret": {"x"}}, "invalid_client"},
		"no secret of another": {url.Values{"client_id": {"machine"}}, "invalid_client"},
		"other client":         {url.Values{"client_id": {"other"}}, "invalid_grant"},
		"no verifier":          {url.Values{"code_verifier": nil}, "invalid_grant"},
		"wrong verifier":       {url.Values{"code_verifier": {oauth2.GenerateVerifier()}}, "invalid_grant"},
		"other redirect":       {url.Values{"redirect_uri": {redirectTo + "/"}}, "invalid_grant"},
		"no resource":          {url.Values{"resource": nil}, "invalid_target"},
		"resource twice":       {url.Values{"resource": {s.URL(), s.URL()}}, "invalid_request"},
		"nothing wrong":        {nil, ""},
	} {
		form := byCode(t, s)
		if got, answer := post(t, s, with(form, test.change)); got != test.want {
			t.Errorf("token, %s: got %v, want %q", name, answer, test.want)
		}
		// Neither a wrong verifier nor a right one leaves the code.
		if got, _ := post(t, s, form); got != "invalid_grant" && (name == "nothing wrong" || name == "wrong verifier") {
			t.Errorf("token, %s: the code works again: %q", name, got)
		}
	}
}

// What is used twice takes everything with it that came of it.
func TestReuseRevokes(t *testing.T) {
	s := New(t, Options{Clients: []Client{public("public")}})
	for _, reuse := range []string{"code", "refresh token"} {
		form := byCode(t, s)
		_, first := post(t, s, form)
		refresh := url.Values{"grant_type": {grantRefresh}, "client_id": {"public"}, "refresh_token": {first["refresh_token"].(string)}, "resource": {s.URL()}}
		code, second := post(t, s, refresh)
		if code != "" {
			t.Fatalf("refreshing: %v", second)
		}
		if reuse == "refresh token" {
			form = refresh
		}
		if code, _ := post(t, s, form); code != "invalid_grant" {
			t.Errorf("the %s works again: %q", reuse, code)
		}
		access, _ := second["access_token"].(string)
		if _, problem := s.resource.check(&Knobs{}, access); !strings.Contains(problem, "revoked") {
			t.Errorf("after the reuse of the %s, the access token: %q", reuse, problem)
		}
	}
}

// A JWT by which a client says who it is.
func TestClientAssertions(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	b64 := base64.RawURLEncoding.EncodeToString
	jwks := `{"keys":[{"kty":"EC","crv":"P-256","x":"` + b64(point[1:33]) + `","y":"` + b64(point[33:]) + `"}]}`
	s := New(t, Options{Clients: []Client{{ID: "keyed", Method: methodKey, JWKS: json.RawMessage(jwks), GrantTypes: []string{grantClient}}}})
	for name, change := range map[string]func(*claims){
		"good":           nil,
		"expired":        func(c *claims) { c.ExpiresAt = jwt.NewNumericDate(time.Now().Add(-time.Hour)) },
		"no exp":         func(c *claims) { c.ExpiresAt = nil },
		"no jti":         func(c *claims) { c.ID = "" },
		"other subject":  func(c *claims) { c.Subject = "other" },
		"two audiences":  func(c *claims) { c.Audience = append(c.Audience, "https://other.example.com") },
		"stranger's key": func(*claims) {},
	} {
		c := newClaims("keyed", "keyed", s.Issuer(), time.Minute)
		if change != nil {
			change(c)
		}
		text := sign(key, "JWT", c)
		if name == "stranger's key" {
			text = sign(s.first.key, "JWT", c)
		}
		form := url.Values{"grant_type": {grantClient}, "client_assertion_type": {assertionType}, "client_assertion": {text}, "resource": {s.URL()}}
		if code, answer := post(t, s, form); (code == "") != (change == nil) {
			t.Errorf("%s: got %v", name, answer)
		}
		if code, _ := post(t, s, form); code != "invalid_client" {
			t.Errorf("%s, again: %q", name, code)
		}
	}
}
