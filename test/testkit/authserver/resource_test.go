package authserver

import (
	"net/http"
	"strings"
	"testing"
)

func TestScopes(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}})
	for name, test := range map[string]struct {
		scopes []string
		tool   string
		status int
		scope  string
	}{
		"default":           {nil, "echo", http.StatusOK, ""},
		"without mcp":       {[]string{"offline_access"}, "echo", http.StatusForbidden, `scope="mcp"`},
		"admin without mcp": {[]string{"admin"}, "admin", http.StatusForbidden, `scope="mcp"`},
		"admin with mcp":    {[]string{"mcp"}, "admin", http.StatusForbidden, `scope="admin"`},
		"both":              {[]string{"mcp", "admin"}, "admin", http.StatusOK, ""},
	} {
		t.Run(name, func(t *testing.T) {
			answer, text := call(t, s, signIn(t, s, "public", test.scopes...).AccessToken, test.tool, name)
			header := answer.Header.Get("WWW-Authenticate")
			if answer.StatusCode != test.status || !strings.Contains(header, test.scope) {
				t.Errorf("got %d %q %s", answer.StatusCode, header, text)
			}
			if refused := test.status != http.StatusOK; refused && (s.Counts().Calls[name] != 0 || !strings.Contains(header, "insufficient_scope")) {
				t.Errorf("refused with %q; carried out %d times", header, s.Counts().Calls[name])
			}
		})
	}
	token := signIn(t, s, "public", "mcp", "admin").AccessToken
	set(t, s, Knobs{InsufficientScope: true})
	if answer, _ := call(t, s, token, "admin", ""); answer.StatusCode != http.StatusForbidden {
		t.Errorf("insufficient for ever: %d", answer.StatusCode)
	}
	allowed(t, s, token, "echo")
}

// set sets the knobs.
func set(t *testing.T, s *Server, knobs Knobs) {
	t.Helper()
	if err := s.Change(func(k *Knobs) { *k = knobs }); err != nil {
		t.Fatal(err)
	}
}

func TestMCPServerTakesOnlyItsOwnTokens(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}})
	token := signIn(t, s, "public", "mcp")
	s.first.mu.Lock()
	s.first.access[token.AccessToken].grant.resource = "https://other.example.com/mcp"
	s.first.mu.Unlock()
	refused(t, s, token.AccessToken, "audience")

	token = signIn(t, s, "public", "mcp")
	set(t, s, Knobs{Moved: true})
	refused(t, s, token.AccessToken, "not known")
	set(t, s, Knobs{})
	allowed(t, s, token.AccessToken, "echo")

	if answer, err := http.Post(s.URL()+"?access_token="+token.AccessToken, "application/json", nil); err != nil || answer.StatusCode != http.StatusBadRequest {
		t.Errorf("a token in the URL: %v, %v", answer, err)
	}
	if answer, err := http.Get(s.URL()); err != nil || answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("GET without a token: %v, %v", answer, err)
	}
}

func TestRefusedTokens(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}, Knobs: Knobs{RefuseTokens: true}})
	refused(t, s, signIn(t, s, "public", "mcp").AccessToken, "as a knob says")
}

// "If the request lacks any authentication information [...], the resource server SHOULD NOT
// include an error code" (RFC 6750, section 3.1).
func TestErrorOfAChallenge(t *testing.T) {
	s := New(t, Options{})
	for access, want := range map[string]bool{"": false, "x": true} {
		answer, _ := call(t, s, access, "echo", "")
		if h := answer.Header.Get("WWW-Authenticate"); strings.Contains(h, `error="invalid_token"`) != want || strings.Contains(h, "error=") != want {
			t.Errorf("access token %q: %s", access, h)
		}
	}
}

func TestLongMessages(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}})
	token := signIn(t, s, "public", "mcp")
	if answer, text := call(t, s, token.AccessToken, "echo", strings.Repeat("x", maxMessage)); answer.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %s", answer.StatusCode, text)
	}
}

// A batch hides no call, and a second header no first.
func TestHeadersAndBatches(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}})
	header := "bearer " + signIn(t, s, "public", "mcp").AccessToken
	for _, test := range []struct {
		headers []string
		status  int
	}{{[]string{header}, http.StatusForbidden}, {[]string{header, header}, http.StatusUnauthorized}, {[]string{"Basic x"}, http.StatusUnauthorized}} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL(), strings.NewReader(`[{"method":"ping"},{"method":"tools/call","params":{"name":"admin"}}]`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header["Authorization"] = test.headers
		if answer, err := http.DefaultClient.Do(r); err != nil || answer.StatusCode != test.status {
			t.Errorf("%d headers: %v, %v", len(test.headers), answer, err)
		}
	}
}

func TestTokenUses(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}, Knobs: Knobs{TokenUses: 2}})
	token := signIn(t, s, "public", "mcp")
	allowed(t, s, token.AccessToken, "echo")
	allowed(t, s, token.AccessToken, "echo")
	refused(t, s, token.AccessToken, "revoked")
}

func TestChallenges(t *testing.T) {
	s := New(t, Options{})
	metadata := `resource_metadata="` + s.resource.metadataURL() + `"`
	for knob, check := range map[string]func([]string) bool{
		"": func(h []string) bool {
			return len(h) == 1 && strings.HasPrefix(h[0], "Bearer "+metadata+`, scope="mcp"`)
		},
		"none":      func(h []string) bool { return len(h) == 0 },
		"malformed": func(h []string) bool { return len(h) == 1 && strings.Count(h[0], `"`)%2 == 1 },
		"several": func(h []string) bool {
			return len(h) == 2 && strings.HasPrefix(h[0], "Basic ") && strings.Contains(h[0], ", Bearer "+metadata)
		},
		"huge":     func(h []string) bool { return len(h) == 1 && len(h[0]) > 1<<20 },
		"bare":     func(h []string) bool { return len(h) == 1 && h[0] == `Bearer scope="mcp"` },
		"verbatim": func(h []string) bool { return len(h) == 1 && h[0] == "Bearer x="+s.URL() },
	} {
		set(t, s, Knobs{Challenge: knob, ChallengeText: []string{"Bearer x=$RESOURCE"}})
		client := &http.Client{Transport: &http.Transport{MaxResponseHeaderBytes: 4 << 20, DisableKeepAlives: true}}
		answer, err := client.Post(s.URL(), "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if h := answer.Header.Values("WWW-Authenticate"); answer.StatusCode != http.StatusUnauthorized || !check(h) {
			t.Errorf("%q: %d %.200q", knob, answer.StatusCode, h)
		}
	}
}
