package oauth

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// maxServers is how many authorization servers of one resource are asked.
const maxServers = 8

// A destination is where to sign in for an endpoint, and where to get tokens.
type destination struct {
	// resource is for the parameter of the same name (RFC 8707): what the metadata says, else the
	// canonical URI of the endpoint.
	resource string
	scopes   []string                // scopes_supported of the resource
	server   *oauthex.AuthServerMeta // Issuer is as the metadata says it; its endpoints may be used
}

// discover finds out where to sign in for the endpoint. c is its last refusal, or what
// [readChallenge] makes of none. prefer is the issuer for which there are credentials, must the
// only one that may be used; "" is none. ctx bounds it as a whole.
//
// An error is a [wire.Error]: of [wire.KindUnauthorized] when there is no sign-in, of
// [wire.KindUnreachable] when a server cannot be asked, of [wire.KindProtocol] when what one
// publishes must be refused.
func (n *network) discover(ctx context.Context, c challenge, prefer, must string) (*destination, error) {
	endpoint := n.endpoint
	d := &destination{resource: canonical(endpoint)}
	resource, err := n.findResource(ctx, c)
	switch {
	case err == nil:
		d.resource, d.scopes = resource.Resource, validScopes(resource.ScopesSupported)
		d.server, err = n.firstServer(ctx, resource.AuthorizationServers, prefer, must)
	case !isAbsent(err):
	case must != "":
		// "Abort or use pre-configured values" (MCP 2026-07-28, Authorization Server Discovery,
		// Sequence Diagram).
		d.server, err = n.serverMetadata(ctx, must)
	default:
		d.server, err = n.serverOfOrigin(ctx, c)
	}
	if err != nil {
		return nil, err
	}
	if endpoint.Scheme != "https" && n.home(ctx) == public {
		// "all the OAuth protocol URLs (URLs exposed by the AS, RS, and Client) MUST use the https scheme" (OAuth
		// 2.1, section 1.5). What is in a network of the person's is left to the person.
		return nil, wire.Errorf(wire.KindProtocol, "", "%s is reached without https, so that others could read the token that it gets; give the server a url with https",
			hostOf(endpoint))
	}
	return d, nil
}

// firstServer returns the first authorization server of a resource that can be used.
//
// "The responsibility for selecting which authorization server to use lies with the MCP client" (MCP
// 2026-07-28, Authorization Server Location).
func (n *network) firstServer(ctx context.Context, issuers []string, prefer, must string) (*oauthex.AuthServerMeta, error) {
	if len(issuers) == 0 {
		// "The Protected Resource Metadata document returned by the MCP server MUST include the
		// authorization_servers field" (the same). Servers that are their own leave it out.
		issuers = []string{originOf(n.endpoint)}
	}
	known := func(issuer string) int {
		return slices.IndexFunc(issuers, func(s string) bool { return issuer != "" && sameIssuer(s, issuer) })
	}
	if must != "" {
		i := known(must)
		if i < 0 {
			// "If the authorization server indicated by protected resource metadata no longer matches the
			// one the credentials were registered with, clients SHOULD surface an error" (MCP 2026-07-28,
			// Authorization Server Binding).
			return nil, wire.Errorf(wire.KindProtocol, "", "%s has people sign in at %s and not at %s; correct the issuer of the server",
				hostOf(n.endpoint), quoted(issuers[0]), quoted(must))
		}
		return n.serverMetadata(ctx, issuers[i])
	}
	if i := known(prefer); i > 0 {
		issuers = slices.Concat(issuers[i:i+1], issuers[:i], issuers[i+1:])
	}
	var worst error
	for _, issuer := range issuers[:min(len(issuers), maxServers)] {
		server, err := n.serverMetadata(ctx, issuer)
		if err == nil {
			return server, nil
		}
		worst = worse(worst, err)
		if wire.KindOf(err) == wire.KindUnreachable && sameIssuer(issuer, prefer) {
			break // the credentials are good for this one, when it is back
		}
	}
	return nil, worst
}

// serverOfOrigin returns the authorization server of an endpoint whose resource has no metadata. Where it has
// none either, it is at the paths of MCP 2025-03-26.
//
// "The authorization base URL MUST be determined from the MCP server URL by discarding any existing
// path component" and "Clients MUST first attempt to discover endpoints via the metadata document
// before falling back to default paths" (MCP 2025-03-26, Authorization).
func (n *network) serverOfOrigin(ctx context.Context, c challenge) (*oauthex.AuthServerMeta, error) {
	origin := originOf(n.endpoint)
	server, err := n.serverMetadata(ctx, origin)
	if err == nil || !isAbsent(err) {
		return server, err
	}
	server = &oauthex.AuthServerMeta{
		Issuer:                        origin,
		AuthorizationEndpoint:         origin + "/authorize",
		TokenEndpoint:                 origin + "/token",
		RegistrationEndpoint:          origin + "/register",
		CodeChallengeMethodsSupported: []string{"S256"}, // which this version demands of servers
	}
	there := c.bearer
	if there && !n.noCode {
		if there, err = n.hasPage(ctx, server.AuthorizationEndpoint); err != nil {
			return nil, err
		}
	}
	if !there {
		return nil, wire.Errorf(wire.KindUnauthorized, "401", "%s offers no sign-in; give the server a header with credentials", hostOf(n.endpoint))
	}
	return server, n.checkEndpoints(ctx, server)
}

