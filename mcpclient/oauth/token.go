package oauth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// maxToken is how many bytes each token may have: one travels in a header, and all of them fit in the store together.
const maxToken = 12 << 10

// proof is how a client authenticates itself in one request.
type proof struct {
	id, secret string
	method     string // one of authNone …
	keyFile    string // of authPrivateKeyJWT
	keyID      string
}

// Format is as that of credentials.
func (p proof) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "proof of "+p.id) }

// proofOf returns how c authenticates itself. The secret of a client that is configured is taken from
// the configuration.
func (a *Authorizer) proofOf(c client) proof {
	p := proof{id: c.ID, secret: c.Secret, method: c.AuthMethod}
	if !c.Registered {
		p.secret, p.keyFile, p.keyID = a.o.Config.ClientSecret, a.o.Config.PrivateKeyFile, a.o.Config.KeyID
	}
	return p
}

// configuredMethod chooses how a configured client authenticates itself, by what its authorization server
// supports. "If omitted, the default is client_secret_basic" (RFC 8414, section 2).
func configuredMethod(cfg Config, supported []string) string {
	switch {
	case cfg.PrivateKeyFile != "":
		return authPrivateKeyJWT
	case cfg.ClientSecret == "":
		return authNone
	case len(supported) > 0 && !slices.Contains(supported, authBasic) && slices.Contains(supported, authPost):
		return authPost
	default:
		return authBasic
	}
}

// assert adds the assertion of a client that has a private key (RFC 7523, section 2.2). The error is a
// [wire.Error] of [wire.KindProtocol]: trying again is of no use before somebody has seen to the key.
func (p proof) assert(params url.Values, audience string) error {
	if p.method != authPrivateKeyJWT {
		return nil
	}
	assertion, err := newAssertion(p.keyFile, p.keyID, p.id, audience, time.Now())
	if err != nil {
		return wire.Errorf(wire.KindProtocol, "", "the private key %q %v", p.keyFile, err)
	}
	params.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
	params.Set("client_assertion", assertion)
	return nil
}

