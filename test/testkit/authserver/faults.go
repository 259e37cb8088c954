package authserver

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
)

const (
	maxForm = 64 << 10 // bytes of a form, and of a registration
	bigBody = 2 << 30  // bytes of the fault big
)

type entryKey struct{}

// problem records what the server found wrong with a request.
func (s *Server) problem(r *http.Request, text string) {
	if e, ok := r.Context().Value(entryKey{}).(*Entry); ok {
		s.record.change(func(*Counts) { e.Problem = text })
	}
}

// endpoint wraps a handler: it records the request, and the endpoint's fault comes before it.
func (s *Server) endpoint(server, name string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == formType {
			r.Body = http.MaxBytesReader(w, r.Body, maxForm)
			_ = r.ParseForm() // what is no form lacks what it must have
		}
		entry := s.record.begin(server, name, r)
		r = r.WithContext(context.WithValue(r.Context(), entryKey{}, entry))
		if fault, gate, ok := s.takeFault(name); ok {
			s.misbehave(w, r, fault, gate, next)
		} else {
			next(w, r)
		}
	}
}

// formType is the type of a form.
const formType = "application/x-www-form-urlencoded"

// takeFault returns the fault of an endpoint, and counts it. For the faults that hold, the gate
// is what a release from now on closes.
func (s *Server) takeFault(name string) (fault Fault, gate <-chan struct{}, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fault, ok = s.knobs.Faults[name]
	if ok && fault.Times > 0 {
		left := fault
		if left.Times--; left.Times == 0 {
			delete(s.knobs.Faults, name)
		} else {
			s.knobs.Faults[name] = left
		}
	}
	if ok && s.gates[name] == nil {
		s.gates[name] = make(chan struct{})
	}
	return fault, s.gates[name], ok
}

// Release lets go what the faults hold and late of an endpoint hold, and ends these faults. It
// fails for an endpoint that does not exist.
func (s *Server) Release(endpoint string) error {
	if !slices.Contains(endpoints, endpoint) {
		return fmt.Errorf("%q is not an endpoint", endpoint)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.knobs.Faults[endpoint]; f.Do == "hold" || f.Do == "late" {
		delete(s.knobs.Faults, endpoint)
	}
	if gate := s.gates[endpoint]; gate != nil {
		close(gate)
		delete(s.gates, endpoint)
	}
	return nil
}

// opens waits until the gate is open. It returns whether it is: the client may go first.
func opens(ctx context.Context, gate <-chan struct{}) bool {
	select {
	case <-gate:
		return true
	case <-ctx.Done():
		return false
	}
}

// misbehave answers a request as its fault says.
func (s *Server) misbehave(w http.ResponseWriter, r *http.Request, fault Fault, gate <-chan struct{}, next http.HandlerFunc) {
	const page = "<!doctype html><title>Sign in to the network</title><script>alert(1)</script><h1>Welcome</h1>"
	switch fault.Do {
	case "hold":
		if opens(r.Context(), gate) {
			next(w, r)
		}
	case "late", "lose":
		kept := httptest.NewRecorder()
		next(kept, r)
		if fault.Do == "lose" || !opens(r.Context(), gate) {
			panic(http.ErrAbortHandler)
		}
		maps.Copy(w.Header(), kept.Header())
		w.WriteHeader(kept.Code)
		_, _ = w.Write(kept.Body.Bytes())
	case "drop":
		panic(http.ErrAbortHandler)
	case "html":
		answer(w, http.StatusOK, "text/html; charset=utf-8", page)
	case "big":
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(bigBody))
		pour(w)
	case "endless":
		w.Header().Set("Content-Type", "application/json")
		pour(w)
	case "redirect":
		w.Header().Set("Location", s.expand(fault.Location))
		w.WriteHeader(http.StatusTemporaryRedirect)
	case "status":
		answer(w, max(fault.Status, 200), "text/html; charset=utf-8", fault.Body)
	case "error":
		s.fail(w, r, cmp.Or(fault.Status, http.StatusBadRequest), fault.Error, "as a knob says")
	}
}

// pour writes a JSON string that does not end. It stops when the client goes, or has what was
// announced.
func pour(w io.Writer) {
	more := strings.Repeat("a", 64<<10)
	for chunk, err := `{"issuer":"`, error(nil); err == nil; chunk = more {
		_, err = io.WriteString(w, chunk)
	}
}

// answer writes a whole answer.
func answer(w http.ResponseWriter, status int, kind, body string) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}
