package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/secrets"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Patience is how long a sign-in waits for the person.
const Patience = 10 * time.Minute

// Config is what the configuration says about signing in. See docs/configuration.md.
type Config struct {
	ClientID          string
	ClientSecret      string
	ClientMetadataURL string
	Issuer            string // that ClientID is registered with; "": the first that is used
	Scopes            []string
	RedirectPort      int    // 0: chosen at random, and the path too
	Grant             string // GrantAuthorizationCode or GrantClientCredentials
	PrivateKeyFile    string // PEM; absolute
	KeyID             string
	Enterprise        *Enterprise // nil: none
}

// Enterprise is the identity provider of enterprise-managed authorization.
type Enterprise struct{ Issuer, ClientID, ClientSecret string }

// The values of [Config.Grant].
const (
	GrantAuthorizationCode = ""
	GrantClientCredentials = "client_credentials"
)

// Store keeps credentials by name. See package secrets, whose Store it is.
type Store interface {
	Get(ctx context.Context, name string) ([]byte, error)
	Set(ctx context.Context, name string, value []byte) error
	Delete(ctx context.Context, name string) error
	Lock(ctx context.Context, name string) (unlock func(), err error)
	Known(name string) bool
}

// Options are what an [Authorizer] is made of. They are copied.
type Options struct {
	Server   string   // its name, for messages
	Endpoint *url.URL // of the MCP server, http or https
	Config   Config
	Store    Store
	Name     string // of the credentials in Store
	Version  string // of this program
	Proxy    func(*http.Request) (*url.URL, error)
	Log      *zap.Logger

	// Changed is called when [Authorizer.State] has changed, with no lock held.
	Changed func()
}

// An Authorizer has the credentials for one MCP endpoint. It is safe for concurrent use. It implements
// the interface of the same name in package streamable.
type Authorizer struct {
	o        Options
	net      *network
	provider *network // to the identity provider of an enterprise, which may be in a private network where the MCP server is not

	patience time.Duration // Patience

	waiting atomic.Pointer[callback] // of a sign-in that waits for the browser; nil for none

	ctx context.Context // of renewals: they end with the Authorizer, not with who wanted them
	end context.CancelFunc

	// mu guards the fields that follow. Nothing waits with it held.
	mu        sync.Mutex
	cred      *credentials // as they were last read or written; nil for none
	asked     bool         // the store was asked
	read      bool         // the store has answered
	challenge challenge    // of the last refusal; before any, what a refusal says that says nothing
	wanted    []string     // scopes for which a request was refused
	renewal   *renewal     // under way; nil for none
	unknown   string       // the client that the authorization server seems to have forgotten; "" for none
	closed    bool
}

// State is what an [Authorizer] holds. No member is a secret.
type State struct {
	Issuer string   // "" when nobody has signed in
	Scopes []string // granted; nil when the authorization server did not say
	Wanted []string // scopes for which the endpoint has refused a request
}

// A Visit is an address that a person opens in a browser to sign in.
type Visit struct {
	URL         string // https, or http on this machine; not checked for what a reader may take it for
	RedirectURI string // where the browser ends
	Until       time.Time
}

// New makes an Authorizer. It reads no credentials before they are needed.
func New(o Options) *Authorizer {
	a := &Authorizer{o: o, net: newNetwork(o.Endpoint, o.Proxy, o.Version), patience: Patience, challenge: readChallenge(nil)}
	a.net.noCode = a.byItself() || o.Config.Enterprise != nil
	a.provider = a.net
	if e := o.Config.Enterprise; e != nil {
		if issuer, err := url.Parse(e.Issuer); err == nil { // package config has checked it
			a.provider = newNetwork(issuer, o.Proxy, o.Version)
		}
	}
	a.ctx, a.end = context.WithCancel(context.Background())
	return a
}

// Close waits until what was renewed is in the store, until ctx ends. Nothing is renewed afterwards.
func (a *Authorizer) Close(ctx context.Context) {
	a.mu.Lock()
	a.closed = true
	r := a.renewal
	a.mu.Unlock()
	if r != nil {
		_ = r.wait(ctx)
	}
	a.end()
	a.net.close()
	a.provider.close()
}