// postForm sends a form to an endpoint of an authorization server, as the client that p is of. Parameters that are
// empty are left out.
func (n *network) postForm(ctx context.Context, endpoint, audience string, p proof, form url.Values) (status int, body []byte, err error) {
	maps.DeleteFunc(form, func(_ string, values []string) bool { return values[0] == "" })
	if p.method != authBasic {
		form.Set("client_id", p.id)
	}
	if p.method == authPost {
		form.Set("client_secret", p.secret)
	}
	if err := p.assert(form, audience); err != nil {
		return 0, nil, err
	}
	req, err := n.request(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if p.method == authBasic {
		req.SetBasicAuth(url.QueryEscape(p.id), url.QueryEscape(p.secret)) // RFC 6749, section 2.3.1
	}
	return n.send(req)
}

// A grant is the answer of a token endpoint (RFC 6749, sections 5.1 and 5.2; OpenID Connect Core, section 3.1.3.3; RFC
// 8693, section 2.2.1).
type grant struct {
	AccessToken      string      `json:"access_token"`
	TokenType        string      `json:"token_type"`
	ExpiresIn        json.Number `json:"expires_in"` // seconds; some authorization servers calculate it, and have a fraction
	RefreshToken     string      `json:"refresh_token"`
	Scope            *string     `json:"scope"`
	IDToken          string      `json:"id_token"`
	IssuedTokenType  string      `json:"issued_token_type"`
	Error            string      `json:"error"`
	ErrorDescription string      `json:"error_description"`
}

// grant asks a token endpoint for a token. x/oauth2 has no request for some grants, and none that takes
// the resource parameter when it refreshes: "MUST be included in both authorization requests and token
// requests" (MCP 2026-07-28, Resource Parameter Implementation). The error is one of exchange or of check.
func (n *network) grant(ctx context.Context, endpoint, audience string, p proof, form url.Values) (*grant, error) {
	g, err := n.exchange(ctx, endpoint, audience, p, form)
	if err != nil {
		return nil, err
	}
	return g, g.check(endpoint)
}

// exchange is grant for a token of any type. The error has nothing of the response but the code and the
// description of an OAuth error: it is a *refusal, or of [wire.KindUnreachable] when the same request may succeed
// later.
func (n *network) exchange(ctx context.Context, endpoint, audience string, p proof, form url.Values) (*grant, error) {
	status, body, err := n.postForm(ctx, endpoint, audience, p, form)
	if err != nil {
		return nil, err
	}
	g, host := new(grant), hostIn(endpoint)
	malformed := json.Unmarshal(body, g)
	g.hush(p, form)
	switch good := status/100 == 2 && g.Error == ""; {
	case good && malformed == nil && g.AccessToken != "":
		return g, nil
	case good:
		return nil, wire.Errorf(wire.KindUnreachable, host, "%s gave an answer that is not a token; try again later", host)
	case passing(status, g.Error):
		return nil, wire.Errorf(wire.KindUnreachable, host, "%s gives no token now (%s); try again later", host, statusText(status))
	}
	text := cmp.Or(g.Error, http.StatusText(status))
	if g.ErrorDescription != "" {
		text += ": " + g.ErrorDescription
	}
	return nil, &refusal{wire.Errorf(wire.KindProtocol, "", "%s gave no token (%s)", host, clip(text)), hostIn(audience), g.Error}
}

// passing reports whether the same request may succeed later. code is that of the OAuth error, "" for none.
func passing(status int, code string) bool {
	switch code {
	case "temporarily_unavailable", "server_error", "slow_down":
		return true
	case "":
		return status != http.StatusBadRequest && status != http.StatusUnauthorized
	}
	return mayPass(status)
}

// hush takes away what quotes a secret of the request: some authorization servers name the code or the
// refresh token that they do not take.
func (g *grant) hush(p proof, form url.Values) {
	secrets := []string{p.secret}
	for _, name := range []string{"code", "code_verifier", "refresh_token", "assertion", "client_assertion", "subject_token"} {
		secrets = append(secrets, form.Get(name))
	}
	for _, secret := range secrets {
		for _, text := range []*string{&g.Error, &g.ErrorDescription} {
			if secret != "" && strings.Contains(*text, secret) {
				*text = ""
			}
		}
	}
}

// check says what is wrong with a token that was given.
func (g *grant) check(endpoint string) error {
	host := hostIn(endpoint)
	switch {
	case g.TokenType != "" && !strings.EqualFold(g.TokenType, "Bearer"):
		return wire.Errorf(wire.KindProtocol, "", "%s gave a token of the type %.40q, but MCP has only bearer tokens", host, clip(g.TokenType))
	case len(g.AccessToken) > maxToken, !httpguts.ValidHeaderFieldValue(g.AccessToken), strings.ContainsAny(g.AccessToken, " \t"):
		return wire.Errorf(wire.KindProtocol, "", "%s gave a token that cannot be sent in a header", host)
	case len(g.RefreshToken) > maxToken:
		return wire.Errorf(wire.KindProtocol, "", "%s gave a refresh token that is too long to be kept", host)
	}
	return nil
}

// A refusal is the answer of an authorization server that gives no token (RFC 6749, section 5.2).
type refusal struct {
	err  *wire.Error
	host string // of its issuer
	code string // "" when it named none: that of a proxy looks the same
}

func (r *refusal) Error() string { return r.err.Message }
func (r *refusal) Unwrap() error { return r.err }

// codeOf returns the OAuth error code of err, "" when it is none.
func codeOf(err error) string {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.code
	}
	return ""
}

// take puts a token that was given into c. Its times are those of the clock on the wall, which goes on
// while the machine sleeps. An end that is over already says nothing: some servers write -1 for "never", and
// every request would ask for another token.
func (c *credentials) take(g *grant, now time.Time) {
	c.AccessToken, c.Given, c.Expiry = g.AccessToken, now.Round(0).UTC(), time.Time{}
	if seconds, _ := g.ExpiresIn.Float64(); seconds >= 1 {
		c.Expiry = c.Given.Add(time.Duration(min(seconds, math.MaxInt32)) * time.Second)
	}
	if g.RefreshToken != "" {
		c.RefreshToken = g.RefreshToken
	}
	if g.Scope != nil {
		c.Scopes = strings.Fields(*g.Scope)
	}
}

// hostIn returns the host of an address for a message.
func hostIn(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "the authorization server"
	}
	return clip(u.Host)
}
