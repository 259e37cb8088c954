package oauth

import (
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

// byHand returns options with a client that somebody registered by hand.
func byHand(redirectURI string) authserver.Options {
	return authserver.Options{NoRegistration: true, AnyLoopbackPort: true, Clients: []authserver.Client{{
		ID: "by-hand", Secret: "canary of hand", RedirectURIs: []string{redirectURI}, GrantTypes: []string{"authorization_code", "refresh_token"}}}}
}

// A client that is configured without an issuer belongs to the first that is used. It goes to no other, also where nobody
// is asked before a token is got.
func TestConfiguredClientIsBound(t *testing.T) {
	const why = "sign out first and set oauth.issuer"
	person, cfg := byHand("http://127.0.0.1"+fixedPath), Config{ClientID: "by-hand", ClientSecret: "canary of hand"}
	itself, itselfCfg := robot(t, authBasic)
	for name, test := range map[string]struct {
		o   authserver.Options
		cfg Config
	}{"person": {person, cfg}, "itself": {itself, itselfCfg}} {
		t.Run(name, func(t *testing.T) {
			s, v := newSite(t, test.o), newVault()
			a := s.authorizer(v, configured(test.cfg))
			if _, err := s.signIn(a, authserver.Browser{}); err != nil {
				t.Fatal(err)
			}
			s.change(func(k *authserver.Knobs) { k.Moved = true })
			if a.byItself() {
				wantError(t, s.call(a, "echo"), wire.KindProtocol, "now sends you to "+mustParse(s.SecondIssuer()).Host, why)
			} else {
				wantNeeded(t, s.call(a, "echo")) // the first one gives a token that is no good
				_, err := s.signIn(a, authserver.Browser{})
				wantFailed(t, err, "now sends you to "+mustParse(s.SecondIssuer()).Host, why)
			}
			test.cfg.Issuer = s.Issuer()
			_, err := s.signIn(s.authorizer(v, configured(test.cfg)), authserver.Browser{})
			wantError(t, err, "", "correct the issuer of the server")
			for _, e := range s.Record() {
				if e.Server == "second" && e.Endpoint != "metadata" {
					t.Errorf("the second authorization server was asked for %s", e.URL)
				}
			}
		})
	}
}

// A secret goes to the issuer that is configured with it, also where another one has given tokens before.
func TestSecretGoesToItsIssuerOnly(t *testing.T) {
	s, v := newSite(t, byHand("http://127.0.0.1"+fixedPath)), newVault()
	s.signedIn(v, configured(Config{ClientID: "by-hand", ClientSecret: "canary of hand"}))
	before := len(s.Record())
	a := s.authorizer(v, configured(Config{ClientID: "by-hand", ClientSecret: "canary of second", Issuer: s.SecondIssuer()}))
	s.expireAccess()
	wantNeeded(t, s.call(a, "echo"), notYet)
	s.must(a.SignOut(s.ctx))
	for _, e := range s.Record()[before:] {
		if e.Server == "issuer" {
			t.Errorf("the first authorization server was asked for %s", e.Endpoint)
		}
	}
}
