package oauth

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// company returns options with an identity provider whose client authenticates itself by method.
func company(method string) authserver.Options {
	return authserver.Options{
		NoRegistration: true,
		Clients: []authserver.Client{{ID: "wiki", Secret: "canary of wiki", GrantTypes: []string{grantJWTBearer},
			RedirectURIs: []string{"http://127.0.0.1/callback"}}},
		IDPClients: []authserver.Client{{ID: "editors", Secret: "canary of editors", Method: method, ResourceClientID: "wiki",
			RedirectURIs: []string{"http://127.0.0.1/callback"}, GrantTypes: []string{"authorization_code", "refresh_token", oauthex.GrantTypeTokenExchange}}},
		AnyLoopbackPort: true,
	}
}

// managed returns how the server of a company is configured.
func (s *site) managed() func(*Options) {
	return configured(Config{ClientID: "wiki", ClientSecret: "canary of wiki", Issuer: s.Issuer(),
		Enterprise: &Enterprise{Issuer: s.IDPIssuer(), ClientID: "editors", ClientSecret: "canary of editors"}})
}

// employee returns an Authorizer of somebody who has signed in, with requests to token endpoints from then on.
func (s *site) employee(v *vault) (a *Authorizer, grants func() []string) {
	s.t.Helper()
	a = s.signedIn(v, s.managed())
	before := len(s.asked("token"))
	return a, func() (types []string) {
		for _, e := range s.asked("token")[before:] {
			types = append(types, e.Server+" "+e.Form.Get("grant_type")[strings.LastIndex(e.Form.Get("grant_type"), ":")+1:])
		}
		return types
	}
}

// A person signs in at the provider once. From then on tokens are exchanged without anybody, also after a
// restart, and nobody signs in at the authorization server of the MCP server.
func TestEnterprise(t *testing.T) {
	for _, method := range []string{authBasic, authPost} {
		t.Run(method, func(t *testing.T) {
			s, v := newSite(t, company(method)), newVault()
			s.change(func(k *authserver.Knobs) {
				k.IDPMetadata = map[string]any{"token_endpoint_auth_methods_supported": []string{method}}
				k.Metadata = map[string]any{"code_challenge_methods_supported": nil, "authorization_endpoint": nil}
				k.TokenResponse = map[string]any{"refresh_token": "canary of server"} // the enterprise is asked all the same
			})
			a, grants := s.employee(v)
			if did := v.operations(); !slices.Equal(did, []string{"lock", "set", "unlock"}) {
				t.Errorf("the store did %v", did)
			}
			s.expireAccess()
			s.mustCall(a)
			a = s.authorizer(v, s.managed())
			s.mustCall(a)
			s.expireAccess()
			s.mustCall(a)
			if got := grants(); !slices.Equal(got, []string{"idp token-exchange", "issuer jwt-bearer", "idp token-exchange", "issuer jwt-bearer"}) {
				t.Errorf("the grants were %q", got)
			}
			for _, e := range s.asked("authorize") {
				if q := mustParse(e.URL).Query(); e.Server != "idp" || q.Get("scope") != "openid offline_access" || q.Has("resource") {
					t.Errorf("%s was asked for %s", e.Server, q.Get("scope"))
				}
			}
			if state := a.State(); state.Issuer != s.Issuer() || !slices.Equal(state.Scopes, []string{"mcp"}) {
				t.Errorf("got %+v", state)
			}
		})
	}
}

// invalidate makes the id token one that the provider no longer takes.
func invalidate(c *credentials) { c.Identity.IDToken = "canary.of.old" }