// State returns what the Authorizer holds, without waiting.
func (a *Authorizer) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cred.token() == "" {
		return State{Wanted: a.wanted}
	}
	return State{Issuer: a.cred.Issuer, Scopes: a.cred.Scopes, Wanted: a.wanted}
}

// Token returns the access token for the next request, "" for none. It has one that is at its end
// replaced, and waits for that if the end is over. If there is no other, the endpoint decides: the clock of
// this machine may be wrong.
func (a *Authorizer) Token(ctx context.Context) string {
	c, _ := a.current(ctx)
	if c == nil {
		return "" // the refusal says what is missing
	}
	now, renewable := time.Now(), a.byItself() || c.RefreshToken != "" || c.Identity != nil
	if !renewable || !c.expired(now) {
		return c.token()
	}
	if now.Before(c.Expiry) {
		a.renewing(c.token())
		return c.token() // good for a while yet
	}
	if err := a.renew(ctx, c.token()); err != nil {
		a.o.Log.Info("a token at its end was not replaced", zap.String("server", a.o.Server), zap.Error(err))
	}
	c, _ = a.current(ctx)
	return c.token()
}

// Refused hears that the endpoint has refused a request unread, with 401 or 403. token is what the
// request carried, and again says that it was repeated already. Refused returns true if there is another
// token to repeat it with, and false without an error if it is none of its business.
//
// The error is a [wire.Error]: of [wire.KindSignInNeeded], of [wire.KindScope] when a person has to allow
// more, of [wire.KindHTTP] when nobody can, of [wire.KindUnauthorized] when the client of the
// configuration is refused, and of [wire.KindUnreachable] when the same request may succeed later: when the
// authorization server does not answer, or there is a new token only now.
func (a *Authorizer) Refused(ctx context.Context, token string, status int, header http.Header, again bool) (retry bool, err error) {
	c := readChallenge(header)
	if !c.bearer {
		return false, nil
	}
	switch {
	case status == http.StatusUnauthorized:
		return a.unauthorized(ctx, token, c, again)
	case status == http.StatusForbidden && c.code == "insufficient_scope":
		return a.insufficient(ctx, token, c, again)
	}
	return false, nil
}

// unauthorized is Refused for 401: "Invalid or expired tokens MUST receive a HTTP 401 response" (MCP
// 2026-07-28, Token Handling).
func (a *Authorizer) unauthorized(ctx context.Context, token string, c challenge, again bool) (retry bool, err error) {
	a.mu.Lock()
	a.challenge = c
	a.mu.Unlock()
	have, err := a.current(ctx)
	switch {
	case err != nil && !a.byItself():
		return false, a.unread(err)
	case have.token() != "" && have.token() != token:
		return true, nil // somebody else has got it meanwhile
	case again && have.isFresh(time.Now()):
		return false, a.needed("it refuses the token that was just given")
	case !a.byItself() && !a.known():
		return false, a.needed(notYet)
	}
	if err := a.renew(ctx, token); err != nil {
		return false, err
	}
	if again { // another process had got the token, which has ended since
		return false, wire.Errorf(wire.KindUnreachable, "", "%s has refused an old token; there is a new one now, so try again", a.o.Endpoint.Host)
	}
	return true, nil
}

// insufficient is Refused for 403 with insufficient_scope. "Clients acting on behalf of a user SHOULD
// attempt the step-up authorization flow" and "SHOULD implement retry limits" (MCP 2026-07-28, Step-Up
// Authorization Flow): a person is asked for the scopes, and for each of them once. A client that is its own user "MAY
// [...] abort the request immediately" (ibid.).
func (a *Authorizer) insufficient(ctx context.Context, token string, c challenge, again bool) (retry bool, err error) {
	host := a.o.Endpoint.Host
	have, err := a.current(ctx)
	if err != nil && !a.byItself() {
		return false, a.unread(err)
	}
	if have.token() != token && !again {
		return true, nil
	}
	if len(c.scopes) == 0 || have.covers(c.scopes) { // again says nothing of scopes: it may be the token that had ended
		return false, wire.Errorf(wire.KindHTTP, "403", "%s refuses this although you have signed in; your account there may not be allowed to do it", host)
	}
	scopes := strings.Join(c.scopes, " ")
	if a.byItself() {
		return false, wire.Errorf(wire.KindHTTP, "403", "%s wants the scopes %s for this; name them in the configuration of the server", host, clip(scopes))
	}
	a.mu.Lock()
	if c.metadata == "" {
		c.metadata = a.challenge.metadata // some servers say with 401 only where it is
	}
	a.challenge = c
	a.wanted = validScopes(union(a.wanted, c.scopes)) // bounded: the endpoint may want others each time
	a.mu.Unlock()
	a.o.Changed()
	return false, wire.Errorf(wire.KindScope, scopes, "%s wants you to allow more (%s); to sign in again, run: mcp-editord signin %s",
		host, clip(scopes), safetext.ShellWord(a.o.Server))
}

