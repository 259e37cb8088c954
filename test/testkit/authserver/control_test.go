package authserver

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/oauth2"
)

// control sends a request to the control interface and reads the answer.
func control(t *testing.T, s *Server, method, path, body string, into any) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.ControlURL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode == http.StatusOK && into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatalf("%s %s: %v: %s", method, path, err, text)
		}
	}
	return answer.StatusCode, string(text)
}

func TestControl(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}})
	var urls URLs
	if control(t, s, "GET", "/urls", "", &urls); urls.URL != s.URL() || urls.Issuer != s.Issuer() || urls.Control != s.ControlURL() {
		t.Errorf("%+v", urls)
	}
	control(t, s, "PUT", "/knobs", `{"iss":"wrong","faults":{"token":{"do":"html"}}}`, nil)
	control(t, s, "PATCH", "/knobs", `{"deny":true,"faults":{"jwks":{"do":"drop"}}}`, nil)
	if k := s.Knobs(); k.Iss != "wrong" || !k.Deny || k.Faults["token"].Do != "html" || k.Faults["jwks"].Do != "drop" {
		t.Errorf("%+v", k)
	}
	control(t, s, "PATCH", "/knobs", `{"faults":{"jwks":null}}`, nil)
	if k := s.Knobs(); len(k.Faults) != 1 || !k.Deny {
		t.Errorf("%+v", k)
	}
	for _, body := range []string{`{"ISSX":1}`, `{"iss":"x"}`, `x`, ``} {
		if status, _ := control(t, s, "PUT", "/knobs", body, nil); status != http.StatusBadRequest || s.Knobs().Iss != "wrong" {
			t.Errorf("%s: %d", body, status)
		}
	}
	var knobs map[string]any
	if control(t, s, "PUT", "/knobs", `{}`, &knobs); len(knobs) != 0 {
		t.Errorf("%v", knobs)
	}

	verifier := oauth2.GenerateVerifier()
	ask := config(s, "public", "mcp").AuthCodeURL("x", oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("resource", s.URL()))
	body, _ := json.Marshal(map[string]any{"url": ask, "stopAt": "redirect"})
	var visit Visit
	if status, text := control(t, s, "POST", "/browse", string(body), &visit); status != http.StatusOK || !strings.HasPrefix(visit.Next, redirectTo+"?code=") {
		t.Errorf("%d %s", status, text)
	}
	token := signIn(t, s, "public", "mcp")
	control(t, s, "POST", "/expire", `{"name":"access"}`, nil)
	refused(t, s, token.AccessToken, "expired")
	control(t, s, "POST", "/revoke", `{"name":"refresh"}`, nil)
	refused(t, s, token.AccessToken, "revoked")
	if status, text := control(t, s, "POST", "/release", `{"name":"token"}`, nil); status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}
	for _, path := range []string{"/expire", "/revoke", "/release", "/browse"} {
		for body, want := range map[string]string{`{"name":"x"}`: "x", `{`: "unexpected EOF", `{"nane":"access"}`: "unknown field"} {
			if path == "/browse" && want == "x" {
				body, want = `{"url":"http://192.0.2.1/"}`, "not on the loopback interface"
			}
			if status, text := control(t, s, "POST", path, body, nil); status != http.StatusBadRequest || !strings.Contains(text, want) {
				t.Errorf("%s %s: %d %s", path, body, status, text)
			}
		}
	}

	if status, text := control(t, s, "POST", "/forget", `{}`, nil); status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}
	var counts Counts
	if control(t, s, "GET", "/counts", "", &counts); counts.Codes != 2 || counts.Requests["mcp"] != 2 {
		t.Errorf("%+v", counts)
	}
	var secrets []string
	if control(t, s, "GET", "/secrets", "", &secrets); !strings.Contains(strings.Join(secrets, " "), token.AccessToken) {
		t.Errorf("%v", secrets)
	}
	var entries []Entry
	control(t, s, "GET", "/record", "", &entries)
	last := entries[len(entries)-1]
	if last.Endpoint != "mcp" || last.Status != http.StatusUnauthorized || last.Problem == "" || last.Seq != len(entries) {
		t.Errorf("%+v", last)
	}
	// The next request is there before or after the record waits for it: both are right.
	go func() {
		if answer, err := http.Get(s.Endpoint("jwks")); err == nil {
			answer.Body.Close()
		}
	}()
	var next []Entry
	if control(t, s, "GET", "/record?after="+strconv.Itoa(last.Seq), "", &next); len(next) != 1 || next[0].Endpoint != "jwks" {
		t.Errorf("%+v", next)
	}
}

// A page in a browser cannot use the control interface.
func TestControlIsNotForPages(t *testing.T) {
	s := New(t, Options{})
	if answer, err := http.Post(s.ControlURL()+"/revoke", "text/plain", strings.NewReader(`{"name":"access"}`)); err != nil || answer.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("a form: %v, %v", answer, err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.ControlURL()+"/secrets", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "rebound.example.com"
	if answer, err := http.DefaultClient.Do(r); err != nil || answer.StatusCode != http.StatusForbidden {
		t.Errorf("another host: %v, %v", answer, err)
	}
}
