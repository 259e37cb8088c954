package oauth

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/deaddisk"
)

// must returns v.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// keyFile writes text to a file that only its owner can use.
func keyFile(t *testing.T, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func block(kind string, content []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
}

func pkcs8(key any) []byte { return block("PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(key))) }

func TestAssertion(t *testing.T) {
	rsaKey := must(rsa.GenerateKey(rand.Reader, minRSA))
	p256 := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	p384 := must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	edPublic, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sec1 := block("EC PRIVATE KEY", must(x509.MarshalECPrivateKey(p256)))
	for _, tt := range []struct {
		name   string
		text   []byte
		keyID  string
		alg    string
		public any
	}{
		{"RSA in PKCS #8", pkcs8(rsaKey), "", "RS256", rsaKey.Public()},
		{"RSA in PKCS #1", block("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(rsaKey)), "", "RS256", rsaKey.Public()},
		{"P-256 in PKCS #8", pkcs8(p256), "my key", "ES256", p256.Public()},
		{"P-256 after its parameters, in SEC 1", append(block("EC PARAMETERS", []byte{6, 0}), sec1...), "", "ES256", p256.Public()},
		{"P-384", pkcs8(p384), "", "ES384", p384.Public()},
		{"Ed25519, with text around it", append([]byte("my key\n"), append(pkcs8(edKey), "\nend"...)...), "", "EdDSA", edPublic},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := time.Unix(1_800_000_000, 999)
			ids := map[any]bool{}
			for range 2 {
				text, err := newAssertion(keyFile(t, tt.text), tt.keyID, "the client", testIssuer, now)
				if err != nil {
					t.Fatal(err)
				}
				got, err := jwt.Parse(text, func(*jwt.Token) (any, error) { return tt.public, nil }, jwt.WithTimeFunc(func() time.Time { return now }))
				if err != nil {
					t.Fatal(err)
				}
				header := map[string]any{"alg": tt.alg, "typ": "client-authentication+jwt"}
				if tt.keyID != "" {
					header["kid"] = tt.keyID
				}
				claims := got.Claims.(jwt.MapClaims)
				id := claims["jti"]
				want := jwt.MapClaims{"iss": "the client", "sub": "the client", "aud": testIssuer, "iat": 1_800_000_000.0, "exp": 1_800_000_060.0, "jti": id}
				if !maps.Equal(got.Header, header) || !maps.Equal(claims, want) {
					t.Errorf("it has %v and %v", got.Header, claims)
				}
				if text, _ := id.(string); len(text) < 16 || ids[id] {
					t.Errorf("the id is %v", id)
				}
				ids[id] = true
			}
		})
	}
}

func TestKeyFileIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		text []byte
		want string
	}{
		{"of another format", block("OPENSSH PRIVATE KEY", []byte("secret")), "is not PEM of a kind that can be read"},
		{"a public key", block("PUBLIC KEY", []byte("secret")), "is not PEM of a kind"},
		{"damaged", block("PRIVATE KEY", []byte("secret")), "is not PEM of a kind"},
		{"encrypted", block("ENCRYPTED PRIVATE KEY", []byte("secret")), "is not PEM of a kind"},
		{"encrypted in the old way", pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Headers: map[string]string{"DEK-Info": "AES-128-CBC,00"}, Bytes: []byte("secret")}), "is not PEM of a kind"},
		{"short RSA", pkcs8(must(rsa.GenerateKey(rand.Reader, minRSA-8))), "has 2040 bits"},
		{"P-521", pkcs8(must(ecdsa.GenerateKey(elliptic.P521(), rand.Reader))), "is of a kind that cannot be used"},
		{"X25519", pkcs8(must(ecdh.X25519().GenerateKey(rand.Reader))), "is of a kind that cannot be used"},
		{"large", append(make([]byte, maxKeyFile), pkcs8(must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)))...), "is larger than 64 KiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := keyFile(t, tt.text)
			text, err := newAssertion(path, "", "client", testIssuer, time.Now())
			if text != "" || err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("it is %q, %v, want %q", text, err, tt.want)
			}
		})
	}
	t.Run("a folder", func(t *testing.T) {
		if _, err := newAssertion(t.TempDir(), "", "client", testIssuer, time.Now()); err == nil || !strings.Contains(err.Error(), "regular file") {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestKeyFileOfOthersIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes on Windows")
	}
	text := pkcs8(must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)))
	for mode, ok := range map[os.FileMode]bool{
		0o600: true, 0o400: true, 0o700: true, 0o640: false, 0o610: false, 0o604: false, 0o601: false,
	} {
		path := keyFile(t, text)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := newAssertion(path, "", "client", testIssuer, time.Now())
		if (err == nil) != ok || !ok && !strings.Contains(err.Error(), "can be used by others") {
			t.Errorf("mode %04o: %v", mode, err)
		}
	}
}

// An editor is told what is wrong with a key, and the same request is not sent again and again.
func TestKeyThatIsMissingIsAWireError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key.pem")
	err := proof{id: "client", method: authPrivateKeyJWT, keyFile: path}.assert(url.Values{}, testIssuer)
	wantError(t, err, wire.KindProtocol, path, "cannot be read")
	if strings.Count(err.Error(), path) != 1 {
		t.Errorf("the error is %v", err)
	}
}

func TestKeyFileOnADeadDisk(t *testing.T) {
	dir := t.TempDir()
	deaddisk.Mount(t, dir)
	_, err := newAssertion(filepath.Join(dir, "key.pem"), "", "client", testIssuer, time.Now())
	if err == nil || !strings.Contains(err.Error(), "its disk has not answered for 2s") {
		t.Errorf("the error is %v", err)
	}
}
