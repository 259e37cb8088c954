package authserver

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestVerifyRefuses(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	keys := []crypto.PublicKey{&key.PublicKey}
	good := sign(key, "JWT", &claims{Subject: "x", Audience: audience{"y"}})
	if _, c, err := verify(good, keys); err != nil || c.Subject != "x" || !slices.Equal(c.Audience, audience{"y"}) {
		t.Errorf("a good one: %+v, %v", c, err)
	}
	parts := strings.Split(good, ".")
	if payload, err := b64.DecodeString(parts[1]); err != nil || string(payload) != `{"sub":"x","aud":"y"}` {
		t.Errorf("an audience alone is a string: %s, %v", payload, err)
	}
	critical := b64.EncodeToString([]byte(`{"alg":"ES256","crit":["b64"]}`)) + "." + parts[1]
	sum := sha256.Sum256([]byte(critical))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	critical += "." + b64.EncodeToString(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
	for text, want := range map[string]string{
		"":                                  "not a JWT",
		parts[0] + "." + parts[1]:           "not a JWT",
		good + ".x":                         "not a JWT",
		parts[0] + ".!." + parts[2]:         "not a JWT",
		"!." + parts[1] + "." + parts[2]:    "not a JWT",
		parts[0] + "." + parts[1] + ".!":    "not a JWT",
		parts[0] + "." + parts[1] + ".":     "no key",
		parts[0] + "." + parts[1] + ".AAAA": "no key",
		critical:                            "crit",
	} {
		if _, _, err := verify(text, keys); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestVerifyAlgorithms(t *testing.T) {
	edPublic, edPrivate, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for alg, test := range map[string]struct {
		key  jwk
		sign func(text []byte) ([]byte, error)
	}{
		"EdDSA": {jwk{Kty: "OKP", Crv: "Ed25519", X: b64.EncodeToString(edPublic)}, func(text []byte) ([]byte, error) { return ed25519.Sign(edPrivate, text), nil }},
		"RS256": {jwk{Kty: "RSA", N: b64.EncodeToString(rsaKey.N.Bytes()), E: "AQAB"}, func(text []byte) ([]byte, error) {
			sum := sha256.Sum256(text)
			return rsa.SignPKCS1v15(nil, rsaKey, crypto.SHA256, sum[:])
		}},
	} {
		set, err := json.Marshal(map[string]any{"keys": []jwk{test.key}})
		if err != nil {
			t.Fatal(err)
		}
		keys, err := parseKeys(set)
		if err != nil {
			t.Fatal(err)
		}
		for _, said := range []string{alg, "ES256", "HS256", "none"} {
			text := b64.EncodeToString([]byte(`{"alg":"`+said+`"}`)) + "." + b64.EncodeToString([]byte(`{"sub":"x"}`))
			signature, err := test.sign([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if _, c, err := verify(text+"."+b64.EncodeToString(signature), keys); (err == nil) != (said == alg) || err == nil && c.Subject != "x" {
				t.Errorf("a key of %s with alg %s: %v", alg, said, err)
			}
			signature[0] ^= 1
			if _, _, err := verify(text+"."+b64.EncodeToString(signature), keys); err == nil {
				t.Errorf("%s: a wrong signature passed", alg)
			}
		}
		if _, err := parseKeys(bytes.ReplaceAll(set, []byte(`"kty"`), []byte(`"d":"x","kty"`))); err == nil {
			t.Errorf("%s: took a private key", alg)
		}
	}
}

func TestKeysThatAreRefused(t *testing.T) {
	long := strings.Repeat("A", 43)   // 32 bytes
	short := strings.Repeat("A", 171) // 1024 bits
	strong := b64.EncodeToString(bytes.Repeat([]byte{0xff}, 256))
	for name, set := range map[string]string{
		"none":         `{"keys":[]}`,
		"not JSON":     `x`,
		"secret":       `{"keys":[{"kty":"oct"}]}`,
		"curve":        `{"keys":[{"kty":"EC","crv":"P-384","x":"` + long + `","y":"` + long + `"}]}`,
		"short point":  `{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}`,
		"off curve":    `{"keys":[{"kty":"EC","crv":"P-256","x":"` + long + `","y":"` + long + `"}]}`,
		"short EdDSA":  `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]}`,
		"weak RSA":     `{"keys":[{"kty":"RSA","n":"_` + short[1:] + `","e":"AQAB"}]}`,
		"exponent one": `{"keys":[{"kty":"RSA","n":"` + strong + `","e":"AQ"}]}`,
		"exponent":     `{"keys":[{"kty":"RSA","n":"` + strong + `","e":"` + long + `"}]}`,
		"one of two":   `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"` + long + `"},{"kty":"oct"}]}`,
	} {
		if keys, err := parseKeys(json.RawMessage(set)); err == nil {
			t.Errorf("%s: %v", name, keys)
		}
	}
	if _, err := parseKeys(json.RawMessage(`{"keys":[{"kty":"RSA","n":"` + strong + `","e":"AQAB"}]}`)); err != nil {
		t.Errorf("a strong key: %v", err)
	}
}
