package config

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// The ports that "redirectPort" may name: those that need no privilege.
const (
	minRedirectPort = 1024
	maxRedirectPort = 65535
)

// What the URLs of [OAuth] must be, as the rest of a sentence.
const (
	mustBeIssuer   = "must be an https: URL, or an http: URL of this machine, without user name, query or fragment"
	mustBeMetadata = "must be an https: URL with a path, without user name, fragment or . and .. in the path"
)

// SignsIn reports whether the daemon signs in to d where d asks for it: d is reached over HTTP, and
// neither a header of its own nor its URL says who calls.
func (d Definition) SignsIn() bool {
	if d.Transport != HTTP && d.Transport != SSE {
		return false
	}
	for name := range d.Headers {
		if strings.EqualFold(name, "Authorization") {
			return false
		}
	}
	u, err := url.Parse(d.URL)
	return err != nil || u.User == nil
}

// signIn reads how to sign in to d: "oauth", and "auth", which Cursor uses instead.
func (o *object) signIn(d *Definition) {
	oauth, said := o.object("oauth", `"oauth" of `+o.what)
	auth, also := o.take("auth")
	switch {
	case said:
		d.OAuth = oauth.oauth()
		if also {
			o.doc.warnAt(o.keyAt("auth"), `"oauth" and "auth" of %s both say how to sign in; "oauth" counts`, o.what)
		}
	case !also:
	case auth.Value.Kind() != '{': // other programs have a word or a token there
		o.doc.warnAt(o.keyAt("auth"), `"auth" of %s is ignored; use "oauth": {…} instead, or a header`, o.what)
	default:
		if inner, ok := o.object("auth", `"auth" of `+o.what); ok {
			d.OAuth = inner.cursorAuth()
		}
	}
	if d.OAuth != nil && !d.SignsIn() {
		key := "oauth"
		if !said {
			key = "auth"
		}
		o.doc.warnAt(o.keyAt(key), "%s of %s has no effect: the header Authorization is sent instead; remove one of them", quote(key), o.what)
	}
}

// oauth reads an [OAuth]. Claude Code's spellings are read too: "callbackPort", and "scopes" as one
// text with spaces.
func (o *object) oauth() *OAuth {
	a := &OAuth{}
	a.ClientID, _ = o.text("clientId")
	a.ClientSecret, _ = o.text("clientSecret")
	a.ClientMetadataURL = o.url("clientMetadataUrl", validMetadataURL, mustBeMetadata)
	a.Issuer = o.url("issuer", validIssuer, mustBeIssuer)
	a.Scopes = o.scopes("scopes")
	a.RedirectPort = o.redirectPort()
	const person = "authorization_code" // the default
	if a.Grant = choice(o, "grant", person, GrantClientCredentials); a.Grant == person {
		a.Grant = ""
	}
	a.PrivateKeyFile, _ = o.text("privateKeyFile")
	a.KeyID, _ = o.text("keyId")
	a.Enterprise = o.enterprise("enterprise")
	if o.together(a) {
		if a.Grant == GrantClientCredentials {
			o.idle("nobody signs in with client_credentials", "redirectPort", "callbackPort")
		}
		if a.PrivateKeyFile == "" {
			o.idle(`there is no "privateKeyFile"`, "keyId")
		}
	}
	o.finish()
	return a
}

// cursorAuth reads what Cursor's "auth" says about signing in.
func (o *object) cursorAuth() *OAuth {
	a := &OAuth{}
	a.ClientID, _ = o.text("CLIENT_ID")
	a.ClientSecret, _ = o.text("CLIENT_SECRET")
	a.Scopes = o.scopes("scopes")
	o.together(a)
	o.finish()
	return a
}

// together reports what is wrong with the parts of a together, once each of them is right. It reports
// whether nothing is.
func (o *object) together(a *OAuth) bool {
	if *o.failed {
		return false
	}
	if why := a.fault(); why != "" {
		o.failHere("%s %s", o.what, why)
		return false
	}
	return true
}

// fault says what is wrong with the parts of a together, as the rest of a sentence; "" when
// nothing is.
func (a *OAuth) fault() string {
	itself := a.Grant == GrantClientCredentials
	switch {
	case a.ClientID != "" && a.ClientMetadataURL != "":
		return "has both a clientId and a clientMetadataUrl; remove one of them"
	case a.ClientSecret != "" && a.ClientMetadataURL != "":
		return "has both a clientSecret and a clientMetadataUrl; remove one of them"
	case a.ClientID == "" && a.ClientSecret != "":
		return "has a clientSecret without a clientId; add the clientId"
	case a.ClientID == "" && itself:
		return "has the grant client_credentials without a clientId; add the clientId"
	case a.ClientID == "" && a.ClientMetadataURL == "" && a.PrivateKeyFile != "":
		return "has a privateKeyFile without a clientId; add the clientId"
	case a.ClientSecret != "" && a.PrivateKeyFile != "":
		return "has both a clientSecret and a privateKeyFile; remove one of them"
	case itself && a.ClientSecret == "" && a.PrivateKeyFile == "":
		return "has the grant client_credentials without a clientSecret or a privateKeyFile; add one of them"
	case itself && a.Enterprise != nil:
		return "has the grant client_credentials, with which nobody signs in, and an enterprise to sign in at; remove one of them"
	}
	return ""
}

