// Package authserver is an OAuth 2.1 authorization server and a protected MCP server behind
// it, for tests of clients. Unless told otherwise it does everything right, and refuses what a
// reviewer would refuse. [Knobs] make it misbehave. The command in cmd/authserver is this
// package as a program, for tests that are not in Go.
//
//	s := authserver.New(t, authserver.Options{})
//	client.Connect(s.URL())                                // 401, metadata, registration, ...
//	visit, err := authserver.Browser{}.Visit(ctx, authURL) // the person agrees
//	s.Change(func(k *authserver.Knobs) { k.Iss = "wrong" })
//
// Everything listens on 127.0.0.1 with ports of its own: the authorization server, the second
// one, the identity provider if there is one, and the MCP server.
//
// # What it requires
//
//   - PKCE with S256, `state`, and a redirect URI that matches as text.
//   - `resource` at the authorization endpoint and in every token request, equal to
//     [Server.Resource]. Only the exchange of an ID-JAG, which has it inside, may leave it out.
//   - In token requests: a form, no parameter twice or in the URL, and client authentication by
//     exactly the method that is registered. With private_key_jwt: iss and sub, one audience
//     (the issuer or the token endpoint), exp, a jti that is new.
//   - A code works once and for a minute, whatever comes of it. A code that comes again revokes
//     what it gave.
//   - Refresh tokens rotate. One that comes again revokes everything that came of the consent.
//   - Registration (RFC 7591) is for native applications: application_type native, redirect
//     URIs on the loopback interface or of a private scheme. Without a method in
//     token_endpoint_auth_method, a client has a secret, as that RFC says.
//   - The MCP server takes an access token in one Authorization header only, from its own
//     authorization server, for its own URL, with the scope mcp; and admin for the tool admin.
//
// Authorization responses have `iss`, errors too (RFC 9207). The person always agrees: see
// [Browser].
package authserver
