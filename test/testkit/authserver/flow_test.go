package authserver

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"
)

// redirectTo is a redirect URI of a client whose listener is not needed.
const redirectTo = "http://127.0.0.1:9/callback"

// public is a client without a secret.
func public() Client {
	return Client{ID: "public", Method: methodNone, RedirectURIs: []string{redirectTo}, GrantTypes: []string{grantCode, grantRefresh}}
}

// config is the client of golang.org/x/oauth2 for a registered client.
func config(s *Server, id string, scopes ...string) *oauth2.Config {
	c := s.Client(id)
	style := oauth2.AuthStyleInParams
	if c.Method == methodBasic {
		style = oauth2.AuthStyleInHeader
	}
	return &oauth2.Config{ClientID: id, ClientSecret: c.Secret, RedirectURL: c.RedirectURIs[0], Scopes: scopes,
		Endpoint: oauth2.Endpoint{AuthURL: s.Endpoint("authorize"), TokenURL: s.Endpoint("token"), AuthStyle: style}}
}

// authorize lets the person agree, and returns what came back to the client.
func authorize(t *testing.T, s *Server, c *oauth2.Config, verifier string, options ...oauth2.AuthCodeOption) url.Values {
	t.Helper()
	options = append([]oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("resource", s.URL())}, options...)
	v, err := Browser{StopAt: "redirect"}.Visit(t.Context(), c.AuthCodeURL("a state", options...))
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(v.Next)
	if err != nil || v.Next == "" {
		t.Fatalf("the browser stayed at %s: %d %s", v.URL, v.Status, v.Page)
	}
	return u.Query()
}

// exchange exchanges a code.
func exchange(t *testing.T, s *Server, c *oauth2.Config, code, verifier string) (*oauth2.Token, error) {
	t.Helper()
	return c.Exchange(t.Context(), code, oauth2.VerifierOption(verifier), oauth2.SetAuthURLParam("resource", s.URL()))
}

// signIn goes the whole way.
func signIn(t *testing.T, s *Server, id string, scopes ...string) *oauth2.Token {
	t.Helper()
	c, verifier := config(s, id, scopes...), oauth2.GenerateVerifier()
	token, err := exchange(t, s, c, authorize(t, s, c, verifier).Get("code"), verifier)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// post sends a form to an endpoint and returns the OAuth error of the answer, or "".
func post(t *testing.T, s *Server, endpoint string, form url.Values) (string, map[string]any) {
	t.Helper()
	answer, err := http.PostForm(endpoint, form)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	var out map[string]any
	if len(body) > 0 {
		if err := decode(body, &out); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
	}
	code, _ := out["error"].(string)
	return code, out
}

// with returns a form with changes; an empty list leaves a parameter out.
func with(form, change url.Values) url.Values {
	for name, values := range change {
		if form[name] = values; values == nil {
			form.Del(name)
		}
	}
	return form
}

func refresh(t *testing.T, s *Server, token string) (string, map[string]any) {
	t.Helper()
	return post(t, s, s.Endpoint("token"), url.Values{"grant_type": {grantRefresh}, "client_id": {"public"}, "refresh_token": {token}, "resource": {s.URL()}})
}

// call calls a tool without a session and returns the answer.
func call(t *testing.T, s *Server, access, tool, id string) (*http.Response, string) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"text":"hello","id":"` + id + `"},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool} {
		r.Header.Set(name, value)
	}
	if access != "" {
		r.Header.Set("Authorization", "Bearer "+access)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

// allowed fails the test unless a tool is carried out.
func allowed(t *testing.T, s *Server, access, tool string) {
	t.Helper()
	if answer, text := call(t, s, access, tool, ""); answer.StatusCode != http.StatusOK || !strings.Contains(text, "hello") {
		t.Errorf("%s: got %d %s, want it carried out", tool, answer.StatusCode, text)
	}
}

// refused fails the test unless the call of echo is refused for this reason.
func refused(t *testing.T, s *Server, access, reason string) {
	t.Helper()
	before := s.Counts().Executions["echo"]
	answer, text := call(t, s, access, "echo", "")
	if answer.StatusCode != http.StatusUnauthorized || !strings.Contains(text, reason) {
		t.Errorf("got %d %q, want 401 because %q", answer.StatusCode, text, reason)
	}
	if after := s.Counts().Executions["echo"]; after != before {
		t.Errorf("echo was carried out for a refused request")
	}
}

func TestSignIn(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}, Canary: "tweet"})
	refused(t, s, "", "no access token")
	token := signIn(t, s, "public", "mcp")
	if !strings.HasPrefix(token.AccessToken, "tweet-access-") || !strings.HasPrefix(token.RefreshToken, "tweet-refresh-") {
		t.Errorf("the tokens lack the canary: %q, %q", token.AccessToken, token.RefreshToken)
	}
	if _, text := call(t, s, token.AccessToken, "echo", "one"); !strings.Contains(text, "hello") {
		t.Errorf("echo answered %s", text)
	}
	counts := s.Counts()
	if counts.Calls["one"] != 1 || counts.Executions["echo"] != 1 || counts.Codes != 1 || counts.Requests["token"] != 1 || counts.Requests["mcp"] != 2 {
		t.Errorf("counts: %+v", counts)
	}
	for _, kind := range []string{"-access-", "-refresh-", "-code-"} {
		if !strings.Contains(strings.Join(s.Secrets(), "\n"), "tweet"+kind) {
			t.Errorf("the secrets lack one with %q", kind)
		}
	}
}