// What the provider said is too old after a while. It says it anew for its refresh token, whose successor
// is kept before it is needed.
func TestEnterpriseRefreshesIdentity(t *testing.T) {
	s, v := newSite(t, company(authBasic)), newVault()
	_, grants := s.employee(v)
	v.edit(t, invalidate)
	before := v.kept(t)
	a := s.authorizer(v, s.managed())
	s.mustCall(a)
	s.expireAccess()
	v.operations()
	reached, release := v.hold(t, "set")
	done := make(chan error, 1)
	go func() { done <- s.call(a, "echo") }()
	<-reached
	want := []string{"idp token-exchange", "idp refresh_token"}
	if got := grants(); !slices.Equal(got, want) {
		t.Errorf("before the refresh token was kept, the grants were %q", got)
	}
	release()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := grants(); !slices.Equal(got, append(want, "idp token-exchange", "issuer jwt-bearer")) {
		t.Errorf("the grants were %q", got)
	}
	if did := v.operations(); !slices.Equal(did, []string{"lock", "get", "set", "set", "unlock"}) {
		t.Errorf("the store did %v", did)
	}
	if c := v.kept(t); c.Identity.RefreshToken == before.Identity.RefreshToken || c.Identity.IDToken == before.Identity.IDToken {
		t.Error("what the provider said is not kept")
	}
}

// Only the word of the provider, or of the authorization server, ends a sign-in. The message names who it
// was.
func TestEnterpriseRefuses(t *testing.T) {
	down := func(name string) func(*authserver.Knobs) {
		return func(k *authserver.Knobs) { k.Down = []string{name} }
	}
	for name, test := range map[string]struct {
		change func(*authserver.Knobs)
		edit   func(*credentials)
		kind   wire.Kind
		host   func(*site) string
	}{
		"provider refuses": {func(*authserver.Knobs) {}, func(c *credentials) { invalidate(c); c.Identity.RefreshToken = "canary of old" },
			wire.KindSignInNeeded, (*site).IDPIssuer},
		"provider refuses, and nothing to refresh": {func(*authserver.Knobs) {}, func(c *credentials) { invalidate(c); c.Identity.RefreshToken = "" },
			wire.KindSignInNeeded, (*site).IDPIssuer},
		"authorization server refuses": {func(k *authserver.Knobs) { k.IDPResponse = map[string]any{"access_token": "canary.for.nobody"} }, nil,
			wire.KindSignInNeeded, (*site).Issuer},
		"no id_token any more": {func(k *authserver.Knobs) { k.IDPResponse = map[string]any{"id_token": nil} }, invalidate,
			wire.KindSignInNeeded, (*site).IDPIssuer},
		"provider is down":             {down("idp"), nil, wire.KindUnreachable, (*site).IDPIssuer},
		"authorization server is down": {down("issuer"), nil, wire.KindUnreachable, (*site).Issuer},
		"provider gives something else": {func(k *authserver.Knobs) { k.IDPResponse = map[string]any{"issued_token_type": "urn:x"} }, nil,
			wire.KindUnreachable, (*site).IDPIssuer},
		"provider gives a page": {func(k *authserver.Knobs) { k.Faults = map[string]authserver.Fault{"token": {Do: "html"}} }, nil,
			wire.KindUnreachable, (*site).IDPIssuer},
	} {
		t.Run(name, func(t *testing.T) {
			s, v := newSite(t, company(authBasic)), newVault()
			s.employee(v)
			if test.edit != nil {
				v.edit(t, test.edit)
			}
			s.change(test.change)
			s.expireAccess()
			a := s.authorizer(v, s.managed())
			wantError(t, s.call(a, "echo"), test.kind, mustParse(test.host(s)).Host)
			if c := v.kept(t); (c.Identity == nil) != (test.kind == wire.KindSignInNeeded) {
				t.Error("the identity is forgotten, or kept, against what was said")
			}
			if test.kind == wire.KindSignInNeeded {
				wantNeeded(t, s.call(a, "echo"), "nobody is signed in now")
			}
			s.change(func(k *authserver.Knobs) { *k = authserver.Knobs{} })
			a = s.authorizer(v, s.managed())
			if test.kind == wire.KindSignInNeeded {
				s.mustSignIn(a)
			}
			s.mustCall(a)
		})
	}
}
