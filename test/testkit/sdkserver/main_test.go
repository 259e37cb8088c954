package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/eras"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// client returns a client that answers everything.
func client(t *testing.T, transport mcp.Transport, version string) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{
			RootsV2:     &mcp.RootCapabilities{},
			Sampling:    &mcp.SamplingCapabilities{Tools: &mcp.SamplingToolsCapabilities{}},
			Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
		},
		CreateMessageWithToolsHandler: func(context.Context, *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			return &mcp.CreateMessageWithToolsResult{Role: "assistant", Model: "m", Content: []mcp.Content{&mcp.TextContent{Text: "hello"}}}, nil
		},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if r.Params.Mode == "url" {
				return &mcp.ElicitResult{Action: "accept"}, nil
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
	})
	c.AddRoots(&mcp.Root{URI: "file:///r"})
	session, err := c.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// listen serves a handler until the test ends and returns the URL.
func listen(t *testing.T, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// TestEverything uses the whole server in every version on every transport that has the
// version.
func TestEverything(t *testing.T) {
	for _, version := range mcp.SupportedProtocolVersions() {
		transports := map[string]func(*mcp.Server) mcp.Transport{
			"pipe": func(server *mcp.Server) mcp.Transport {
				ours, theirs := mcp.NewInMemoryTransports()
				if _, err := server.Connect(t.Context(), theirs, nil); err != nil {
					t.Fatal(err)
				}
				return ours
			},
			"http": func(server *mcp.Server) mcp.Transport {
				return &mcp.StreamableClientTransport{Endpoint: listen(t, eras.Streamable(server, false))}
			},
			"sse": func(server *mcp.Server) mcp.Transport {
				return &mcp.SSEClientTransport{Endpoint: listen(t, mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil))}
			},
		}
		if version >= eras.FirstModern {
			delete(transports, "sse")
		}
		for name, dial := range transports {
			t.Run(version+" "+name, func(t *testing.T) {
				c := client(t, dial(newServer(version)), version)
				if got := c.InitializeResult().ProtocolVersion; got != version {
					t.Fatalf("the server speaks %s", got)
				}
				checkTools(t, c, version)
				got, err := c.Complete(t.Context(), &mcp.CompleteParams{
					Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "greet"},
					Argument: mcp.CompleteParamsArgument{Name: "city", Value: "P"},
					Context:  &mcp.CompleteContext{Arguments: map[string]string{"country": "France"}},
				})
				if err != nil || !slices.Equal(got.Completion.Values, []string{"Paris", "Pau"}) {
					t.Errorf("the completion is %+v, %v", got, err)
				}
				read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "test://item/7"})
				if err != nil || read.Contents[0].Text != "the text of test://item/7" {
					t.Errorf("the item is %+v, %v", read, err)
				}
			})
		}
	}
}

func checkTools(t *testing.T, c *mcp.ClientSession, version string) {
	t.Helper()
	page, err := c.ListTools(t.Context(), nil)
	if err != nil || len(page.Tools) != 10 || page.NextCursor == "" {
		t.Fatalf("the first page is %+v, %v", page, err)
	}
	var names []string
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	if len(names) != 25 {
		t.Errorf("there are %d tools: %v", len(names), names)
	}
	wants := map[string]string{
		"ask_roots": "file:///r", "ask_sampling": "hello", "ask_form": `"name":"Ada"`, "ask_url": "accept", "ask_all": "file:///r",
		"ask_sampling_tools": "hello", "structured": "22.5", "echo": "hi", "image": "image/png", "audio": "audio/wav", "error": "always fails",
		"progress": "done", "log": "logged", "header": `"n":7`, "change_tools": "new-",
	}
	if version < "2025-11-25" {
		delete(wants, "ask_url") // the version has none
	}
	for tool, want := range wants {
		result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{
			"message": "hi", "level": "info", "steps": 2, "region": "eu", "at": map[string]any{"n": 7}}})
		if err != nil {
			t.Errorf("%s: %v", tool, err)
			continue
		}
		if b, _ := json.Marshal(result); !strings.Contains(string(b), strings.ReplaceAll(want, `"`, `\"`)) || result.IsError != (tool == "error") {
			t.Errorf("%s answers %s, want %s in it", tool, b, want)
		}
	}
}

// TestBothErasAtOneURL lets the client choose its era.
func TestBothErasAtOneURL(t *testing.T) {
	url := listen(t, eras.Streamable(newServer(""), false))
	for _, version := range []string{"2026-07-28", "2025-06-18"} {
		c := client(t, &mcp.StreamableClientTransport{Endpoint: url}, version)
		if got := c.InitializeResult().ProtocolVersion; got != version || (c.ID() == "") != (version >= eras.FirstModern) {
			t.Errorf("asked for %s, the server speaks %s in session %q", version, got, c.ID())
		}
	}
}

func TestURLRequired(t *testing.T) {
	ours, theirs := mcp.NewInMemoryTransports()
	if _, err := newServer("").Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), ours, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	call := func(tool string) error {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
		return err
	}
	if err := call("url_required"); err == nil {
		t.Error("the tool works without the URL")
	}
	if err := call("complete_url"); err != nil {
		t.Error(err)
	}
	if err := call("url_required"); err != nil {
		t.Errorf("the tool fails after it was completed: %v", err)
	}
}
