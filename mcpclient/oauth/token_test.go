package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// A token endpoint has said something: what becomes of it, and what is told. Nothing of a body but an OAuth
// error gets into a message. Fault oauth-token.
func TestTokenEndpointAnswers(t *testing.T) {
	const kindRefusal = wire.KindProtocol // within a *refusal
	for name, test := range map[string]struct {
		status  int
		body    string
		want    wire.Kind
		refusal bool
		code    string
		text    string
	}{
		"an error":                   {400, `{"error":"invalid_grant","error_description":"no.","x":"canary"}`, kindRefusal, true, "invalid_grant", "gave no token (invalid_grant: no.)"},
		"an error with 401":          {401, `{"error":"invalid_client","error_uri":"https://canary"}`, kindRefusal, true, "invalid_client", "(invalid_client)"},
		"an error with 200":          {200, `{"error":"bad_verification_code","error_description":"expired"}`, kindRefusal, true, "bad_verification_code", "expired"},
		"an error of several lines":  {400, `{"error":"invalid_grant","error_description":"a\nb\u001b[31m\u202ec"}`, kindRefusal, true, "invalid_grant", "invalid_grant: a"},
		"a long error":               {400, `{"error":"invalid_grant","error_description":"` + strings.Repeat("a", 5000) + `"}`, kindRefusal, true, "invalid_grant", "aaa"},
		"400 without a code":         {400, `{"message":"canary"}`, kindRefusal, true, "", "(Bad Request)"},
		"403 of a firewall":          {403, "<p>canary", wire.KindUnreachable, false, "", "gives no token now (403 Forbidden); try again later"},
		"500 with a code":            {500, `{"error":"invalid_grant"}`, wire.KindUnreachable, false, "", "500"},
		"busy":                       {400, `{"error":"temporarily_unavailable"}`, wire.KindUnreachable, false, "", "try again later"},
		"broken":                     {400, `{"error":"server_error"}`, wire.KindUnreachable, false, "", "try again later"},
		"too fast":                   {400, `{"error":"slow_down"}`, wire.KindUnreachable, false, "", "try again later"},
		"a page with 200":            {200, "<p>canary", wire.KindUnreachable, false, "", "gave an answer that is not a token"},
		"no token":                   {200, `{"refresh_token":"canary"}`, wire.KindUnreachable, false, "", "not a token"},
		"an end that is none":        {200, `{"access_token":"canary","expires_in":"canary"}`, wire.KindUnreachable, false, "", "not a token"},
		"a type that is not ours":    {200, `{"access_token":"canary","token_type":"mac"}`, wire.KindProtocol, false, "", `a token of the type "mac", but MCP has only bearer tokens`},
		"a token with a line break":  {200, `{"access_token":"canary\r\nX: y"}`, wire.KindProtocol, false, "", "cannot be sent in a header"},
		"a token with a space":       {200, `{"access_token":"canary x"}`, wire.KindProtocol, false, "", "cannot be sent in a header"},
		"a token that is too long":   {200, `{"access_token":"canary` + strings.Repeat("x", maxToken) + `"}`, wire.KindProtocol, false, "", "cannot be sent in a header"},
		"what we sent, in the words": {400, `{"error":"invalid_grant","error_description":"canary-sent was used before"}`, kindRefusal, true, "invalid_grant", "(invalid_grant)"},
		"the secret, in the words":   {401, `{"error":"invalid_client","error_description":"not canary+secret"}`, kindRefusal, true, "invalid_client", "(invalid_client)"},
		"what we sent, as the code":  {400, `{"error":"canary-sent"}`, kindRefusal, true, "", "(Bad Request)"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.status)
				fmt.Fprint(w, test.body)
			}))
			defer server.Close()
			n := newNetwork(mustParse(server.URL), nil, "1.2")
			defer n.close()
			_, err := n.grant(t.Context(), server.URL+"/token?canary", server.URL, proof{id: "x", secret: "canary+secret", method: authPost},
				url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"canary-sent"}})
			if _, ok := errors.AsType[*refusal](err); ok != test.refusal || codeOf(err) != test.code {
				t.Errorf("got %v with the code %q", err, codeOf(err))
			}
			e, ok := errors.AsType[*wire.Error](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			wantError(t, e, test.want, mustParse(server.URL).Host, test.text)
			if strings.ContainsAny(e.Message, "\n\r\x1b\u202e") || len(e.Message) > 2*maxName || strings.Contains(e.Detail, "canary") || err.Error() != e.Message {
				t.Errorf("%q is not fit for people", e.Message)
			}
		})
	}
}

