// Package oauth gets access tokens for MCP servers (MCP 2025-11-25 and 2026-07-28, Authorization; MCP
// 2025-03-26 for servers without metadata). The types of the OAuth messages are those of
// go-sdk (oauthex).
//
// Begin with [Authorizer.SignIn] (signin.go): it finds the authorization server (discover.go, server.go), has a client
// there (register.go), waits for the browser (callback.go, paste.go) and redeems the code (token.go). What comes of it are
// [credentials], which each request uses (authorizer.go) and renew.go renews. Every request goes through network.go.
//
// go-sdk's handlers (auth.AuthorizationCodeHandler, and those of extauth) do all of that in one go, which keeps too
// little of what docs/mcp.md promises. They ask one authorization server only, of metadata that names the endpoint to the
// letter; they register anew for each sign-in, and take a document before a client that is configured; they have no
// private_key_jwt, and send no resource when they refresh; and they make texts of all errors, so that nobody can tell
// a server that is down from one that refuses. Their discovery refuses private addresses, also to a server that has one.
//
// Invariants:
//
//   - Nobody is asked to sign in before [Authorizer.SignIn]. A refresh needs nobody.
//   - Credentials belong to one name in the [Store], and to the authorization server that gave them. They
//     are sent to no other.
//   - A refreshed token is in the store before it is used. Who refreshes holds the store's lock, and
//     looks first whether another process has refreshed.
//   - What a server, its metadata or an authorization server names is not reached where it would lead
//     from a public network into a private one, and not without TLS except on this machine.
//   - No error, no log and no page has a token, a code, a secret or the body of a response.
//   - The listener for the browser lives as long as its sign-in, [Patience] at most.
package oauth
