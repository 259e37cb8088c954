package authserver

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
)

// An Entry is a request that came to one of the servers.
type Entry struct {
	Server        string // "issuer", "second", "idp" or "resource"
	Endpoint      string
	Method        string
	URL           string // path and query
	Form          url.Values
	Authorization string // the header
	Problem       string // what the server found wrong, in words
}

// Counts say what has happened since the start.
type Counts struct {
	Requests      map[string]int `json:"requests"` // by endpoint, over all servers; "unknown" is anything else
	Codes         int            `json:"codes"`
	AccessTokens  int            `json:"accessTokens"`
	Refreshes     int            `json:"refreshes"`     // answered with tokens
	RefreshReuses int            `json:"refreshReuses"` // of a refresh token that was used before
	Registrations int            `json:"registrations"`
	Revocations   int            `json:"revocations"`
	Executions    map[string]int `json:"executions"` // by tool: how often it was carried out
	Calls         map[string]int `json:"calls"`      // by the argument `id` of a tool: how often it was carried out
}

// A recorder keeps what happened.
type recorder struct {
	mu      sync.Mutex // guards the fields that follow
	entries []*Entry
	counts  Counts
	secrets []string
	changed chan struct{} // closed and replaced when something changes
}

func newRecorder() *recorder {
	return &recorder{changed: make(chan struct{}), counts: Counts{Requests: map[string]int{}, Executions: map[string]int{}, Calls: map[string]int{}}}
}

// change changes what is recorded, and wakes who waits for it.
func (r *recorder) change(do func(*Counts)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do(&r.counts)
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *recorder) secret(text string) {
	if text != "" {
		r.change(func(*Counts) { r.secrets = append(r.secrets, text) })
	}
}

// begin records a request.
func (r *recorder) begin(server, endpoint string, request *http.Request) *Entry {
	e := &Entry{Server: server, Endpoint: endpoint, Method: request.Method, URL: request.URL.RequestURI(),
		Form: request.PostForm, Authorization: request.Header.Get("Authorization")}
	r.change(func(c *Counts) {
		r.entries = append(r.entries, e)
		c.Requests[endpoint]++
	})
	return e
}

func (r *recorder) snapshot() (Counts, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.counts
	c.Requests, c.Executions, c.Calls = maps.Clone(c.Requests), maps.Clone(c.Executions), maps.Clone(c.Calls)
	return c, r.changed
}

// Counts returns what has happened since the start.
func (s *Server) Counts() Counts {
	c, _ := s.record.snapshot()
	return c
}

// Record returns every request since the start, in the order in which they came.
func (s *Server) Record() []Entry {
	s.record.mu.Lock()
	defer s.record.mu.Unlock()
	out := make([]Entry, len(s.record.entries))
	for i, e := range s.record.entries {
		out[i] = *e
	}
	return out
}

// Secrets returns everything that no log, file or page of a client may have: access tokens,
// refresh tokens, codes, client secrets, id tokens and ID-JAGs that the servers made, and the
// code verifiers, client assertions and Basic credentials that clients sent.
func (s *Server) Secrets() []string {
	s.record.mu.Lock()
	defer s.record.mu.Unlock()
	return slices.Clone(s.record.secrets)
}

// Await waits until the counts are as a test wants them. It returns the error of ctx.
func (s *Server) Await(ctx context.Context, want func(Counts) bool) error {
	for {
		counts, changed := s.record.snapshot()
		if want(counts) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
