package authserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Knobs say how the servers misbehave. The zero value behaves well. They can be changed at
// any time with [Server.Change].
//
// In Location, and in strings of everything that replaces members of a document, these words stand
// for what is only known when the servers run:
//
//	$ISSUER  the issuer of the first authorization server
//	$HOST    host and port of the first authorization server
//	$TOKEN   in TokenResponse and IDPResponse: the access token that was made
type Knobs struct {
	// WrongState sends another `state` in the authorization response.
	WrongState bool `json:"wrongState,omitempty"`

	// Deny answers an authorization request with error=access_denied.
	Deny bool `json:"deny,omitempty"`

	// Iss is what happens to `iss` in the authorization response (RFC 9207): "wrong" names
	// another issuer; "missing" leaves it out although metadata announces it.
	Iss string `json:"iss,omitempty"`

	// Metadata replaces members of the authorization server's metadata; null removes one.
	Metadata map[string]any `json:"metadata,omitempty"`

	// ResourceMetadata does so with the MCP server's metadata.
	ResourceMetadata map[string]any `json:"resourceMetadata,omitempty"`

	// Registration does so with the answer to a registration.
	Registration map[string]any `json:"registration,omitempty"`

	// TokenResponse does so with the answer with tokens. The MCP server still knows the token
	// that was made.
	TokenResponse map[string]any `json:"tokenResponse,omitempty"`

	// IDPMetadata does so with the identity provider's metadata.
	IDPMetadata map[string]any `json:"idpMetadata,omitempty"`

	// IDPResponse does so with the identity provider's answers with tokens: with `id_token`,
	// and with the `access_token` that is an ID-JAG.
	IDPResponse map[string]any `json:"idpResponse,omitempty"`

	// Faults are what endpoints do instead of, or after, what they should, by the name of the
	// endpoint.
	Faults map[string]Fault `json:"faults,omitempty"`

	// Down lists the servers that refuse connections: "issuer", "second", "idp", "resource".
	Down []string `json:"down,omitempty"`

	// NoRotation keeps the refresh token that a client has: the answer has none.
	NoRotation bool `json:"noRotation,omitempty"`

	// NoRefreshToken gives no refresh tokens.
	NoRefreshToken bool `json:"noRefreshToken,omitempty"`

	// GrantedScope is what the authorization server grants whatever was asked for, and tells
	// in the answer with tokens. Empty, it grants what was asked for.
	GrantedScope string `json:"grantedScope,omitempty"`

	// Moved makes the MCP server name, and take tokens of, the second authorization server only.
	Moved bool `json:"moved,omitempty"`

	// RefuseTokens answers 401 to every access token.
	RefuseTokens bool `json:"refuseTokens,omitempty"`

	// ChallengeScope is the scope that the MCP server names where it wants a token, "mcp" by
	// default; "-" names none.
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
//	status    answers Status with the page Body
//	error     answers Status (400 by default) with the OAuth error Error
type Fault struct {
	Do       string `json:"do"`
	Status   int    `json:"status,omitempty"`
	Body     string `json:"body,omitempty"`
	Error    string `json:"error,omitempty"`
	Location string `json:"location,omitempty"`
	// Times is for how many requests the fault lasts; 0 is for all.
	Times int `json:"times,omitempty"`
}

// endpoints are the names of the endpoints in [Knobs.Faults], [Entry] and [Counts]. All
// authorization servers share them.
var endpoints = []string{"metadata", "authorize", "consent", "token", "register", "revoke", "resourceMetadata", "mcp"}

var faultsKnown = []string{"hold", "late", "lose", "drop", "html", "big", "endless", "redirect", "status", "error"}

// check refuses knobs that do not exist, so that no test passes because of a typing error.
func (k *Knobs) check() error {
	if !slices.Contains([]string{"", "wrong", "missing"}, k.Iss) {
		return fmt.Errorf("iss: %q is not known", k.Iss)
	}
	for _, name := range k.Down {
		if !slices.Contains([]string{"issuer", "second", "idp", "resource"}, name) {
			return fmt.Errorf("down: %q is not known", name)
		}
	}
	for name, fault := range k.Faults {
		if !slices.Contains(endpoints, name) || !slices.Contains(faultsKnown, fault.Do) {
			return fmt.Errorf("faults.%s.do: %q is not known", name, fault.Do)
		}
	}
	return nil
}

// clone returns a copy whose faults can be counted down. Nobody changes the rest in place.
func (k *Knobs) clone() Knobs {
	c := *k
	c.Faults = maps.Clone(k.Faults)
	return c
}

// current returns the knobs as they are now.
func (s *Server) current() Knobs {
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
		s.knobs = next.clone()
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.setDown(next.Down)
}

// overlay replaces members of a document.
func (s *Server) overlay(document, with map[string]any, words ...string) map[string]any {
	for name, value := range with {
		if value == nil {
			delete(document, name)
		} else {
			document[name] = s.fill(value, words...)
		}
	}
	return document
}

// fill puts what the words stand for into the strings of a value.
func (s *Server) fill(value any, words ...string) any {
	switch value := value.(type) {
	case string:
		return s.expand(value, words...)
	case []string:
		filled := slices.Clone(value)
		for i := range filled {
			filled[i] = s.expand(filled[i], words...)
		}
		return filled
	}
	return value
}

// expand puts what the words stand for into a text.
func (s *Server) expand(text string, words ...string) string {
	words = append(words, "$ISSUER", s.Issuer(), "$HOST", s.first.front.addr)
	return strings.NewReplacer(words...).Replace(text)
}