func TestResponseHasStateAndIssuer(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}})
	for _, deny := range []bool{false, true} {
		if err := s.Change(func(k *Knobs) { k.Deny = deny }); err != nil {
			t.Fatal(err)
		}
		q := authorize(t, s, config(s, "public"), oauth2.GenerateVerifier())
		if q.Get("state") != "a state" || q.Get("iss") != s.Issuer() || q.Has("error") != deny || q.Has("code") == deny {
			t.Errorf("denied %v: %v", deny, q)
		}
	}
}

func TestBrowser(t *testing.T) {
	s := New(t, Options{AnyLoopbackPort: true, Clients: []Client{public()}})
	var calls []url.Values
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/callback" {
			calls = append(calls, r.URL.Query())
			http.Redirect(w, r, "/done", http.StatusSeeOther)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		_, _ = io.WriteString(w, "You can close this page.")
	}))
	defer listener.Close()
	c := config(s, "public")
	c.RedirectURL = listener.URL + "/callback"
	ask := func() string {
		return c.AuthCodeURL("x", oauth2.S256ChallengeOption(oauth2.GenerateVerifier()), oauth2.SetAuthURLParam("resource", s.URL()))
	}

	v, err := Browser{Twice: true}.Visit(t.Context(), ask())
	if err != nil || v.Page != "You can close this page." || v.Header.Get("Cache-Control") != "no-store" || v.Again == nil || v.Again.Page != v.Page {
		t.Fatalf("twice: %+v, %v", v, err)
	}
	if len(calls) != 2 || calls[0].Get("code") == "" || calls[0].Get("code") != calls[1].Get("code") {
		t.Errorf("the listener got %v", calls)
	}
	if v, err = (Browser{Deny: true}).Visit(t.Context(), ask()); err != nil || calls[2].Get("error") != "access_denied" {
		t.Errorf("denied: %+v, %v", v, err)
	}
	if v, err = (Browser{StopAt: "consent"}).Visit(t.Context(), ask()); err != nil || v.Next == "" || len(calls) != 3 {
		t.Errorf("stopped: %+v, %v", v, err)
	}
	if _, err = (Browser{}).Visit(t.Context(), "http://192.0.2.1/"); err == nil {
		t.Error("the browser left the loopback interface")
	}
}

func TestAnyLoopbackPort(t *testing.T) {
	client := Client{RedirectURIs: []string{"http://127.0.0.1/cb", "http://[::1]:1/cb", "http://localhost:1/cb", "com.example:/cb"}}
	for uri, want := range map[string]struct{ exact, any bool }{
		"http://127.0.0.1/cb":          {true, true},
		"http://127.0.0.1:99/cb":       {false, true},
		"http://[::1]:99/cb":           {false, true},
		"http://localhost:1/cb":        {true, true},
		"http://localhost:99/cb":       {},
		"http://127.0.0.1:99/other":    {},
		"http://127.0.0.1:99/cb?x=1":   {},
		"http://127.0.0.1:99/cb#x":     {},
		"http://user@127.0.0.1:99/cb":  {},
		"https://127.0.0.1:99/cb":      {},
		"http://127.0.0.2:99/cb":       {},
		"http://10.0.0.1:99/cb":        {},
		"http://127.0.0.1.evil.com/cb": {},
		"":                             {},
	} {
		for anyPort, want := range map[bool]bool{false: want.exact, true: want.any} {
			a := newAuthority(&Server{options: Options{AnyLoopbackPort: anyPort}}, "issuer", "")
			if got := a.redirectMatches(&client, uri); got != want {
				t.Errorf("%q, any port %v: %v", uri, anyPort, got)
			}
		}
	}
}

func TestDown(t *testing.T) {
	s := New(t, Options{})
	if err := s.Change(func(k *Knobs) { k.Down = []string{"issuer"} }); err != nil {
		t.Fatal(err)
	}
	var refusal *net.OpError
	if _, err := http.Get(s.Endpoint("jwks")); !errors.As(err, &refusal) {
		t.Errorf("down: %v", err)
	}
	if err := s.Change(func(k *Knobs) { k.Down = nil }); err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get(s.Endpoint("jwks"))
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("up again: %v, %v", answer, err)
	}
	answer.Body.Close()
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	s := New(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Await(ctx, func(Counts) bool { return false }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
