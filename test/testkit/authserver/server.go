package authserver

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// A Server is the authorization servers, and the MCP server behind them. All listen on
// 127.0.0.1 only.
type Server struct {
	options  Options
	record   *recorder
	first    *authority // the authorization server
	second   *authority // another one, which the MCP server names when Knobs.Moved is set
	idp      *authority // the identity provider, or nil
	resource *resource

	mu    sync.Mutex               // guards the fields that follow
	knobs Knobs                    // as they are now; only replaced, but for Faults
	gates map[string]chan struct{} // by endpoint: closed when what it holds may go on

	moving sync.Mutex // held while fronts go up and down
}

// New starts the servers for a test, and stops them when it ends.
func New(t testing.TB, options Options) *Server {
	t.Helper()
	s, err := Start(options)
	if err != nil {
		t.Fatalf("starting the authorization server: %v", err)
	}
	t.Cleanup(s.Close)
	return s
}

// Start starts the servers. It fails for clients and knobs that cannot be.
func Start(options Options) (*Server, error) {
	options.Canary = cmp.Or(options.Canary, "canary")
	if err := options.Knobs.check(); err != nil {
		return nil, err
	}
	s := &Server{options: options, record: newRecorder(), knobs: options.Knobs.clone(), gates: map[string]chan struct{}{}}
	s.first, s.second = newAuthority(s, "issuer"), newAuthority(s, "second")
	s.resource = newResource(s)
	if len(options.IDPClients) > 0 {
		s.idp = newAuthority(s, "idp")
	}
	err := s.listen()
	if err == nil {
		err = s.setDown(s.knobs.Down)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// listen registers the clients and takes every port. Nothing is served before all have one,
// since the documents name them.
func (s *Server) listen() error {
	registered := map[*authority][]Client{s.first: s.options.Clients, s.idp: s.options.IDPClients}
	for _, a := range s.authorities() {
		for _, c := range registered[a] {
			if err := c.complete(s.options.Canary); err != nil {
				return err
			}
			a.clients[c.ID] = &c
			s.record.secret(c.Secret)
		}
		a.routes()
	}
	s.resource.routes()
	for _, f := range s.fronts() {
		if err := f.listen(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) authorities() []*authority {
	return slices.DeleteFunc([]*authority{s.first, s.second, s.idp}, func(a *authority) bool { return a == nil })
}

// fronts returns every listener.
func (s *Server) fronts() []*front {
	all := []*front{s.resource.front}
	for _, a := range s.authorities() {
		all = append(all, a.front)
	}
	return all
}

// setDown closes the listeners of these names and opens the others.
func (s *Server) setDown(names []string) error {
	s.moving.Lock()
	defer s.moving.Unlock()
	for _, f := range s.fronts() {
		if slices.Contains(names, f.name) {
			f.down()
		} else if err := f.up(); err != nil {
			return err
		}
	}
	return nil
}

// Close stops the servers and breaks every connection.
func (s *Server) Close() {
	s.moving.Lock()
	defer s.moving.Unlock()
	for _, f := range s.fronts() {
		f.down()
	}
	for session := range s.resource.tools.Sessions() {
		_ = session.Close()
	}
}

// URL returns the URL of the MCP server.
func (s *Server) URL() string { return s.resource.front.url() + resourcePath }

// Resource returns the identifier of the MCP server, for `resource`: its URL.
func (s *Server) Resource() string { return s.URL() }

// Issuer returns the issuer of the authorization server.
func (s *Server) Issuer() string { return s.first.issuer() }

// SecondIssuer returns the issuer of the authorization server of [Knobs.Moved].
func (s *Server) SecondIssuer() string { return s.second.issuer() }

// IDPIssuer returns the issuer of the identity provider.
func (s *Server) IDPIssuer() string { return s.idp.issuer() }

// random returns random text that is safe in a URL.
func random() string { return rand.Text() }

// secret makes a secret of a kind, with the canary.
func (s *Server) secret(kind string) string {
	text := s.options.Canary + "-" + kind + "-" + random()
	s.record.secret(text)
	return text
}

// A front is a listener on 127.0.0.1, and what it serves. It keeps its port while it is down.
// The owner makes calls of up and down one after the other.
type front struct {
	name     string
	addr     string // host and port, from the first listen on
	mux      *http.ServeMux
	listener net.Listener // nil while the front is down
	server   *http.Server // nil while the front does not serve
}

func newFront(name string) *front {
	return &front{name: name, addr: "127.0.0.1:0", mux: http.NewServeMux()}
}

func (f *front) url() string { return "http://" + f.addr }

// listen takes the port, if the front does not have it.
func (f *front) listen() (err error) {
	if f.listener != nil {
		return nil
	}
	if f.listener, err = net.Listen("tcp", f.addr); err != nil {
		return fmt.Errorf("listening for %s: %w", f.name, err)
	}
	f.addr = f.listener.Addr().String()
	return nil
}

// up serves, if the front does not.
func (f *front) up() error {
	if f.server != nil {
		return nil
	}
	if err := f.listen(); err != nil {
		return err
	}
	// No timeout for the answer: some last until a test lets them go.
	server, l := &http.Server{Handler: f.mux, ReadHeaderTimeout: 30 * time.Second}, f.listener
	f.server = server
	go func() { _ = server.Serve(l) }() // returns when down closes the server
	return nil
}

// down refuses connections and breaks those that are open.
func (f *front) down() {
	if f.server != nil {
		_ = f.server.Close()
	}
	if f.listener != nil {
		_ = f.listener.Close()
	}
	f.server, f.listener = nil, nil
}