// hasPage reports whether there is anything at an address where people may sign in. Nobody is sent
// to a page that says only that it is not there.
func (n *network) hasPage(ctx context.Context, address string) (bool, error) {
	status, _, err := n.get(ctx, address)
	switch status {
	case 0:
		return false, err
	case http.StatusUnauthorized, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotImplemented:
		return false, nil
	}
	return true, nil // whatever is wrong with its text
}

// findResource reads the metadata of the endpoint as a protected resource. The error is within
// [absent] when there is none.
//
// "MCP clients MUST support both discovery mechanisms and use the resource metadata URL from the
// parsed WWW-Authenticate headers when present; otherwise, they MUST fall back to constructing and
// requesting the well-known URIs in the order listed above" (MCP 2026-07-28, Protected Resource
// Metadata Discovery Requirements). They are also asked when the one of the header gives nothing:
// behind a proxy, servers often name an address that only they can reach.
func (n *network) findResource(ctx context.Context, c challenge) (*oauthex.ProtectedResourceMetadata, error) {
	endpoint := n.endpoint
	var worst error
	for _, address := range resourceLayouts(endpoint, c.metadata) {
		var resource oauthex.ProtectedResourceMetadata
		err := n.read(ctx, address, &resource)
		if err == nil && resource.Resource == "" && len(resource.AuthorizationServers) == 0 { // such as {"error": "not found"}
			err = noMetadata(hostOf(endpoint))
		}
		if err == nil {
			// Metadata for something else is an attack or a mistake that no other layout makes good.
			return &resource, checkResource(endpoint, resource.Resource, address)
		}
		worst = worse(worst, err)
	}
	return nil, worst
}

// wellKnown is where an origin has the metadata of its resources (RFC 9728, section 3).
const wellKnown = "/.well-known/oauth-protected-resource"

// resourceLayouts returns where the metadata of an endpoint may be. named is what its refusal says.
func resourceLayouts(endpoint *url.URL, named string) []string {
	well, path := originOf(endpoint)+wellKnown, endpoint.EscapedPath()
	layouts := []string{named, well + path, well + strings.TrimSuffix(path, "/"), well} // many servers take no notice of a trailing slash
	return slices.Compact(slices.DeleteFunc(layouts, func(s string) bool { return s == "" || s == well+"/" }))
}

// checkResource returns why metadata for a resource, read at an address, is not that of the endpoint.
//
// "The resource value returned MUST be identical to the protected resource's resource identifier
// value [...] If these values are not identical, the data contained in the response MUST NOT be
// used" (RFC 9728, section 3.3). Many servers name their origin, or leave out a trailing slash, and
// oauthex.GetProtectedResourceMetadata refuses them. Who has the origin has the endpoint too, so what is at the
// well-known addresses may be about a resource that contains it: of the same origin, and with a path above its own.
// Elsewhere it may not: hosts have endpoints of several people at their paths, and a token for all of them is not for
// one of those to ask for.
func checkResource(endpoint *url.URL, resource, address string) error {
	u, err := url.Parse(resource)
	if err == nil && u.User == nil && u.Fragment == "" && (u.RawQuery == "" || u.RawQuery == endpoint.RawQuery) && sameOrigin(u, endpoint) {
		above, path := strings.TrimSuffix(u.EscapedPath(), "/"), endpoint.EscapedPath()
		contains := strings.HasPrefix(path, above+"/") && strings.HasPrefix(address, originOf(endpoint)+wellKnown)
		if contains || above == strings.TrimSuffix(path, "/") {
			return nil
		}
	}
	shown, _, _ := strings.Cut(resource, "?") // without what may be a secret
	return wire.Errorf(wire.KindProtocol, "", "%s publishes metadata for %s instead of %s; tell those who run it, or correct the url of the server",
		hostOf(endpoint), quoted(shown), quoted(canonical(endpoint)))
}

// canonical returns the canonical URI of an endpoint (MCP 2026-07-28, Canonical Server URI):
// without a user, a query, a fragment, or a slash that is all of its path.
func canonical(endpoint *url.URL) string {
	path := endpoint.EscapedPath()
	if path == "/" {
		path = ""
	}
	return originOf(endpoint) + path
}

// originOf returns the scheme, host and port of a URL.
func originOf(u *url.URL) string { return u.Scheme + "://" + strings.ToLower(u.Host) }
