package authserver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"
)

func TestKnobsOfTheAuthorizationResponse(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}})
	announced := func() bool {
		return get(t, s.first.origin()+"/.well-known/oauth-authorization-server")["authorization_response_iss_parameter_supported"] == true
	}
	for name, test := range map[string]struct {
		knobs      Knobs
		state, iss func(string) bool
		announced  bool
	}{
		"wrong state":       {Knobs{State: "wrong"}, func(s string) bool { return s != "" && s != "a state" }, nil, true},
		"no state":          {Knobs{State: "drop"}, func(s string) bool { return s == "" }, nil, true},
		"wrong iss":         {Knobs{Iss: "wrong"}, nil, func(i string) bool { return i != "" && i != s.Issuer() }, true},
		"iss missing":       {Knobs{Iss: "missing"}, nil, func(i string) bool { return i == "" }, true},
		"no iss":            {Knobs{Iss: "off"}, nil, func(i string) bool { return i == "" }, false},
		"iss surprise":      {Knobs{Iss: "unannounced"}, nil, func(i string) bool { return i == s.Issuer() }, false},
		"denied, wrong iss": {Knobs{Deny: true, Iss: "wrong"}, nil, func(i string) bool { return i != "" && i != s.Issuer() }, true},
	} {
		set(t, s, test.knobs)
		q := authorize(t, s, config(s, "public"), oauth2.GenerateVerifier())
		if test.state == nil {
			test.state = func(s string) bool { return s == "a state" }
		}
		if test.iss == nil {
			test.iss = func(i string) bool { return i == s.Issuer() }
		}
		if !test.state(q.Get("state")) || !test.iss(q.Get("iss")) || q.Has("error") != test.knobs.Deny || announced() != test.announced {
			t.Errorf("%s: %v, announced %v", name, q, announced())
		}
	}
}

func TestDocumentsWithKnobs(t *testing.T) {
	s := New(t, Options{})
	metadata := s.first.origin() + "/.well-known/oauth-authorization-server"
	for name, hostile := range HostileURLs() {
		set(t, s, Knobs{Metadata: map[string]any{"authorization_endpoint": hostile}})
		want := strings.ReplaceAll(hostile, "$HOST", s.first.front.addr)
		if got := get(t, metadata)["authorization_endpoint"]; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	set(t, s, Knobs{Metadata: map[string]any{"code_challenge_methods_supported": nil, "issuer": "$SECOND", "token_endpoint": "$NOWHERE/token"},
		ResourceMetadata: map[string]any{"resource": "https://other.example/mcp", "authorization_servers": []any{"http://10.0.0.1/", "$ISSUER"}}})
	m := get(t, metadata)
	if _, ok := m["code_challenge_methods_supported"]; ok || m["issuer"] != s.SecondIssuer() || m["token_endpoint"] != "http://127.0.0.1:1/token" {
		t.Errorf("%v", m)
	}
	m = get(t, s.resource.metadataURL())
	if servers := m["authorization_servers"].([]any); m["resource"] != "https://other.example/mcp" || len(servers) != 2 || servers[1] != s.Issuer() {
		t.Errorf("%v", m)
	}
	set(t, s, Knobs{Moved: true})
	if m = get(t, s.resource.metadataURL()); m["authorization_servers"].([]any)[0] != s.SecondIssuer() {
		t.Errorf("moved: %v", m)
	}
	if m = get(t, s.second.origin()+"/.well-known/oauth-authorization-server"); m["issuer"] != s.SecondIssuer() {
		t.Errorf("the second one: %v", m)
	}
}

func TestKnobsOfTokens(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}})
	first := signIn(t, s, "public", "mcp")
	set(t, s, Knobs{NoRotation: true, AccessSeconds: 7, TokenResponse: map[string]any{"token_type": "mac", "expires_in": "x", "access_token": "$TOKEN\r\nX: 1", "scope": nil}})
	_, answer := refresh(t, s, first.RefreshToken)
	access, _ := answer["access_token"].(string)
	if _, ok := answer["scope"]; ok || answer["token_type"] != "mac" || answer["expires_in"] != "x" || !strings.HasPrefix(access, "canary-access-") || !strings.HasSuffix(access, "\r\nX: 1") || answer["refresh_token"] != nil {
		t.Errorf("%v", answer)
	}
	allowed(t, s, strings.TrimSuffix(access, "\r\nX: 1"), "echo")
	set(t, s, Knobs{AccessSeconds: 7, GrantedScope: "mcp admin"})
	_, answer = refresh(t, s, first.RefreshToken)
	if answer["refresh_token"] == nil || answer["expires_in"] != 7.0 || answer["scope"] != "mcp admin" {
		t.Errorf("%v", answer)
	}
	allowed(t, s, answer["access_token"].(string), "admin")
	set(t, s, Knobs{NoRefreshToken: true})
	if token := signIn(t, s, "public", "mcp"); token.RefreshToken != "" {
		t.Error("there is a refresh token")
	}
	offline := New(t, Options{OfflineAccess: true, Clients: []Client{public()}})
	if a, b := signIn(t, offline, "public", "mcp"), signIn(t, offline, "public", "mcp", "offline_access"); a.RefreshToken != "" || b.RefreshToken == "" {
		t.Errorf("refresh tokens without and with offline_access: %q, %q", a.RefreshToken, b.RefreshToken)
	}
}