// needed is the error of a request for which somebody has to sign in.
func (a *Authorizer) needed(why string, args ...any) *wire.Error {
	e := wire.Errorf(wire.KindSignInNeeded, "", why, args...)
	e.Message = a.o.Endpoint.Host + " wants you to sign in: " + e.Message + "; run: mcp-editord signin " + safetext.ShellWord(a.o.Server)
	return e
}

// unread is the error of a request for which the store does not say whether somebody has signed in.
func (a *Authorizer) unread(err error) *wire.Error {
	if errors.Is(err, secrets.ErrNoKeyring) {
		return a.needed(notYet) // State says where credentials are kept
	}
	return a.needed("%v", err)
}

// byItself reports whether the client gets its tokens without a person. It does so whatever the store
// says: a machine where nobody signs in often has no keyring.
func (a *Authorizer) byItself() bool { return a.o.Config.Grant == GrantClientCredentials }

const notYet = "nobody has signed in yet"

// Unread reports whether the store was asked and has never answered, so that nobody knows what it has.
func (a *Authorizer) Unread() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asked && !a.read
}

// StoreMoved hears that the store keeps credentials in another place, and no longer has those of before.
func (a *Authorizer) StoreMoved() {
	a.mu.Lock()
	a.cred, a.asked, a.read = nil, false, false
	a.mu.Unlock()
	a.o.Changed()
}

// current returns the credentials, nil for none. It reads the store once, and not at all before anybody
// has signed in: most servers need no sign-in, and a locked keyring would ask the person for a password.
// The error says why the store does not answer.
func (a *Authorizer) current(ctx context.Context) (*credentials, error) {
	a.mu.Lock()
	c, read := a.cred, a.read
	a.mu.Unlock()
	if read || !a.known() {
		return c, nil
	}
	return a.reread(ctx)
}

// known reports whether the store may have credentials. It has some that it does not know of where nobody
// could take their lock.
func (a *Authorizer) known() bool {
	a.mu.Lock()
	used := a.cred != nil
	a.mu.Unlock()
	return used || a.o.Store.Known(a.o.Name)
}

// scopes returns what to ask for: "Use scope parameter from the initial WWW-Authenticate header in the
// 401 response, if provided. If scope is not available, use all scopes defined in scopes_supported",
// which the configuration may replace; and "the union of the client's previously requested scope set and
// the scopes from the current challenge" (MCP 2026-07-28, Scope Selection Strategy and Step-Up
// Authorization Flow).
func (a *Authorizer) scopes(c *credentials, d *destination) []string {
	a.mu.Lock()
	challenged, wanted := a.challenge.scopes, a.wanted
	a.mu.Unlock()
	scopes := d.scopes
	if len(challenged) > 0 {
		scopes = challenged
	}
	if c != nil && sameIssuer(c.Issuer, d.server.Issuer) {
		scopes = union(union(c.Requested, c.Scopes), scopes)
	}
	if a.o.Config.Scopes != nil {
		scopes = a.o.Config.Scopes
	}
	scopes = union(scopes, wanted)
	// "MAY add offline_access to the scope parameter of the authorization and token requests when the
	// Authorization Server metadata contains it in scopes_supported" (ibid., Refresh Tokens).
	if a.o.Config.Grant == GrantAuthorizationCode && a.o.Config.Enterprise == nil && slices.Contains(d.server.ScopesSupported, scopeOffline) {
		scopes = union(scopes, []string{scopeOffline})
	}
	return scopes
}

const scopeOffline = "offline_access"
