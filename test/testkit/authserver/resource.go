package authserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/test/testkit/eras"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	resourcePath = "/mcp"
	maxMessage   = 4 << 20 // bytes of a message to the MCP server
)

// resource is the protected MCP server. It offers the tools echo and admin. Each takes
// {text, id}, answers with text, and counts in [Counts] that it was carried out.
type resource struct {
	s     *Server
	front *front
	tools *mcp.Server
	inner http.Handler // of the tools
}

func newResource(s *Server) *resource {
	p := &resource{s: s, front: newFront("resource")}
	p.tools = mcp.NewServer(&mcp.Implementation{Name: "authserver", Title: "A protected server", Version: "1.0.0"},
		&mcp.ServerOptions{SupportedProtocolVersions: s.options.Versions})
	p.inner = eras.Streamable(p.tools)
	for _, name := range []string{"echo", "admin"} {
		p.tools.AddTool(&mcp.Tool{
			Name: name, Description: "Answers with its text.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},"id":{"type":"string"}}}`),
		}, p.call)
	}
	return p
}

// call carries a tool out.
func (p *resource) call(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ Text, ID string }
	if err := json.Unmarshal(r.Params.Arguments, &in); err != nil && len(r.Params.Arguments) > 0 {
		return nil, err
	}
	p.s.record.change(func(c *Counts) {
		c.Executions[r.Params.Name]++
		if in.ID != "" {
			c.Calls[in.ID]++
		}
	})
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil
}

// metadataPath is where the metadata is.
func (p *resource) metadataPath() string {
	if p.s.options.MetadataElsewhere {
		return "/elsewhere"
	}
	return "/.well-known/oauth-protected-resource" + resourcePath
}

// routes puts the endpoints on the front.
func (p *resource) routes() {
	p.front.mux.HandleFunc("GET "+p.metadataPath(), p.s.endpoint("resource", "resourceMetadata", p.metadata))
	p.front.mux.HandleFunc(resourcePath, p.s.endpoint("resource", "mcp", p.protect))
	p.front.mux.HandleFunc("/", p.s.endpoint("resource", "unknown", http.NotFound))
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
	knobs := p.s.current()
	reply(w, http.StatusOK, p.s.overlay(map[string]any{
		"resource":                 p.s.Resource(),
		"authorization_servers":    []string{p.authority(&knobs).issuer()},
		"scopes_supported":         []string{"mcp"},
		"bearer_methods_supported": []string{"header"},
		"resource_name":            "An MCP server for tests",
	}, knobs.ResourceMetadata))
}

// protect lets only requests with a valid access token through to MCP.
func (p *resource) protect(w http.ResponseWriter, r *http.Request) {
	knobs := p.s.current()
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
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		p.s.problem(r, err.Error())
		answer(w, http.StatusRequestEntityTooLarge, "text/plain; charset=utf-8", err.Error()+"\n")
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	needed := []string{"mcp"}
	// What mentions the tool calls it, so that a batch hides no call.
	if bytes.Contains(body, []byte("tools/call")) && bytes.Contains(body, []byte(`"admin"`)) {
		needed = append(needed, "admin")
	}
	for _, scope := range needed {
		if !slices.Contains(scopes, scope) {
			p.challenge(w, r, &knobs, http.StatusForbidden, scope, "the access token lacks the scope "+scope)
			return
		}
	}
	p.inner.ServeHTTP(w, r)
}

// check returns the scopes of an access token, or what is wrong with it.
func (p *resource) check(knobs *Knobs, text string) (scopes []string, problem string) {
	if knobs.RefuseTokens {
		return nil, "as a knob says"
	}
	a := p.authority(knobs)
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.token("access", text)
	switch {
	case t == nil:
		return nil, "the access token is not known"
	case t.resource != p.s.Resource():
		return nil, "the access token is for another audience"
	case t.revoked || t.grant.revoked:
		return nil, "the access token was revoked"
	case !t.valid():
		return nil, "the access token has expired"
	}
	return t.scopes, ""
}

// challenge refuses a request. With status 403, code is the scope that is missing.
func (p *resource) challenge(w http.ResponseWriter, r *http.Request, knobs *Knobs, status int, code, text string) {
	p.s.problem(r, text)
	own := fmt.Sprintf("Bearer resource_metadata=%q", p.front.url()+p.metadataPath())
	scope := cmp.Or(knobs.ChallengeScope, "mcp")
	if status == http.StatusForbidden {
		scope, code = code, "insufficient_scope"
	}
	if code != "" {
		own += fmt.Sprintf(", error=%q, error_description=%q", code, text)
	}
	if scope != "-" {
		own += fmt.Sprintf(", scope=%q", scope)
	}
	w.Header().Set("WWW-Authenticate", own)
	answer(w, status, "text/plain; charset=utf-8", text+"\n")
}
