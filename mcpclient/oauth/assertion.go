package oauth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/mcp-editord/mcp-editord/internal/safeopen"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

const (
	assertionLife   = time.Minute
	keyFilePatience = 2 * time.Second // for the disk
	maxKeyFile      = 64 << 10        // bytes
	minRSA          = 2048            // bits
)

// newAssertion returns a JWT with which a client authenticates by its private key (private_key_jwt; RFC
// 7523, sections 2.2 and 3). keyFile has the key as PEM: PKCS #8, PKCS #1 or SEC 1. keyID is what the
// authorization server calls the key, "" for nothing. The assertion is good for one request within 60 s.
// The error continues a sentence about the key, and has nothing of the content of its file.
//
// audience is the issuer of the authorization server, exactly as in its metadata. RFC 7523 leaves it
// open and many used the token endpoint, but then a malicious server can name the endpoint of another
// as its own and use the assertion there. So rfc7523bis (draft 11, section 4) and FAPI 2.0 want the
// issuer "as its sole value", servers have to accept it since RFC 9126, and MCP's conformance suite
// takes nothing else.
func newAssertion(keyFile, keyID, clientID, audience string, now time.Time) (string, error) {
	key, err := readKey(keyFile)
	if err != nil {
		return "", err
	}
	method, err := methodFor(key)
	if err != nil {
		return "", err
	}
	// A map: the claims of the library make a list of aud, which FAPI 2.0 forbids.
	token := jwt.NewWithClaims(method, jwt.MapClaims{
		"iss": clientID,
		"sub": clientID,
		"aud": audience,
		"jti": rand.Text(),
		"iat": now.Unix(),
		"exp": now.Add(assertionLife).Unix(),
	})
	token.Header["typ"] = "client-authentication+jwt" // rfc7523bis: no JWT for another purpose is taken for it
	if keyID != "" {
		token.Header["kid"] = keyID
	}
	return token.SignedString(key)
}

// methodFor returns how key signs. The error continues a sentence about the key.
func methodFor(key any) (jwt.SigningMethod, error) {
	switch key := key.(type) {
	case *rsa.PrivateKey:
		if bits := key.N.BitLen(); bits < minRSA {
			return nil, fmt.Errorf("has %d bits, which is too short to be safe; make one of %d or more", bits, minRSA)
		}
		return jwt.SigningMethodRS256, nil
	case *ecdsa.PrivateKey:
		switch key.Curve {
		case elliptic.P256():
			return jwt.SigningMethodES256, nil
		case elliptic.P384():
			return jwt.SigningMethodES384, nil
		}
	case ed25519.PrivateKey:
		return jwt.SigningMethodEdDSA, nil
	}
	return nil, errors.New("is of a kind that cannot be used; make one for RSA, P-256, P-384 or Ed25519")
}

// readKey returns the first private key in a PEM file. It waits for the disk 2 s at most; a disk that
// does not answer then costs one goroutine until it does. The error continues a sentence about the key.
func readKey(path string) (any, error) {
	type result struct {
		text []byte
		err  error
	}
	read := make(chan result, 1)
	go func() {
		text, err := readPrivate(path)
		read <- result{text, err}
	}()
	select {
	case r := <-read:
		if r.err != nil {
			return nil, r.err
		}
		return parseKey(r.text)
	case <-time.After(keyFilePatience):
		return nil, fmt.Errorf("cannot be read: its disk has not answered for %s", keyFilePatience)
	}
}

// readPrivate returns what is in a file that only its owner can use.
func readPrivate(path string) ([]byte, error) {
	f, err := safeopen.File(path)
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	info, err := f.Stat() // of what is open, whatever is at path meanwhile
	if err != nil {
		return nil, unreadable(err)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return nil, fmt.Errorf("can be used by others (its mode is %04o); run: chmod 600 %s", mode, safetext.ShellWord(path))
	}
	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	switch {
	case err != nil:
		return nil, unreadable(err)
	case len(text) > maxKeyFile:
		return nil, fmt.Errorf("is larger than %d KiB, which no key is", maxKeyFile>>10)
	}
	return text, nil
}

// unreadable returns err without the path, which the sentence has already.
func unreadable(err error) error {
	if failed, ok := errors.AsType[*os.PathError](err); ok {
		err = failed.Err
	}
	return fmt.Errorf("cannot be read: %w", err)
}

// parseKey returns the first private key in PEM text.
func parseKey(text []byte) (any, error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			return key, nil
		}
		if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
			return key, nil
		}
		if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
			return key, nil
		}
	}
	return nil, errors.New(`is not PEM of a kind that can be read; store it as PKCS #8 ("BEGIN PRIVATE KEY") and without a password`)
}