// A client says who it is in one way only, and with what belongs to it.
func TestProof(t *testing.T) {
	a := alone(t, newVault(), Config{ClientID: "x", ClientSecret: "of the configuration", PrivateKeyFile: "/key", KeyID: "k"})
	if p := a.proofOf(client{ID: "r", Secret: "own", AuthMethod: authPost, Registered: true}); p != (proof{id: "r", secret: "own", method: authPost}) {
		t.Error("a client that was registered has something of the configuration")
	}
	if p := a.proofOf(client{ID: "x", AuthMethod: authBasic}); p != (proof{"x", "of the configuration", authBasic, "/key", "k"}) {
		t.Error("a client of the configuration has not what is configured")
	}
	for _, test := range []struct {
		config    Config
		supported []string
		want      string
	}{
		{Config{}, nil, authNone},
		{Config{}, []string{authBasic}, authNone},
		{Config{ClientSecret: "s"}, nil, authBasic},
		{Config{ClientSecret: "s"}, []string{authPost}, authPost},
		{Config{ClientSecret: "s"}, []string{authPost, authBasic}, authBasic},
		{Config{ClientSecret: "s"}, []string{"tls_client_auth"}, authBasic},
		{Config{PrivateKeyFile: "/key"}, []string{authPost}, authPrivateKeyJWT},
	} {
		if got := configuredMethod(test.config, test.supported); got != test.want {
			t.Errorf("%+v at %q: %s, want %s", test.config, test.supported, got, test.want)
		}
	}
}

// What is too long to be kept would leave a used refresh token in the store. It is not taken.
func TestTokensFitInTheStore(t *testing.T) {
	const maxKept = 64 << 10 // of package secrets
	long := strings.Repeat("x", maxToken)
	fits := &grant{AccessToken: long, RefreshToken: long, IDToken: long}
	if err := fits.check(testIssuer); err != nil {
		t.Fatal(err)
	}
	c := &credentials{Issuer: testIssuer, AccessToken: long, RefreshToken: long, Identity: &identity{RefreshToken: long}}
	if err := c.Identity.take(fits); err != nil {
		t.Fatal(err)
	}
	if encoded, err := json.Marshal(c); err != nil || len(encoded) > maxKept-4<<10 { // and the rest
		t.Errorf("%d bytes are to be kept (%v)", len(encoded), err)
	}
	wantError(t, (&grant{AccessToken: "x", RefreshToken: long + "x"}).check(testIssuer), wire.KindProtocol, "too long")
	if err := c.Identity.take(&grant{IDToken: long + "x"}); err == nil {
		t.Error("an id_token of any length is taken")
	}
}

// A refresh has the resource and the client, and no scope; an answer without a refresh token keeps the old one.
func TestRefreshRequest(t *testing.T) {
	s, v := newSite(t, authserver.Options{Knobs: authserver.Knobs{NoRotation: true}}), newVault()
	a := s.signedIn(v)
	for range 2 {
		s.expireAccess()
		s.mustCall(a)
	}
	asked := s.asked("token")
	for _, e := range asked[1:] {
		if e.Form.Get("grant_type") != "refresh_token" || e.Form.Get("resource") != s.Resource() || e.Form.Has("scope") ||
			e.Form.Get("client_id") != v.kept(t).Client.ID || e.Form.Get("refresh_token") != v.kept(t).RefreshToken {
			t.Errorf("asked with %d parameters", len(e.Form))
		}
	}
	if len(asked) != 3 {
		t.Errorf("%d requests", len(asked))
	}
}

// What is printed by mistake shows no secret.
func TestCredentialsPrinted(t *testing.T) {
	c := &credentials{Issuer: "https://login.example", AccessToken: "canary", RefreshToken: "canary",
		Client: client{ID: "x", Secret: "canary"}, Identity: &identity{IDToken: "canary", RefreshToken: "canary"}}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		for _, value := range []any{c, []*credentials{c}, *c, c.Client, *c.Identity, proof{secret: "canary"}} {
			if text := fmt.Sprintf(format, value); strings.Contains(text, "canary") {
				t.Errorf("%s of a %T is %s", format, value, text)
			}
		}
	}
}
