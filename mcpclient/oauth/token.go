package oauth

import (
	"bytes"
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
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const (
	maxToken = 12 << 10 // bytes of each token: one travels in a header, and all of them fit in the store together
)

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
		return wire.Errorf(wire.KindProtocol, "", "%v", err)
	}
	params.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
	params.Set("client_assertion", assertion)
	return nil
}

// grant asks a token endpoint for a token. x/oauth2 has no request for some grants, and none that takes
// the resource parameter when it refreshes: "MUST be included in both authorization requests and token
// requests" (MCP 2026-07-28, Resource Parameter Implementation). Its request for client credentials takes
// every parameter, the type of the grant too. The error is one of tokenError or of checkToken.
func (n *network) grant(ctx context.Context, endpoint, audience string, p proof, params url.Values) (*oauth2.Token, error) {
	token, err := n.exchange(ctx, endpoint, audience, p, params)
	if err != nil {
		return nil, err
	}
	return token, checkToken(endpoint, token)
}

// exchange is grant for a token of any type. Parameters that are empty are left out.
func (n *network) exchange(ctx context.Context, endpoint, audience string, p proof, params url.Values) (*oauth2.Token, error) {
	maps.DeleteFunc(params, func(_ string, values []string) bool { return values[0] == "" })
	cfg := clientcredentials.Config{ClientID: p.id, TokenURL: endpoint, EndpointParams: params, AuthStyle: oauth2.AuthStyleInParams}
	switch p.method {
	case authBasic:
		cfg.ClientSecret, cfg.AuthStyle = p.secret, oauth2.AuthStyleInHeader
	case authPost:
		cfg.ClientSecret = p.secret
	}
	if err := p.assert(params, audience); err != nil {
		return nil, err
	}
	client := n.client()
	client.Transport = wholeSeconds{n}
	token, err := cfg.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
	if err != nil {
		if said, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
			hush(said, p, params)
		}
		return nil, tokenError(ctx, endpoint, err)
	}
	return token, nil
}

// wholeSeconds takes a fraction off expires_in. It is a number without one (RFC 6749, appendix A.14), and
// x/oauth2 refuses the token over it, but some authorization servers calculate it.
type wholeSeconds struct{ n *network }

// RoundTrip implements [http.RoundTripper].
func (w wholeSeconds) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := w.n.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var answer map[string]json.RawMessage
	var seconds json.Number
	if json.Unmarshal(body, &answer) == nil && json.Unmarshal(answer["expires_in"], &seconds) == nil {
		if n, err := seconds.Float64(); err == nil {
			answer["expires_in"] = strconv.AppendInt(nil, int64(max(math.MinInt32, min(n, math.MaxInt32))), 10)
			body, _ = json.Marshal(answer)
		}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}

// hush takes away what quotes a secret of the request: some authorization servers name the code or the
// refresh token that they do not take.
func hush(said *oauth2.RetrieveError, p proof, params url.Values) {
	secrets := []string{p.secret}
	for _, name := range []string{"code", "code_verifier", "refresh_token", "assertion", "client_assertion", "subject_token"} {
		secrets = append(secrets, params.Get(name))
	}
	for _, secret := range secrets {
		for _, text := range []*string{&said.ErrorCode, &said.ErrorDescription} {
			if secret != "" && strings.Contains(*text, secret) {
				*text = ""
			}
		}
	}
}

// checkToken says what is wrong with a token that was given.
func checkToken(endpoint string, token *oauth2.Token) error {
	host := hostIn(endpoint)
	switch {
	case !strings.EqualFold(token.Type(), "Bearer"):
		return wire.Errorf(wire.KindProtocol, "", "%s gave a token of the type %.40q, but MCP has only bearer tokens", host, clip(token.TokenType))
	case len(token.AccessToken) > maxToken, !httpguts.ValidHeaderFieldValue(token.AccessToken), strings.ContainsAny(token.AccessToken, " \t"):
		return wire.Errorf(wire.KindProtocol, "", "%s gave a token that cannot be sent in a header", host)
	case len(token.RefreshToken) > maxToken:
		return wire.Errorf(wire.KindProtocol, "", "%s gave a refresh token that is too long to be kept", host)
	}
	return nil
}

// A refusal is the answer of an authorization server that gives no token (RFC 6749, section 5.2).
type refusal struct {
	err  *wire.Error
	code string // "" when it named none: that of a proxy looks the same
}

func (r *refusal) Error() string { return r.err.Message }
func (r *refusal) Unwrap() error { return r.err }

// tokenError returns err, of a request for a token, without anything of the response but the code and
// description of an OAuth error: a *refusal, or of [wire.KindUnreachable] when the same request may
// succeed later.
func tokenError(ctx context.Context, endpoint string, err error) error {
	host := hostIn(endpoint)
	said, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case ctx.Err() != nil:
		return wire.Errorf(wire.KindUnreachable, host, "%s has not answered in time; try again later", host)
	case !ok:
		if e, ok := errors.AsType[*wire.Error](err); ok {
			return e
		}
		if _, ok := errors.AsType[*url.Error](err); ok {
			return noAnswer(ctx, host, err)
		}
		// The text quotes what was read.
		return wire.Errorf(wire.KindUnreachable, host, "%s gave an answer that is not a token; try again later", host)
	case passing(said):
		return wire.Errorf(wire.KindUnreachable, host, "%s gives no token now (%d %s); try again later",
			host, said.Response.StatusCode, http.StatusText(said.Response.StatusCode))
	}
	text := said.ErrorCode
	if text == "" {
		text = http.StatusText(said.Response.StatusCode)
	}
	if said.ErrorDescription != "" {
		text += ": " + said.ErrorDescription
	}
	return &refusal{wire.Errorf(wire.KindProtocol, "", "%s gave no token (%s)", host, clip(text)), said.ErrorCode}
}

// passing reports whether the same request may succeed later.
func passing(e *oauth2.RetrieveError) bool {
	status := e.Response.StatusCode
	switch e.ErrorCode {
	case "temporarily_unavailable", "server_error", "slow_down":
		return true
	case "":
		return status != http.StatusBadRequest && status != http.StatusUnauthorized
	}
	return mayPass(status)
}

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
func (c *credentials) take(token *oauth2.Token, now time.Time) {
	c.AccessToken, c.Given, c.Expiry = token.AccessToken, now.Round(0).UTC(), token.Expiry.Round(0).UTC()
	if !c.Expiry.After(c.Given) {
		c.Expiry = time.Time{}
	}
	if token.RefreshToken != "" {
		c.RefreshToken = token.RefreshToken
	}
	if scope, ok := token.Extra("scope").(string); ok {
		c.Scopes = strings.Fields(scope)
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
