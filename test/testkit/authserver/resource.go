package authserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	prmPath   = "/.well-known/oauth-protected-resource"
	otherPath = "/elsewhere" // of the metadata that only the header names

	maxMessage = 4 << 20 // bytes of a message to the MCP server
)

// resource is the protected MCP server.
type resource struct {
	s     *Server
	front *front
	tools *tools
}

func newResource(s *Server) *resource {
	return &resource{s: s, front: newFront("resource"), tools: newTools(s)}
}

func (p *resource) url() string { return "http://" + p.front.addr + p.s.options.ResourcePath }

// id is the identifier of the MCP server as a resource.
func (p *resource) id() string {
	if p.s.options.OriginResource {
		return "http://" + p.front.addr
	}
	return p.url()
}

// paths returns the paths of the metadata; the header names the first. "Any terminating slash
// (/) following the host component MUST be removed before inserting" (RFC 9728, section 3.1).
func (p *resource) paths() []string {
	var paths []string
	below := p.s.options.ResourcePath
	if below == "/" {
		below = ""
	}
	for _, at := range p.s.options.ResourceMetadataAt {
		path := map[string]string{"path": prmPath + below, "root": prmPath, "other": otherPath}[at]
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

func (p *resource) metadataURL() string { return "http://" + p.front.addr + p.paths()[0] }

// routes puts the endpoints on the front.
func (p *resource) routes() {
	for _, path := range p.paths() {
		p.front.mux.HandleFunc(exact(path), p.s.endpoint("resource", "resourceMetadata", only(http.MethodGet, p.metadata)))
	}
	p.front.mux.HandleFunc(exact(p.s.options.ResourcePath), p.s.endpoint("resource", "mcp", p.protect))
	if p.front.name == "resource" {
		p.front.mux.HandleFunc("/", p.s.endpoint("resource", "unknown", http.NotFound))
	}
}

// exact is the pattern of a path and of nothing below it.
func exact(path string) string {
	if strings.HasSuffix(path, "/") {
		return path + "{$}"
	}
	return path
}

// authority is the authorization server whose tokens the MCP server takes.
func (p *resource) authority(knobs *Knobs) *authority {
	if knobs.Moved {
		return p.s.second
	}
	return p.s.first
}

// metadata answers with the metadata of the MCP server (RFC 9728).
func (p *resource) metadata(w http.ResponseWriter, _ *http.Request) {
	knobs := p.s.Knobs()
	reply(w, http.StatusOK, p.s.overlay(map[string]any{
		"resource":                 p.id(),
		"authorization_servers":    []string{p.authority(&knobs).issuer()},
		"scopes_supported":         []string{"mcp"},
		"bearer_methods_supported": []string{"header"},
		"resource_name":            "An MCP server for tests",
	}, knobs.ResourceMetadata))
}

// protect lets only requests with a valid access token through to MCP.
func (p *resource) protect(w http.ResponseWriter, r *http.Request) {
	knobs := p.s.Knobs()
	if r.URL.Query().Has("access_token") {
		p.s.problem(r, "the access token is in the URL")
		answer(w, http.StatusBadRequest, "text/plain; charset=utf-8", "access tokens must not be in the URL\n")
		return
	}
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		p.challenge(w, r, &knobs, http.StatusUnauthorized, "", "no access token")
		return
	}
	scheme, text, _ := strings.Cut(headers[0], " ")
	if len(headers) > 1 || !strings.EqualFold(scheme, "Bearer") {
		p.challenge(w, r, &knobs, http.StatusUnauthorized, "invalid_request", "one Authorization header with Bearer is expected")
		return
	}
	scopes, problem := p.check(&knobs, strings.TrimSpace(text))
	if problem != "" {
		p.challenge(w, r, &knobs, http.StatusUnauthorized, "invalid_token", problem)
		return
	}
	admin, err := callsAdmin(w, r)
	if err != nil {
		p.s.problem(r, err.Error())
		answer(w, http.StatusRequestEntityTooLarge, "text/plain; charset=utf-8", err.Error()+"\n")
		return
	}
	needed := []string{"mcp"}
	if admin {
		needed = append(needed, "admin")
	}
	for _, scope := range needed {
		if !slices.Contains(scopes, scope) || scope == "admin" && knobs.InsufficientScope {
			p.challenge(w, r, &knobs, http.StatusForbidden, scope, "the access token lacks the scope "+scope)
			return
		}
	}
	p.tools.handler.ServeHTTP(w, r)
}

// check returns the scopes of an access token, or what is wrong with it.
func (p *resource) check(knobs *Knobs, text string) (scopes []string, problem string) {
	if knobs.RefuseTokens {
		return nil, "as a knob says"
	}
	a := p.authority(knobs)
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.access[text]
	switch {
	case t == nil:
		return nil, "the access token is not known"
	case t.resource != p.id():
		return nil, "the access token is for another audience"
	case t.revoked || t.grant.revoked:
		return nil, "the access token was revoked"
	case !t.valid(time.Now()):
		return nil, "the access token has expired"
	}
	if t.uses++; knobs.TokenUses > 0 && t.uses >= knobs.TokenUses {
		t.revoked = true
	}
	return t.scopes, ""
}

// callsAdmin tells whether the request calls the tool admin. It puts the body back, and fails
// for one that is too long.
func callsAdmin(w http.ResponseWriter, r *http.Request) (bool, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		return false, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	type message struct {
		Method string
		Params struct{ Name string }
	}
	var many []message
	if json.Unmarshal(body, &many) != nil {
		many = make([]message, 1)
		_ = json.Unmarshal(body, &many[0])
	}
	return slices.ContainsFunc(many, func(m message) bool { return m.Method == "tools/call" && m.Params.Name == "admin" }), nil
}

// challenge refuses a request. With status 403, code is the scope that is missing.
func (p *resource) challenge(w http.ResponseWriter, r *http.Request, knobs *Knobs, status int, code, text string) {
	p.s.problem(r, text)
	var parts []string
	if status == http.StatusForbidden {
		parts = append(parts, `error="insufficient_scope"`, fmt.Sprintf("scope=%q", code), fmt.Sprintf("error_description=%q", text))
	} else {
		if code != "" {
			parts = append(parts, fmt.Sprintf("error=%q", code), fmt.Sprintf("error_description=%q", text))
		}
		switch scope := knobs.ChallengeScope; scope {
		case "":
			parts = append(parts, `scope="mcp"`)
		case "-":
		default:
			parts = append(parts, fmt.Sprintf("scope=%q", scope))
		}
	}
	metadata := fmt.Sprintf("resource_metadata=%q", p.metadataURL())
	own := "Bearer " + strings.Join(append([]string{metadata}, parts...), ", ")
	var values []string
	switch knobs.Challenge {
	case "":
		values = []string{own}
	case "none":
	case "malformed":
		values = []string{`Bearer resource_metadata="` + p.metadataURL() + `, scope=mcp", ===,"`}
	case "several":
		values = []string{`Basic realm="a, Bearer resource_metadata=\"http://127.0.0.1:1/trap\"", ` + own + `, Digest realm="b", nonce="c"`, "Negotiate"}
	case "huge":
		values = []string{own + `, padding="` + strings.Repeat("a", 1<<20) + `"`}
	case "bare":
		values = []string{strings.TrimSpace("Bearer " + strings.Join(parts, ", "))}
	case "verbatim":
		for _, value := range knobs.ChallengeText {
			values = append(values, p.s.expand(value))
		}
	}
	for _, value := range values {
		w.Header().Add("WWW-Authenticate", value)
	}
	answer(w, status, "text/plain; charset=utf-8", text+"\n")
}
