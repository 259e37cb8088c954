package oauth

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// serverMetadata reads the metadata of one authorization server. Its Issuer is as the metadata
// says it, and its endpoints may be used. An error is a [wire.Error]: of [wire.KindUnreachable]
// when the server cannot be asked, of [wire.KindProtocol] when it has no metadata that may be used. It
// is within [absent] when the server has nothing in any layout.
//
// Every layout is tried whatever the ones before gave. auth.GetAuthServerMetadata stops at one that
// answers with HTML, as hosts with one page for everything do, or at metadata that is not for this
// issuer. oauthex.GetAuthServerMeta takes any PKCE method for S256.
func (n *network) serverMetadata(ctx context.Context, issuer string) (*oauthex.AuthServerMeta, error) {
	u, err := n.parseIssuer(ctx, issuer)
	if err != nil {
		return nil, err
	}
	var worst error
	for _, address := range serverLayouts(u) {
		server := new(oauthex.AuthServerMeta)
		err := n.read(ctx, address, server)
		switch {
		case err != nil:
		case server.Issuer == "" && server.TokenEndpoint == "": // such as {"error": "not found"}
			err = noMetadata(hostOf(u))
		default:
			err = n.checkServer(ctx, u, issuer, server)
		}
		if err == nil {
			return server, nil
		}
		worst = worse(worst, err)
	}
	return nil, worst
}

// worse returns which of the errors of several attempts says more: the first that is not [absent], else the
// first. a may be nil.
func worse(a, b error) error {
	if a == nil || isAbsent(a) && !isAbsent(b) {
		return b
	}
	return a
}

// parseIssuer parses and checks an issuer: "a URL that uses the "https" scheme and has no query or
// fragment components" (RFC 8414, section 2).
func (n *network) parseIssuer(ctx context.Context, issuer string) (*url.URL, error) {
	u, err := n.parse(issuer)
	if err != nil {
		return nil, err
	}
	if u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return nil, wire.Errorf(wire.KindProtocol, "", "the name of the authorization server at %s has a query or a fragment; tell those who run it", hostOf(u))
	}
	return u, n.check(ctx, u, true)
}

// serverLayouts returns where the metadata of an issuer may be, in the order of the specification:
// "MCP clients MUST attempt multiple well-known endpoints when discovering authorization server
// metadata" (MCP 2026-07-28, Authorization Server Metadata Discovery).
//
// "If the issuer identifier value contains a path component, any terminating "/" MUST be removed before
// inserting "/.well-known/"" (RFC 8414, section 3.1). auth.GetAuthServerMetadata keeps it.
func serverLayouts(issuer *url.URL) []string {
	origin, path := issuer.Scheme+"://"+issuer.Host, strings.TrimRight(issuer.EscapedPath(), "/")
	layouts := []string{
		origin + "/.well-known/oauth-authorization-server" + path,
		origin + "/.well-known/openid-configuration" + path,
	}
	if path != "" {
		layouts = append(layouts, origin+path+"/.well-known/openid-configuration")
	}
	return layouts
}

// sameIssuer compares issuers. A trailing slash does not tell two of them apart: many servers write
// their name in both ways.
func sameIssuer(a, b string) bool {
	return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/")
}

// checkServer returns why metadata that an issuer gave must not be used.
func (n *network) checkServer(ctx context.Context, u *url.URL, issuer string, server *oauthex.AuthServerMeta) error {
	refuse := func(what string) error {
		return wire.Errorf(wire.KindProtocol, "", "the metadata of %s %s; tell those who run it", hostOf(u), what)
	}
	// "The issuer value in the document MUST be identical to the issuer identifier used to construct the
	// well-known URL. If they differ, the client MUST NOT use the metadata" (MCP 2026-07-28,
	// Authorization Server Metadata Discovery).
	if !sameIssuer(server.Issuer, issuer) {
		return refuse("is that of " + quoted(server.Issuer) + " instead of " + quoted(issuer))
	}
	if server.TokenEndpoint == "" {
		return refuse("does not say where tokens are")
	}
	if !n.noCode {
		if server.AuthorizationEndpoint == "" {
			return refuse("does not say where people sign in")
		}
		// "MCP clients MUST use the S256 code challenge method" and "If code_challenge_methods_supported
		// is absent, the authorization server does not support PKCE and MCP clients MUST refuse to
		// proceed" (MCP 2026-07-28, Authorization Code Protection).
		if !slices.Contains(server.CodeChallengeMethodsSupported, "S256") {
			return refuse("does not offer PKCE with S256, without which a sign-in can be stolen")
		}
	}
	return n.checkEndpoints(ctx, server)
}

// checkEndpoints returns why an endpoint of a server must not be used. Those that this program never
// asks may be anything.
func (n *network) checkEndpoints(ctx context.Context, server *oauthex.AuthServerMeta) error {
	for _, address := range []string{server.AuthorizationEndpoint, server.TokenEndpoint, server.RegistrationEndpoint, server.RevocationEndpoint} {
		if address == "" {
			continue
		}
		if err := n.checkAddress(ctx, address); err != nil {
			return err
		}
	}
	return nil
}
