package authserver

import (
	"net"
	"net/http"
	"time"
)

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

// listen takes the port.
func (f *front) listen() error {
	l, err := net.Listen("tcp", f.addr)
	if err == nil {
		f.listener = l
		if f.addr == "127.0.0.1:0" {
			f.addr = l.Addr().String()
		}
	}
	return err
}

// up serves, if the front does not.
func (f *front) up() error {
	if f.server != nil {
		return nil
	}
	if f.listener == nil {
		if err := f.listen(); err != nil {
			return err
		}
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
