// Command authserver is the package authserver as a program, for the tests of both plugins.
//
// It prints one line of JSON with the URLs of the MCP server, of its issuer, and of the control
// interface, and ends when its standard input ends. Bodies of the control interface are JSON;
// errors are text, with status 400.
//
//	PUT  knobs     [authserver.Knobs]: replaces all of them
//	GET  counts    [authserver.Counts]
//	POST revoke    {"name": "access" or "refresh"}
//	POST release   {"name": endpoint}
//	POST browse    {"url": ..., and the members of authserver.Browser}: an [authserver.Visit]
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "authserver:", err)
		os.Exit(1)
	}
}

func run() error {
	s, err := authserver.Start(authserver.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	control := httptest.NewServer(controls(s))
	defer control.Close()
	urls := map[string]string{"url": s.URL(), "issuer": s.Issuer(), "control": control.URL}
	if err := json.NewEncoder(os.Stdout).Encode(urls); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// controls is the control interface.
func controls(s *authserver.Server) http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, do func(r *http.Request, d *json.Decoder) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			d := json.NewDecoder(r.Body)
			d.DisallowUnknownFields()
			out, err := do(r, d)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(out)
		})
	}
	named := func(pattern string, do func(name string) error) {
		handle(pattern, func(_ *http.Request, d *json.Decoder) (any, error) {
			var in struct{ Name string }
			if err := d.Decode(&in); err != nil {
				return nil, err
			}
			return struct{}{}, do(in.Name)
		})
	}
	handle("PUT /knobs", func(_ *http.Request, d *json.Decoder) (any, error) {
		var knobs authserver.Knobs
		if err := d.Decode(&knobs); err != nil {
			return nil, err
		}
		return struct{}{}, s.Change(func(k *authserver.Knobs) { *k = knobs })
	})
	handle("GET /counts", func(*http.Request, *json.Decoder) (any, error) { return s.Counts(), nil })
	named("POST /revoke", s.Revoke)
	named("POST /release", s.Release)
	handle("POST /browse", func(r *http.Request, d *json.Decoder) (any, error) {
		var in struct {
			authserver.Browser
			URL string
		}
		if err := d.Decode(&in); err != nil {
			return nil, err
		}
		return in.Visit(r.Context(), in.URL)
	})
	return mux
}
