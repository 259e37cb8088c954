package authserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// leeway is what clocks may differ by.
const leeway = 30 * time.Second

// claims are the claims that the servers read and write.
type claims struct {
	jwt.RegisteredClaims
	Nonce    string `json:"nonce,omitempty"`
	ClientID string `json:"client_id,omitempty"`
	Resource string `json:"resource,omitempty"`
	Scope    string `json:"scope,omitempty"`
}

// newClaims returns claims that somebody makes now for one audience.
func newClaims(issuer, subject, audience string, life time.Duration) *claims {
	now := time.Now()
	return &claims{RegisteredClaims: jwt.RegisteredClaims{
		Issuer: issuer, Subject: subject, Audience: jwt.ClaimStrings{audience}, ID: random(),
		ExpiresAt: jwt.NewNumericDate(now.Add(life)), IssuedAt: jwt.NewNumericDate(now)}}
}

// sign makes a JWT with ES256.
func sign(key *ecdsa.PrivateKey, typ string, c *claims) string {
	t := jwt.NewWithClaims(jwt.SigningMethodES256, c)
	t.Header["typ"] = typ
	text, err := t.SignedString(key)
	if err != nil {
		panic(err) // the key is ours
	}
	return text
}

// verify checks that one of the keys has made a JWT with ES256, for one of these audiences and no
// other, and that this is the time for it.
func verify(text string, keys jwt.VerificationKeySet, audiences ...string) (typ string, c *claims, err error) {
	c = &claims{}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"ES256"}), jwt.WithStrictDecoding(),
		jwt.WithLeeway(leeway), jwt.WithExpirationRequired(), jwt.WithIssuedAt())
	t, err := parser.ParseWithClaims(text, c, func(*jwt.Token) (any, error) { return keys, nil })
	switch {
	case err != nil:
		return "", nil, err
	case len(c.Audience) != 1 || !slices.Contains(audiences, c.Audience[0]):
		return "", nil, fmt.Errorf("aud must be one of %q, and nothing else", audiences)
	}
	typ, _ = t.Header["typ"].(string)
	return typ, c, nil
}

// once checks that a JWT comes once only.
func (a *authority) once(c *claims) error {
	if c.ID == "" {
		return errors.New("jti is missing")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	key := c.Issuer + "\x00" + c.ID
	if a.seen[key] {
		return errors.New("jti was used before")
	}
	a.seen[key] = true
	return nil
}

// keySet is the key of an authority, for verify.
func (a *authority) keySet() jwt.VerificationKeySet {
	return jwt.VerificationKeySet{Keys: []jwt.VerificationKey{&a.key.PublicKey}}
}

// parseKeys reads a JSON Web Key Set with public keys for ES256 (RFC 7517).
func parseKeys(set json.RawMessage) (keys jwt.VerificationKeySet, err error) {
	var read struct {
		Keys []struct{ Kty, Crv, X, Y, D string }
	}
	if err := json.Unmarshal(set, &read); err != nil || len(read.Keys) == 0 {
		return keys, errors.New("jwks must have keys")
	}
	for _, k := range read.Keys {
		x, errX := base64.RawURLEncoding.DecodeString(k.X)
		y, errY := base64.RawURLEncoding.DecodeString(k.Y)
		if k.Kty != "EC" || k.Crv != "P-256" || k.D != "" || len(x) != 32 || errX != nil || errY != nil {
			return keys, errors.New("jwks: a key is not a public key of P-256")
		}
		key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, x, y))
		if err != nil {
			return keys, fmt.Errorf("jwks: %w", err)
		}
		keys.Keys = append(keys.Keys, key)
	}
	return keys, nil
}