// url reads a URL. One with a variable is checked when the server starts.
func (o *object) url(key string, valid func(string) bool, must string) string {
	return parsed(o, key, must, func(s string) (string, bool) {
		return s, s == "" || strings.Contains(s, "${") || valid(s)
	})
}

// scopes reads a list, or one text with spaces; nil when there is neither.
func (o *object) scopes(key string) []string {
	v, ok := o.take(key)
	switch {
	case !ok:
		return nil
	case v.Value.Kind() == '"':
		s, _ := o.textOf(v, key)
		return strings.Fields(s)
	}
	list, _ := o.listOf(v, key)
	return list
}

// redirectPort reads "redirectPort", and "callbackPort", which Claude Code uses instead.
func (o *object) redirectPort() int {
	port, said := o.port("redirectPort")
	callback, also := o.port("callbackPort")
	if !said {
		return callback
	}
	if also && port != callback {
		o.doc.warnAt(o.keyAt("callbackPort"), `"redirectPort" and "callbackPort" of %s contradict each other; "redirectPort" counts`, o.what)
	}
	return port
}

func (o *object) port(key string) (port int, ok bool) {
	v, ok := o.take(key)
	if !ok {
		return 0, false
	}
	if v.Value.Kind() == '0' {
		port, err := strconv.Atoi(v.Value.(hujson.Literal).String())
		if err == nil && port >= minRedirectPort && port <= maxRedirectPort {
			return port, true
		}
	}
	o.fail(v, "%s of %s must be the number of a port, from %d to %d", quote(key), o.what, minRedirectPort, maxRedirectPort)
	return 0, false
}

// enterprise reads an [Enterprise]; nil when there is none.
func (o *object) enterprise(key string) *Enterprise {
	inner, ok := o.object(key, quote(key)+" of "+o.what)
	if !ok {
		return nil
	}
	e := &Enterprise{}
	e.Issuer = inner.url("issuer", validIssuer, mustBeIssuer)
	e.ClientID, _ = inner.text("clientId")
	e.ClientSecret, _ = inner.text("clientSecret")
	if why := e.fault(); why != "" && !*inner.failed {
		inner.failHere("%s %s", inner.what, why)
	}
	inner.finish()
	return e
}

// fault says what e lacks, as the rest of a sentence; "" when nothing.
func (e *Enterprise) fault() string {
	if e.Issuer == "" || e.ClientID == "" {
		return "must have an issuer and a clientId"
	}
	return ""
}

// validIssuer reports whether s can be the identifier of an authorization server (RFC 8414) that is
// reached over TLS, or on this machine.
func validIssuer(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(s, "?#") {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname())
}

func loopback(host string) bool {
	return host == "127.0.0.1" || host == "::1" || strings.EqualFold(host, "localhost")
}

// validMetadataURL reports whether s can be the URL of a client ID metadata document: "client
// identifier URLs MUST have an https scheme, MUST contain a path component, MUST NOT contain
// single-dot or double-dot path segments, MUST NOT contain a fragment component and MUST NOT
// contain a username or password" (draft-ietf-oauth-client-id-metadata-document).
func validMetadataURL(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.Contains(s, "#") {
		return false
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	return strings.Trim(u.Path, "/") != ""
}

// readyOAuth checks how to sign in to d, and makes the path of the key absolute. The variables are
// in already.
func (d Definition) readyOAuth(folder string) (*OAuth, error) {
	if d.OAuth == nil {
		return nil, nil
	}
	a := *d.OAuth
	if why := a.fault(); why != "" {
		return nil, errors.New("its oauth " + why)
	}
	if a.Issuer != "" && !validIssuer(a.Issuer) {
		return nil, errors.New("the issuer of its oauth " + mustBeIssuer)
	}
	if a.ClientMetadataURL != "" && !validMetadataURL(a.ClientMetadataURL) {
		return nil, errors.New("the clientMetadataUrl of its oauth " + mustBeMetadata)
	}
	if e := a.Enterprise; e != nil {
		if why := e.fault(); why != "" {
			return nil, errors.New("its enterprise " + why)
		}
		if !validIssuer(e.Issuer) {
			return nil, errors.New("the issuer of its enterprise " + mustBeIssuer)
		}
	}
	if a.PrivateKeyFile == "" {
		return &a, nil
	}
	if strings.ContainsRune(a.PrivateKeyFile, 0) {
		return nil, errors.New("its privateKeyFile contains a NUL; remove it")
	}
	file, err := d.besideFile(a.PrivateKeyFile, folder)
	if err != nil {
		return nil, fmt.Errorf("its privateKeyFile %w", err)
	}
	a.PrivateKeyFile = file
	return &a, nil
}