func TestFaults(t *testing.T) {
	s := New(t, Options{})
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	open := func(fault Fault) (*http.Response, error) {
		t.Helper()
		set(t, s, Knobs{Faults: map[string]Fault{"jwks": fault}})
		answer, err := client.Get(s.Endpoint("jwks"))
		if err == nil {
			t.Cleanup(func() { answer.Body.Close() })
		}
		return answer, err
	}
	if _, err := open(Fault{Do: "drop"}); !errors.Is(err, io.EOF) {
		t.Errorf("drop: %v", err)
	}
	if a, err := open(Fault{Do: "html"}); err != nil || a.StatusCode != http.StatusOK || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		t.Errorf("html: %v, %v", a, err)
	}
	if a, err := open(Fault{Do: "status", Status: 500, Body: "<h1>Oops</h1>"}); err != nil || a.StatusCode != 500 || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		t.Errorf("status: %v, %v", a, err)
	}
	if a, err := open(Fault{Do: "redirect", Location: "$SECOND/jwks"}); err != nil || a.StatusCode != http.StatusTemporaryRedirect || a.Header.Get("Location") != s.SecondIssuer()+"/jwks" {
		t.Errorf("redirect: %v, %v", a, err)
	}
	if a, err := open(Fault{Do: "big"}); err != nil || a.ContentLength != bigBody {
		t.Errorf("big: %v, %v", a, err)
	} else if n, err := io.CopyN(io.Discard, a.Body, 1<<20); err != nil {
		t.Errorf("big: %d bytes, %v", n, err)
	}
	if a, err := open(Fault{Do: "endless"}); err != nil || a.ContentLength != -1 {
		t.Errorf("endless: %v, %v", a, err)
	} else if n, err := io.CopyN(io.Discard, a.Body, 4<<20); err != nil {
		t.Errorf("endless: %d bytes, %v", n, err)
	}
	if a, err := open(Fault{Do: "error", Error: "temporarily_unavailable", Status: 503, Times: 1, Headers: map[string]string{"Retry-After": "7"}}); err != nil || a.StatusCode != 503 || a.Header.Get("Retry-After") != "7" {
		t.Errorf("error: %v, %v", a, err)
	}
	if a, err := open(Fault{Do: "error", Error: "invalid_grant", Times: 1}); err != nil || a.StatusCode != http.StatusBadRequest {
		t.Errorf("error without a status: %v, %v", a, err)
	}
	if a, err := client.Get(s.Endpoint("jwks")); err != nil || a.StatusCode != http.StatusOK {
		t.Errorf("the fault lasts longer than once: %v, %v", a, err)
	}
}

func TestPour(t *testing.T) {
	for _, size := range []int{1, 11, 12, 64 << 10, 64<<10 + 11, 1 << 20} {
		var n counter
		if pour(&n, size); int(n) != size {
			t.Errorf("%d bytes, want %d", n, size)
		}
	}
}

func TestPourStopsWhenTheClientGoes(t *testing.T) {
	r, w := io.Pipe()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	pour(w, -1) // otherwise this has no end
}

type counter int

func (n *counter) Write(b []byte) (int, error) { *n += counter(len(b)); return len(b), nil }

// The token endpoint has rotated when the connection breaks: the next use of the old refresh
// token is a reuse.
func TestLostRotation(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}})
	token := signIn(t, s, "public", "mcp")
	set(t, s, Knobs{Faults: map[string]Fault{"token": {Do: "lose", Times: 1}}})
	form := url.Values{"grant_type": {grantRefresh}, "client_id": {"public"}, "refresh_token": {token.RefreshToken}, "resource": {s.URL()}}
	if _, err := http.PostForm(s.Endpoint("token"), form); err == nil {
		t.Fatal("there was an answer")
	}
	if n := s.Counts(); n.Refreshes != 1 {
		t.Errorf("counts: %+v", n)
	}
	if code, _ := refresh(t, s, token.RefreshToken); code != "invalid_grant" || s.Counts().RefreshReuses != 1 {
		t.Errorf("the old refresh token: %q", code)
	}
}

func TestHoldAndRelease(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}})
	token := signIn(t, s, "public", "mcp")
	access, next := token.AccessToken, token.RefreshToken
	for _, test := range []struct {
		do   string
		done int // refreshes while the answer is held
	}{{"hold", 0}, {"late", 1}} {
		set(t, s, Knobs{Faults: map[string]Fault{"token": {Do: test.do}}})
		before := s.Counts()
		held := release(t, s, "token", func(c Counts) bool {
			return c.Requests["token"] == before.Requests["token"]+1 && c.Refreshes == before.Refreshes+test.done
		})
		code, answer := refresh(t, s, next)
		if err := held(); err != nil || code != "" {
			t.Fatalf("%s: %v, then %q", test.do, err, code)
		}
		access, next = answer["access_token"].(string), answer["refresh_token"].(string)
		if f, ok := s.Knobs().Faults["token"]; ok {
			t.Errorf("the fault %v is there after its release", f)
		}
	}
	set(t, s, Knobs{Faults: map[string]Fault{"slow": {Do: "hold"}}})
	held := release(t, s, "slow", func(c Counts) bool { return c.Calls["one"] == 1 })
	if _, text := call(t, s, access, "slow", "one"); !strings.Contains(text, "hello") {
		t.Errorf("slow answered %s", text)
	}
	if err := held(); err != nil {
		t.Errorf("slow: %v", err)
	}
}

// release releases an endpoint once the counts are as they are while it holds a request. The
// function that it returns, for after the answer, tells whether they were.
func release(t *testing.T, s *Server, endpoint string, holds func(Counts) bool) func() error {
	ctx, cancel := context.WithCancel(t.Context())
	held := make(chan error, 1)
	go func() {
		err := s.Await(ctx, holds)
		if entries := s.Record(); err == nil && endpoint != "slow" && entries[len(entries)-1].Status != 0 {
			err = errors.New("the request was answered before the release")
		}
		held <- errors.Join(err, s.Release(endpoint))
	}()
	return func() error {
		cancel()
		return <-held
	}
}
