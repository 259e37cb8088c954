package authserver

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"mime"
	"net/http"
	"reflect"
	"strconv"
)

// controlRoutes puts the control interface on its front. See the comment of the package.
func (s *Server) controlRoutes() {
	handle := func(pattern string, do func(*http.Request, []byte) (any, error)) {
		s.control.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			// No page in a browser can come this far: it would need this name or leave to send JSON.
			if r.Host != s.control.addr {
				http.Error(w, "the Host header must be "+s.control.addr, http.StatusForbidden)
				return
			}
			kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
			if r.Method != http.MethodGet && kind != "application/json" {
				http.Error(w, "the Content-Type must be application/json", http.StatusUnsupportedMediaType)
				return
			}
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
			var out any
			if err == nil {
				out, err = do(r, body)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			reply(w, http.StatusOK, out)
		})
	}
	handle("GET /control/urls", func(*http.Request, []byte) (any, error) { return s.URLs(), nil })
	handle("GET /control/knobs", func(*http.Request, []byte) (any, error) { return s.Knobs(), nil })
	handle("PUT /control/knobs", func(_ *http.Request, body []byte) (any, error) { return s.changeKnobs(Knobs{}, body) })
	handle("PATCH /control/knobs", func(_ *http.Request, body []byte) (any, error) { return s.changeKnobs(s.Knobs(), body) })
	handle("GET /control/counts", func(*http.Request, []byte) (any, error) { return s.Counts(), nil })
	handle("GET /control/secrets", func(*http.Request, []byte) (any, error) { return s.Secrets(), nil })
	handle("GET /control/record", s.readRecord)
	handle("POST /control/expire", func(_ *http.Request, body []byte) (any, error) { return named(body, s.Expire) })
	handle("POST /control/revoke", func(_ *http.Request, body []byte) (any, error) { return named(body, s.Revoke) })
	handle("POST /control/release", func(_ *http.Request, body []byte) (any, error) { return named(body, s.Release) })
	handle("POST /control/forget", func(*http.Request, []byte) (any, error) { s.Forget(); return struct{}{}, nil })
	handle("POST /control/browse", func(r *http.Request, body []byte) (any, error) {
		var in struct {
			Browser
			URL string `json:"url"`
		}
		if err := decode(body, &in); err != nil {
			return nil, err
		}
		return in.Visit(r.Context(), in.URL)
	})
}

// decode reads a JSON document, and refuses members that do not exist.
func decode(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// named calls do with the member name of the body.
func named(body []byte, do func(string) error) (any, error) {
	var in struct {
		Name string `json:"name"`
	}
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	return struct{}{}, do(in.Name)
}

// changeKnobs reads knobs over those that are given, and sets them.
func (s *Server) changeKnobs(knobs Knobs, body []byte) (any, error) {
	if err := decode(body, &knobs); err != nil {
		return nil, err
	}
	maps.DeleteFunc(knobs.Faults, func(_ string, f Fault) bool { return reflect.ValueOf(f).IsZero() })
	if err := s.Change(func(k *Knobs) { *k = knobs }); err != nil {
		return nil, err
	}
	return s.Knobs(), nil
}

// readRecord answers with the entries behind `after`. With `after` it waits until there is one.
func (s *Server) readRecord(r *http.Request, _ []byte) (any, error) {
	if !r.URL.Query().Has("after") {
		return s.Record(), nil
	}
	after, err := strconv.Atoi(r.URL.Query().Get("after"))
	if err != nil {
		return nil, err
	}
	for {
		entries, changed := s.record.after(after)
		if len(entries) > 0 {
			return entries, nil
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
}

// URLs are where the servers are.
type URLs struct {
	URL      string `json:"url"`      // of the MCP server
	Resource string `json:"resource"` // its identifier
	Issuer   string `json:"issuer"`
	Second   string `json:"second"`
	IDP      string `json:"idp,omitempty"`
	Control  string `json:"control"`
}

// URLs returns where the servers are.
func (s *Server) URLs() URLs {
	return URLs{URL: s.URL(), Resource: s.Resource(), Issuer: s.Issuer(), Second: s.SecondIssuer(), IDP: s.IDPIssuer(), Control: s.ControlURL()}
}
