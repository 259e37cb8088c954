package authserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Knobs say how the servers misbehave. The zero value behaves well. They can be changed at
// any time with [Server.Change] and over the control interface.
//
// In strings of ChallengeText, Location, and of everything that replaces members of a
// document, these words stand for what is only known when the servers run:
//
//	$ISSUER     the issuer of the first authorization server
//	$SECOND     the issuer of the second one
//	$BASE       the URL below which the endpoints of the first authorization server are
//	$HOST       host and port of the first authorization server
//	$URL        the URL of the MCP server
//	$RESOURCE   its identifier as a resource
//	$RESOURCEMETADATA   the URL of its metadata
//	$NOWHERE    a URL whose port refuses connections
//	$IDP        the issuer of the identity provider
//	$TOKEN      in TokenResponse and IDPResponse: the access token that was made
type Knobs struct {
	// State is what happens to `state` in the authorization response: "wrong" or "drop".
	State string `json:"state,omitempty"`

	// Deny answers an authorization request with error=access_denied.
	Deny bool `json:"deny,omitempty"`

	// Iss is what happens to `iss` in the authorization response (RFC 9207): "wrong" names
	// another issuer; "missing" leaves it out although metadata announces it; "off" neither
	// announces nor sends it; "unannounced" sends it without announcing it.
	Iss string `json:"iss,omitempty"`

	// Metadata replaces members of the authorization server's metadata; null removes one.
	// With it come a hostile authorization_endpoint (see [HostileURLs]), endpoints in
	// private networks, an issuer other than announced, or no S256:
	//
	//	{"code_challenge_methods_supported": null}
	//	{"issuer": "$SECOND"}
	//	{"token_endpoint": "http://169.254.169.254/token"}
	Metadata map[string]any `json:"metadata,omitempty"`

	// ResourceMetadata replaces members of the MCP server's metadata; null removes one:
	//
	//	{"resource": "https://other.example/mcp"}
	//	{"authorization_servers": ["http://10.0.0.1/"]}
	ResourceMetadata map[string]any `json:"resourceMetadata,omitempty"`

	// TokenResponse replaces members of the answer with tokens; null removes one:
	//
	//	{"token_type": "mac"}    {"expires_in": null}    {"expires_in": "3600"}
	//	{"expires_in": 0}        {"access_token": "$TOKEN\r\nX-Injected: 1"}
	//
	// The MCP server still knows the token that was made.
	TokenResponse map[string]any `json:"tokenResponse,omitempty"`

	// Faults are what endpoints do instead of, or after, what they should, by the name of the
	// endpoint: see [Endpoints].
	Faults map[string]Fault `json:"faults,omitempty"`

	// Down lists the servers that refuse connections: "issuer", "second", "idp", "resource".
	// With [Options.OneOrigin] the MCP server goes down with "issuer".
	Down []string `json:"down,omitempty"`

	// IDPMetadata replaces members of the identity provider's metadata, as Metadata does.
	IDPMetadata map[string]any `json:"idpMetadata,omitempty"`

	// IDPResponse replaces members of the identity provider's answers with tokens, as
	// TokenResponse does: of `id_token`, and of the `access_token` that is an ID-JAG.
	IDPResponse map[string]any `json:"idpResponse,omitempty"`

	// Registration replaces members of the answer to a registration; null removes one:
	//
	//	{"client_id": null}    {"client_secret_expires_at": 1}
	Registration map[string]any `json:"registration,omitempty"`

	// NoRotation keeps the refresh token that a client has: the answer has none.
	NoRotation bool `json:"noRotation,omitempty"`

	// NoRefreshToken gives no refresh tokens.
	NoRefreshToken bool `json:"noRefreshToken,omitempty"`

	// AccessSeconds is how long access tokens last: 3600 by default.
	AccessSeconds int `json:"accessSeconds,omitempty"`

	// TokenUses is for how many requests to the MCP server an access token works. It is
	// revoked then. 0 is no limit.
	TokenUses int `json:"tokenUses,omitempty"`

	// GrantedScope is what the authorization server grants whatever was asked for, and tells
	// in the answer with tokens. Empty, it grants what was asked for.
	GrantedScope string `json:"grantedScope,omitempty"`

	// Moved makes the MCP server name, and take tokens of, the second authorization server only.
	Moved bool `json:"moved,omitempty"`

	// RefuseTokens answers 401 to every access token.
	RefuseTokens bool `json:"refuseTokens,omitempty"`

	// InsufficientScope refuses the tool admin with insufficient_scope whatever the token has.
	InsufficientScope bool `json:"insufficientScope,omitempty"`

	// Challenge is what the MCP server sends as WWW-Authenticate: "none" is no header,
	// "malformed" cannot be parsed, "several" has other schemes around Bearer in one header
	// and in several, "huge" is 1 MB, "bare" is Bearer without resource_metadata, "verbatim"
	// is ChallengeText.
	Challenge string `json:"challenge,omitempty"`

	// ChallengeText are the headers of the challenge "verbatim".
	ChallengeText []string `json:"challengeText,omitempty"`

	// ChallengeScope is the scope of a challenge with status 401: "mcp" by default, and no
	// scope with "-".
	ChallengeScope string `json:"challengeScope,omitempty"`
}

