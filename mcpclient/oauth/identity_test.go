package oauth

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// provider is an identity provider that takes no id_token but "fresh", and answers a refresh with id.
func provider(t *testing.T, id string) (p *httptest.Server, refreshed *[]string) {
	refreshed = new([]string)
	p = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case r.FormValue("grant_type") == "refresh_token":
			*refreshed = append(*refreshed, r.FormValue("refresh_token"))
			given := map[string]any{"access_token": "x", "token_type": "Bearer", "refresh_token": "identity-2"}
			if id != "" {
				given["id_token"] = id
			}
			answer(given)(rw, r)
		case r.FormValue("subject_token") == "fresh":
			answer(map[string]any{"access_token": "assertion", "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag", "token_type": "N_A"})(rw, r)
		default:
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(http.StatusBadRequest)
			_, _ = rw.Write([]byte(`{"error": "invalid_grant"}`))
		}
	}))
	t.Cleanup(p.Close)
	return p, refreshed
}

// identified returns an Authorizer whose identity at p is too old, and whose access token was refused.
func (w *world) identified(s *shelf, p *httptest.Server) *Authorizer {
	a := w.authorizer(s, Config{Enterprise: &Enterprise{Issuer: p.URL, ClientID: "us"}})
	c := signedIn("old", "")
	c.Identity = &identity{Issuer: p.URL, TokenEndpoint: p.URL, AuthMethod: authNone, IDToken: "stale", RefreshToken: "identity-1"}
	s.put(a, c)
	return a
}

func TestIdentityIsRefreshed(t *testing.T) {
	w, s := newWorld(t), newShelf()
	p, refreshed := provider(t, "fresh")
	a := w.identified(s, p)
	w.on(filesIssuer+"/token", tokens("new", ""))
	if err := a.renew(t.Context(), "old"); err != nil {
		t.Fatal(err)
	}
	if got := s.kept(t); got.token() != "new" || got.Identity.IDToken != "fresh" || got.Identity.RefreshToken != "identity-2" {
		t.Errorf("it keeps the token %q and %+v", got.token(), got.Identity)
	}
	if !slices.Equal(*refreshed, []string{"identity-1"}) {
		t.Errorf("it has refreshed with %q", *refreshed)
	}
}

// "upon successful validation of the refresh token, the response body is the Token Response […] except that it might
// not contain an id_token" (OpenID Connect Core, section 12.2).
func TestIdentityIsNotSaidAgain(t *testing.T) {
	w, s := newWorld(t), newShelf()
	p, refreshed := provider(t, "")
	a := w.identified(s, p)
	wantError(t, a.renew(t.Context(), "old"), wire.KindSignInNeeded, "has ended")
	wantError(t, a.renew(t.Context(), ""), wire.KindSignInNeeded)
	if !slices.Equal(*refreshed, []string{"identity-1"}) {
		t.Errorf("it has refreshed with %q", *refreshed)
	}
}
