package authserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Grant types and ways to authenticate a client.
const (
	grantCode     = "authorization_code"
	grantRefresh  = "refresh_token"
	grantClient   = "client_credentials"
	grantExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
	grantBearer   = "urn:ietf:params:oauth:grant-type:jwt-bearer"

	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
	methodKey   = "private_key_jwt"
)

// How long things last.
const (
	codeLife    = time.Minute
	accessLife  = time.Hour
	refreshLife = 24 * time.Hour
)

// subject is the person who signs in.
const subject = "ada"

// An authority is one authorization server.
type authority struct {
	s     *Server
	name  string
	front *front
	key   *ecdsa.PrivateKey // signs id tokens and ID-JAGs

	mu       sync.Mutex // guards the fields that follow, and what they lead to
	clients  map[string]*Client
	requests map[string]*request // authorization requests, by the name that the consent page has for them
	codes    map[string]*code
	tokens   map[string]*token
	seen     map[string]bool // ids of client assertions and ID-JAGs
}

// A request is an authorization request that waits for the person.
type request struct {
	client      *Client
	redirectURI string
	state       string
	challenge   string
	resource    string
	nonce       string
	scopes      []string
}

// A code is what an authorization request gave.
type code struct {
	*request
	grant   *grant
	expires time.Time
	used    bool
}

// A grant is what one consent gave, and everything that came of it: revoking it revokes all.
type grant struct {
	client   string
	resource string
	scopes   []string
	nonce    string
	revoked  bool
}

// A token is an access token or a refresh token.
type token struct {
	*grant
	kind    string // "access" or "refresh"
	scopes  []string
	expires time.Time
	revoked bool
	used    bool // a refresh token that was rotated
}

// token returns a token of a kind, or nil. a.mu is held.
func (a *authority) token(kind, text string) *token {
	if t := a.tokens[text]; t != nil && t.kind == kind {
		return t
	}
	return nil
}

func (t *token) valid() bool {
	return !t.revoked && !t.grant.revoked && time.Now().Before(t.expires)
}

func newAuthority(s *Server, name string) *authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // there is no randomness
	}
	return &authority{s: s, name: name, front: newFront(name), key: key,
		clients: map[string]*Client{}, requests: map[string]*request{}, codes: map[string]*code{},
		tokens: map[string]*token{}, seen: map[string]bool{}}
}

// issuer is the issuer, below which the endpoints are.
func (a *authority) issuer() string { return a.front.url() }

// routes puts the endpoints on the front.
func (a *authority) routes() {
	add := func(pattern, name string, do http.HandlerFunc) {
		a.front.mux.HandleFunc(pattern, a.s.endpoint(a.name, name, do))
	}
	add("GET /.well-known/openid-configuration", "metadata", a.metadata)
	add("GET /authorize", "authorize", a.authorize)
	add("GET /consent", "consent", a.consent)
	add("POST /token", "token", a.exchange)
	add("POST /revoke", "revoke", a.revoke)
	if a.name != "idp" {
		add("GET /.well-known/oauth-authorization-server", "metadata", a.metadata)
		if !a.s.options.NoRegistration {
			add("POST /register", "register", a.register)
		}
	}
	add("/", "unknown", http.NotFound)
}

// page shows an error to the person. An error of which the client must not hear comes so: "the
// authorization server MUST NOT automatically redirect the user-agent to the invalid redirect
// URI" (OAuth 2.1, section 4.1.2.1).
func (a *authority) page(w http.ResponseWriter, r *http.Request, text string) {
	a.s.problem(r, text)
	answer(w, http.StatusBadRequest, "text/plain; charset=utf-8", text+"\n")
}

// reply answers with JSON that nobody may keep.
func reply(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Cache-Control", "no-store")
	b, err := json.Marshal(value)
	if err != nil {
		panic(err) // values are ours
	}
	answer(w, status, "application/json", string(b))
}

// fail answers with an OAuth error, and records what was wrong.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, status int, code, text string) {
	s.problem(r, code+": "+text)
	reply(w, status, map[string]any{"error": code, "error_description": text})
}
