package oauth

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// credentials are what the store has under one name: a client at an authorization server, and its
// tokens for one resource. Tokens may be missing.
type credentials struct {
	Issuer   string `json:"issuer"`
	Resource string `json:"resource"` // of RFC 8707
	Client   client `json:"client"`

	// The endpoints of the issuer, as its metadata had them when the tokens were given.
	TokenEndpoint      string `json:"tokenEndpoint"`
	RevocationEndpoint string `json:"revocationEndpoint,omitempty"`

	AccessToken  string    `json:"accessToken,omitempty"`
	RefreshToken string    `json:"refreshToken,omitempty"`
	Given        time.Time `json:"given,omitzero"`      // when AccessToken was
	Expiry       time.Time `json:"expiry,omitzero"`     // by the clock of this machine; zero when nobody said
	Scopes       []string  `json:"scopes,omitempty"`    // granted; nil when the authorization server did not say
	Requested    []string  `json:"requested,omitempty"` // what the last sign-in asked for

	Identity *identity `json:"identity,omitempty"` // of enterprise-managed authorization
}

// client is an OAuth client at an authorization server.
type client struct {
	ID          string    `json:"id"`
	Secret      string    `json:"secret,omitempty"` // "" also for one that is configured: the configuration has it
	AuthMethod  string    `json:"authMethod"`
	RedirectURI string    `json:"redirectUri,omitempty"` // that it is registered with
	Registered  bool      `json:"registered,omitempty"`  // by us (RFC 7591)
	Expires     time.Time `json:"expires,omitzero"`      // of the secret; zero: never
}

// Format has fmt print no secrets, whatever the verb.
func (c credentials) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, "credentials of "+c.Issuer)
}

// Format is as that of credentials.
func (c client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "client "+c.ID) }

// decodeCredentials reads what was stored. What cannot be read is as good as nothing.
func decodeCredentials(stored []byte) *credentials {
	c := &credentials{}
	if json.Unmarshal(stored, c) != nil || c.Issuer == "" {
		return nil
	}
	return c
}

// credentials returns those of a client at d that asks for scopes, without tokens.
func (d *destination) credentials(cl client, scopes []string) *credentials {
	return &credentials{
		Issuer: d.server.Issuer, Resource: d.resource, Client: cl, Requested: scopes,
		TokenEndpoint: d.server.TokenEndpoint, RevocationEndpoint: d.server.RevocationEndpoint,
	}
}

// token returns the access token, "" when there is none. c may be nil.
func (c *credentials) token() string {
	if c == nil {
		return ""
	}
	return c.AccessToken
}

// early is how long before its end a token is replaced, at most: a request is on its way for a while.
const early = 30 * time.Second

// expired reports whether the access token is at its end by the clock of this machine. The clock may
// be wrong, so this only decides when to ask for another one. A token that lives for a short time is
// replaced later in its life, or every request would ask for one.
func (c *credentials) expired(now time.Time) bool {
	if c.Expiry.IsZero() {
		return false
	}
	return !now.Before(c.Expiry.Add(-min(early, c.Expiry.Sub(c.Given)/10)))
}

// fresh is how long a token is just given: it is refused for another reason than its end.
const fresh = time.Minute

// isFresh reports whether the access token was just given. c may be nil.
func (c *credentials) isFresh(now time.Time) bool {
	return c != nil && now.Before(c.Given.Add(fresh))
}

// covers reports whether all scopes were granted or, so that nobody is asked for ever, at least
// requested.
func (c *credentials) covers(scopes []string) bool {
	return c != nil && !slices.ContainsFunc(scopes, func(s string) bool {
		return !slices.Contains(c.Scopes, s) && !slices.Contains(c.Requested, s)
	})
}

// union returns the scopes of both, in their order, once each.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