// A Fault is what an endpoint does wrong. Do is one of
//
//	hold      waits for [Server.Release], then answers as it should
//	late      does what it should, and answers after [Server.Release]
//	lose      does what it should, and breaks the connection instead of answering
//	drop      breaks the connection at once
//	html      answers 200 with a page of HTML
//	big       answers 200 with 2 GB, announced in Content-Length
//	endless   answers 200 with a body that never ends
//	redirect  answers 307 with Location
//	status    answers Status with Body, of the type Type (text/html by default)
//	error     answers Status (400 by default) with the OAuth error Error
type Fault struct {
	Do       string `json:"do"`
	Status   int    `json:"status,omitempty"`
	Body     string `json:"body,omitempty"`
	Type     string `json:"type,omitempty"`
	Error    string `json:"error,omitempty"`
	Location string `json:"location,omitempty"`
	// Headers go with every answer that the fault makes, such as Retry-After.
	Headers map[string]string `json:"headers,omitempty"`
	// Times is for how many requests the fault lasts; 0 is for all.
	Times int `json:"times,omitempty"`
}

// Endpoints are the names of the endpoints in [Knobs.Faults], [Entry] and [Counts]. "slow" is
// the tool, and knows the fault hold only. All authorization servers share them.
func Endpoints() []string {
	return []string{"metadata", "authorize", "consent", "token", "register", "revoke", "jwks", "resourceMetadata", "mcp", "slow"}
}

// check refuses knobs that do not exist, so that no test passes because of a typing error.
func (k *Knobs) check() error {
	one := func(name, value string, known ...string) error {
		if value == "" || slices.Contains(known, value) {
			return nil
		}
		return fmt.Errorf("%s: %q is not one of %s", name, value, strings.Join(known, ", "))
	}
	errs := []error{
		one("state", k.State, "wrong", "drop"),
		one("iss", k.Iss, "wrong", "missing", "off", "unannounced"),
		one("challenge", k.Challenge, "none", "malformed", "several", "huge", "bare", "verbatim"),
	}
	for _, name := range k.Down {
		errs = append(errs, one("down", name, "issuer", "second", "idp", "resource"))
	}
	for name, fault := range k.Faults {
		errs = append(errs, one("faults", name, Endpoints()...),
			one("faults."+name+".do", fault.Do, "hold", "late", "lose", "drop", "html", "big", "endless", "redirect", "status", "error"))
		if fault.Do == "" || name == "slow" && fault.Do != "hold" {
			errs = append(errs, fmt.Errorf("faults.%s.do: %q does not go with it", name, fault.Do))
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// clone returns a copy whose maps can be changed.
func (k *Knobs) clone() Knobs {
	c := *k
	c.Metadata, c.ResourceMetadata, c.TokenResponse = maps.Clone(k.Metadata), maps.Clone(k.ResourceMetadata), maps.Clone(k.TokenResponse)
	c.IDPMetadata, c.IDPResponse = maps.Clone(k.IDPMetadata), maps.Clone(k.IDPResponse)
	c.Registration, c.Faults = maps.Clone(k.Registration), maps.Clone(k.Faults)
	c.Down, c.ChallengeText = slices.Clone(k.Down), slices.Clone(k.ChallengeText)
	return c
}

// Knobs returns a copy of the knobs as they are now.
func (s *Server) Knobs() Knobs {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.knobs.clone()
}

// Change changes the knobs. It fails, and changes nothing, for a knob that does not exist.
func (s *Server) Change(change func(*Knobs)) error {
	s.mu.Lock()
	next := s.knobs.clone()
	change(&next)
	err := next.check()
	if err == nil {
		s.knobs = next
	}
	down := slices.Clone(next.Down)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.setDown(down)
}
