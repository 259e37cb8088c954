package authserver

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// A Server is the authorization servers, the MCP server behind them, and the control
// interface. All listen on 127.0.0.1 only.
type Server struct {
	options  Options
	record   *recorder
	first    *authority // the authorization server
	second   *authority // another one, which the MCP server names when Knobs.Moved is set
	idp      *authority // the identity provider, or nil
	resource *resource
	control  *front

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

// Start starts the servers. It fails for options and knobs that do not exist.
func Start(options Options) (*Server, error) {
	if err := options.complete(); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	s := &Server{options: options, record: newRecorder(), knobs: options.Knobs.clone(), gates: map[string]chan struct{}{}}
	s.first = newAuthority(s, "issuer", options.IssuerPath)
	s.second = newAuthority(s, "second", options.IssuerPath)
	s.resource = newResource(s)
	if len(options.IDPClients) > 0 {
		s.idp = newAuthority(s, "idp", "")
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
	for _, a := range s.authorities() {
		clients := s.options.Clients
		switch a {
		case s.idp:
			clients = s.options.IDPClients
		case s.second:
			clients = nil
		}
		for _, c := range clients {
			if err := c.complete(s.options.Canary); err != nil {
				return err
			}
			a.clients[c.ID] = &c
			s.record.secret(c.Secret)
		}
		a.routes()
	}
	if s.options.OneOrigin {
		s.resource.front = s.first.front
	}
	s.resource.routes()
	s.control = newFront("control")
	s.controlRoutes()
	for _, f := range s.fronts() {
		if err := f.listen(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) authorities() []*authority {
	all := []*authority{s.first, s.second}
	if s.idp != nil {
		all = append(all, s.idp)
	}
	return all
}

// fronts returns every listener.
func (s *Server) fronts() []*front {
	all := []*front{s.resource.front}
	for _, a := range s.authorities() {
		all = append(all, a.front)
	}
	if s.control != nil {
		all = append(all, s.control)
	}
	return slices.Compact(all)
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
	s.resource.tools.close()
}

// URL returns the URL of the MCP server.
func (s *Server) URL() string { return s.resource.url() }

// Resource returns the identifier of the MCP server, for `resource`: its URL, unless
// [Options.OriginResource] is set.
func (s *Server) Resource() string { return s.resource.id() }

// Issuer returns the issuer of the authorization server.
func (s *Server) Issuer() string { return s.first.issuer() }

// SecondIssuer returns the issuer of the authorization server of [Knobs.Moved].
func (s *Server) SecondIssuer() string { return s.second.issuer() }

// IDPIssuer returns the issuer of the identity provider, or "" without one.
func (s *Server) IDPIssuer() string {
	if s.idp == nil {
		return ""
	}
	return s.idp.issuer()
}

// Endpoint returns the URL of an endpoint of the first authorization server, such as "token".
func (s *Server) Endpoint(name string) string { return s.first.base() + "/" + name }

// IDPEndpoint returns the URL of an endpoint of the identity provider.
func (s *Server) IDPEndpoint(name string) string { return s.idp.base() + "/" + name }

// ControlURL returns the URL of the control interface.
func (s *Server) ControlURL() string { return "http://" + s.control.addr + "/control" }

// Client returns a client of the authorization server as it is registered, with the secret
// that was made up for it. It returns nil for an unknown client.
func (s *Server) Client(id string) *Client {
	s.first.mu.Lock()
	defer s.first.mu.Unlock()
	if c := s.first.clients[id]; c != nil {
		copied := *c
		return &copied
	}
	return nil
}

// random returns 160 random bits as text that is safe in a URL.
func random() string {
	b := make([]byte, 20)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}
