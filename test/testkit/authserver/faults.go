package authserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
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
		form := readForm(r)
		entry := s.record.begin(server, name, r, form)
		r = r.WithContext(context.WithValue(r.Context(), entryKey{}, entry))
		w = &watched{ResponseWriter: w, status: func(code int) { s.record.change(func(*Counts) { entry.Status = code }) }}
		if fault, gate, ok := s.takeFault(name); ok {
			s.misbehave(w, r, fault, gate, next)
		} else {
			next(w, r)
		}
	}
}

// readForm reads the form of a request for the record, and puts the body back.
func readForm(r *http.Request) url.Values {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "application/x-www-form-urlencoded" {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxForm))
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	form, _ := url.ParseQuery(string(body))
	return form
}

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
	if !slices.Contains(Endpoints(), endpoint) {
		return fmt.Errorf("%q is not one of %s", endpoint, strings.Join(Endpoints(), ", "))
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
	for header, value := range fault.Headers {
		w.Header().Set(header, value)
	}
	switch fault.Do {
	case "hold":
		if opens(r.Context(), gate) {
			next(w, r)
		}
	case "late", "lose":
		kept := &kept{header: http.Header{}, status: http.StatusOK}
		next(kept, r)
		if fault.Do == "lose" || !opens(r.Context(), gate) {
			panic(http.ErrAbortHandler)
		}
		maps.Copy(w.Header(), kept.header)
		w.WriteHeader(kept.status)
		_, _ = w.Write(kept.body.Bytes())
	case "drop":
		panic(http.ErrAbortHandler)
	case "html":
		answer(w, http.StatusOK, "text/html; charset=utf-8", page)
	case "big":
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(bigBody))
		pour(w, bigBody)
	case "endless":
		w.Header().Set("Content-Type", "application/json")
		pour(w, -1)
	case "redirect":
		w.Header().Set("Location", s.expand(fault.Location))
		w.WriteHeader(http.StatusTemporaryRedirect)
	case "status":
		kind := fault.Type
		if kind == "" {
			kind = "text/html; charset=utf-8"
		}
		answer(w, max(fault.Status, 200), kind, fault.Body)
	case "error":
		status := fault.Status
		if status == 0 {
			status = http.StatusBadRequest
		}
		s.fail(w, r, status, fault.Error, "as a knob says")
	}
}

// pour writes so many bytes of a JSON string that does not end, or writes without end when
// size is negative. It stops when the client goes.
func pour(w io.Writer, size int) {
	more := strings.Repeat("a", 64<<10)
	for chunk := `{"issuer":"`; size != 0; chunk = more {
		if size > 0 {
			chunk = chunk[:min(size, len(chunk))]
			size -= len(chunk)
		}
		if _, err := io.WriteString(w, chunk); err != nil {
			return
		}
	}
}

// answer writes a whole answer.
func answer(w http.ResponseWriter, status int, kind, body string) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// kept is an answer that is not sent yet.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *kept) Header() http.Header         { return k.header }
func (k *kept) WriteHeader(status int)      { k.status = status }
func (k *kept) Write(b []byte) (int, error) { return k.body.Write(b) }
func (k *kept) Flush()                      {}

// watched tells the status of an answer.
type watched struct {
	http.ResponseWriter
	status func(int)
	told   bool
}

func (w *watched) WriteHeader(code int) {
	if !w.told {
		w.told = true
		w.status(code)
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *watched) Write(b []byte) (int, error) {
	if !w.told {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// Flush makes streams of events flow.
func (w *watched) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Unwrap is for http.ResponseController.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }
