// Package oauth gets access tokens for MCP servers (MCP 2025-11-25 and 2026-07-28, Authorization; MCP
// 2025-03-26 for servers without metadata). The OAuth messages themselves are go-sdk's (oauthex) and
// x/oauth2's. What the SDK's own handlers do otherwise than a daemon needs is done here, with the reason
// beside it.
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
