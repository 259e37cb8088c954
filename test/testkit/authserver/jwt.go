package authserver

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// signingAlgorithms are the algorithms that the servers verify.
var signingAlgorithms = []string{"ES256", "RS256", "EdDSA"}

// header is the header of a JWT.
type header struct {
	Alg  string   `json:"alg"`
	Typ  string   `json:"typ,omitempty"`
	Kid  string   `json:"kid,omitempty"`
	Crit []string `json:"crit,omitempty"`
}

// claims are the claims that the servers read and write.
type claims struct {
	Issuer    string   `json:"iss,omitempty"`
	Subject   string   `json:"sub,omitempty"`
	Audience  audience `json:"aud,omitempty"`
	Expires   int64    `json:"exp,omitempty"` // seconds since 1970
	IssuedAt  int64    `json:"iat,omitempty"`
	NotBefore int64    `json:"nbf,omitempty"`
	ID        string   `json:"jti,omitempty"`
	Nonce     string   `json:"nonce,omitempty"`
	ClientID  string   `json:"client_id,omitempty"`
	Resource  string   `json:"resource,omitempty"`
	Scope     string   `json:"scope,omitempty"`
}

// audience is one string or an array of strings.
type audience []string

func (a *audience) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*a = audience{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(a))
}

func (a audience) MarshalJSON() ([]byte, error) {
	if len(a) == 1 {
		return json.Marshal(a[0])
	}
	return json.Marshal([]string(a))
}

var b64 = base64.RawURLEncoding.Strict()

// sign makes a JWT with ES256.
func sign(key *ecdsa.PrivateKey, typ string, c *claims) string {
	part := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err) // values are ours
		}
		return b64.EncodeToString(b)
	}
	signed := part(header{Alg: "ES256", Typ: typ, Kid: "1"}) + "." + part(c)
	sum := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		panic(err) // there is no randomness
	}
	signature := append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	return signed + "." + b64.EncodeToString(signature)
}

// verify checks the signature of a JWT with any of the keys, and nothing else.
func verify(text string, keys []crypto.PublicKey) (*header, *claims, error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return nil, nil, errors.New("it is not a JWT")
	}
	h, c := &header{}, &claims{}
	signature, err := b64.DecodeString(parts[2])
	if err == nil {
		err = decodePart(parts[0], h)
	}
	if err == nil {
		err = decodePart(parts[1], c)
	}
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("it is not a JWT: %w", err)
	case len(h.Crit) > 0:
		return nil, nil, errors.New("crit names something that is not known")
	}
	for _, key := range keys {
		if signed(h.Alg, key, []byte(parts[0]+"."+parts[1]), signature) {
			return h, c, nil
		}
	}
	return nil, nil, fmt.Errorf("no key has made the signature with alg %q", h.Alg)
}

// signed tells whether a key has made the signature. The algorithm must be the one of the key.
func signed(alg string, key crypto.PublicKey, text, signature []byte) bool {
	sum := sha256.Sum256(text)
	switch key := key.(type) {
	case *ecdsa.PublicKey:
		return alg == "ES256" && len(signature) == 64 &&
			ecdsa.Verify(key, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
	case *rsa.PublicKey:
		return alg == "RS256" && rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature) == nil
	case ed25519.PublicKey:
		return alg == "EdDSA" && ed25519.Verify(key, text, signature)
	}
	return false
}

func decodePart(part string, into any) error {
	b, err := b64.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

// unverifiedSubject returns the subject of a JWT, which finds the client whose keys verify it.
func unverifiedSubject(text string) string {
	var c claims
	if parts := strings.Split(text, "."); len(parts) == 3 {
		_ = decodePart(parts[1], &c)
	}
	return c.Subject
}

// jwk is a public key (RFC 7517).
type jwk struct {
	Kty string `json:"kty"`
	Crv string `json:"crv,omitempty"`
	X   string `json:"x,omitempty"`
	Y   string `json:"y,omitempty"`
	N   string `json:"n,omitempty"`
	E   string `json:"e,omitempty"`
	D   string `json:"d,omitempty"` // a private key is refused
	Kid string `json:"kid,omitempty"`
	Alg string `json:"alg,omitempty"`
	Use string `json:"use,omitempty"`
}

func publicJWK(key *ecdsa.PublicKey) jwk {
	point, err := key.Bytes()
	if err != nil {
		panic(err) // the key is ours
	}
	return jwk{Kty: "EC", Crv: "P-256", Alg: "ES256", Use: "sig", Kid: "1", X: b64.EncodeToString(point[1:33]), Y: b64.EncodeToString(point[33:])}
}

// parseKeys reads a JSON Web Key Set, which must have a key.
func parseKeys(set json.RawMessage) ([]crypto.PublicKey, error) {
	var read struct {
		Keys []jwk `json:"keys"`
	}
	if err := json.Unmarshal(set, &read); err != nil || len(read.Keys) == 0 {
		return nil, errors.New("jwks must have keys")
	}
	var keys []crypto.PublicKey
	for _, k := range read.Keys {
		key, err := k.parse()
		if err != nil {
			return nil, fmt.Errorf("jwks: %w", err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func (k *jwk) parse() (crypto.PublicKey, error) {
	part := func(text string) []byte {
		b, _ := b64.DecodeString(text)
		return b
	}
	if k.D != "" {
		return nil, errors.New("a key is private")
	}
	switch k.Kty + " " + k.Crv {
	case "EC P-256":
		x, y := part(k.X), part(k.Y)
		if len(x) != 32 || len(y) != 32 {
			return nil, errors.New("x and y must have 32 bytes")
		}
		return ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, x...), y...))
	case "OKP Ed25519":
		if x := part(k.X); len(x) == ed25519.PublicKeySize {
			return ed25519.PublicKey(x), nil
		}
		return nil, errors.New("x must have 32 bytes")
	case "RSA ":
		n, e := new(big.Int).SetBytes(part(k.N)), new(big.Int).SetBytes(part(k.E))
		if n.BitLen() < 2048 || !e.IsInt64() || e.Int64() < 3 || e.Int64() > 1<<31-1 {
			return nil, errors.New("an RSA key must have 2048 bits at least")
		}
		return &rsa.PublicKey{N: n, E: int(e.Int64())}, nil
	}
	return nil, fmt.Errorf("kty %q with crv %q is not known", k.Kty, k.Crv)
}
