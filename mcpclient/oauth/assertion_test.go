package oauth

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

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
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	overRSA := func(text, signature []byte) bool {
		hash := sha256.Sum256(text)
		return rsa.VerifyPKCS1v15(&rsaKey.PublicKey, crypto.SHA256, hash[:], signature) == nil
	}
	overEC := func(key *ecdsa.PublicKey, hash []byte, signature []byte) bool {
		half := (key.Curve.Params().BitSize + 7) / 8 // RFC 7518, section 3.4
		return len(signature) == 2*half && ecdsa.Verify(key, hash, new(big.Int).SetBytes(signature[:half]), new(big.Int).SetBytes(signature[half:]))
	}
	overP256 := func(text, signature []byte) bool {
		hash := sha256.Sum256(text)
		return overEC(&p256.PublicKey, hash[:], signature)
	}
	overP384 := func(text, signature []byte) bool {
		hash := sha512.Sum384(text)
		return overEC(&p384.PublicKey, hash[:], signature)
	}
	overEd := func(text, signature []byte) bool {
		return ed25519.Verify(edKey.Public().(ed25519.PublicKey), text, signature)
	}
	sec1 := block("EC PRIVATE KEY", must(x509.MarshalECPrivateKey(p256)))
	for _, tt := range []struct {
		name    string
		text    []byte
		keyID   string
		alg     string
		matches func(text, signature []byte) bool
	}{
		{"RSA in PKCS #8", pkcs8(rsaKey), "", "RS256", overRSA},
		{"RSA in PKCS #1", block("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(rsaKey)), "", "RS256", overRSA},
		{"P-256 in PKCS #8", pkcs8(p256), "my key", "ES256", overP256},
		{"P-256 in SEC 1", sec1, "", "ES256", overP256},
		{"P-256 after its parameters", append(block("EC PARAMETERS", []byte{6, 0}), sec1...), "", "ES256", overP256},
		{"P-384", pkcs8(p384), "", "ES384", overP384},
		{"Ed25519", pkcs8(edKey), "", "EdDSA", overEd},
		{"with text around it", append([]byte("my key\n"), append(pkcs8(edKey), "\nend"...)...), "", "EdDSA", overEd},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := time.Unix(1_800_000_000, 999)
			text, err := newAssertion(keyFile(t, tt.text), tt.keyID, "the client", testIssuer, now)
			if err != nil {
				t.Fatal(err)
			}
			parts := strings.Split(text, ".")
			if len(parts) != 3 {
				t.Fatalf("it has %d parts", len(parts))
			}
			if !tt.matches([]byte(parts[0]+"."+parts[1]), must(base64.RawURLEncoding.DecodeString(parts[2]))) {
				t.Error("the signature does not match")
			}
			header := map[string]any{"alg": tt.alg, "typ": "client-authentication+jwt"}
			if tt.keyID != "" {
				header["kid"] = tt.keyID
			}
			checkJSON(t, parts[0], header)
			claims := checkJSON(t, parts[1], map[string]any{
				"iss": "the client", "sub": "the client", "aud": testIssuer, "iat": 1_800_000_000.0, "exp": 1_800_000_060.0, "jti": any(nil),
			})
			again, err := newAssertion(keyFile(t, tt.text), tt.keyID, "the client", testIssuer, now)
			if err != nil {
				t.Fatal(err)
			}
			other := decode(t, strings.Split(again, ".")[1])
			if id, _ := claims["jti"].(string); len(id) < 16 || id == other["jti"] {
				t.Errorf("the ids are %v and %v", claims["jti"], other["jti"])
			}
		})
	}
}

func decode(t *testing.T, part string) (members map[string]any) {
	t.Helper()
	if err := json.Unmarshal(must(base64.RawURLEncoding.DecodeString(part)), &members); err != nil {
		t.Fatal(err)
	}
	return members
}

// checkJSON checks that a part of a JWT has exactly these members. nil stands for any value.
func checkJSON(t *testing.T, part string, want map[string]any) map[string]any {
	t.Helper()
	got := decode(t, part)
	for name, value := range want {
		if has, ok := got[name]; !ok || value != nil && has != value {
			t.Errorf("%s is %v, want %v", name, has, value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("it has %v, want %v", got, want)
	}
	return got
}

func TestKeyFileIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		text []byte
		want string
	}{
		{"empty", nil, "is not PEM"},
		{"of another format", block("OPENSSH PRIVATE KEY", []byte("secret")), "is not PEM of a kind that can be read"},
		{"a certificate", block("CERTIFICATE", []byte("secret")), "is not PEM of a kind"},
		{"a public key", block("PUBLIC KEY", []byte("secret")), "is not PEM of a kind"},
		{"damaged", block("PRIVATE KEY", []byte("secret")), "is damaged"},
		{"damaged SEC 1", block("EC PRIVATE KEY", []byte("secret")), "is damaged"},
		{"damaged PKCS #1", block("RSA PRIVATE KEY", []byte("secret")), "is damaged"},
		{"encrypted", block("ENCRYPTED PRIVATE KEY", []byte("secret")), "is encrypted"},
		{"encrypted in the old way", pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Headers: map[string]string{"DEK-Info": "AES-128-CBC,00"}, Bytes: []byte("secret")}), "is encrypted"},
		{"short RSA", pkcs8(must(rsa.GenerateKey(rand.Reader, minRSA-8))), "has 2040 bits"},
		{"P-521", pkcs8(must(ecdsa.GenerateKey(elliptic.P521(), rand.Reader))), "is of a kind that cannot be used"},
		{"X25519", pkcs8(must(ecdh.X25519().GenerateKey(rand.Reader))), "is of a kind that cannot be used"},
		{"large", append(make([]byte, maxKeyFile), pkcs8(must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)))...), "is larger than 64 KiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := keyFile(t, tt.text)
			text, err := newAssertion(path, "", "client", testIssuer, time.Now())
			if text != "" || err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("the private key %q %s", path, tt.want)) || strings.Contains(err.Error(), "secret") {
				t.Errorf("it is %q, %v, want %q", text, err, tt.want)
			}
		})
	}
	t.Run("absent", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "absent.pem")
		_, err := newAssertion(path, "", "client", testIssuer, time.Now())
		if err == nil || strings.Count(err.Error(), "absent.pem") != 1 || !strings.Contains(err.Error(), "cannot be read: ") {
			t.Errorf("the error is %v", err)
		}
	})
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
		0o600: true, 0o400: true, 0o700: true,
		0o640: false, 0o620: false, 0o610: false, 0o604: false, 0o602: false, 0o601: false,
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
}

func TestKeyFileOnADeadDisk(t *testing.T) {
	dir := t.TempDir()
	deaddisk.Mount(t, dir)
	_, err := newAssertion(filepath.Join(dir, "key.pem"), "", "client", testIssuer, time.Now())
	if err == nil || !strings.Contains(err.Error(), "its disk has not answered for 2s") {
		t.Errorf("the error is %v", err)
	}
}
