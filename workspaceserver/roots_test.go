package workspaceserver

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// rootsClient connects a client that reports each roots/list that it
// answers and each change of the resources.
func rootsClient(t *testing.T, s *server, roots ...string) (client *mcp.Client, session *mcp.ClientSession, asked, changed chan struct{}) {
	asked, changed = make(chan struct{}, 100), make(chan struct{}, 100)
	client, session = connect(t, s, "2025-11-25", &mcp.ClientOptions{
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { changed <- struct{}{} },
	}, roots...)
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			if method == "roots/list" {
				asked <- struct{}{}
			}
			return result, err
		}
	})
	return client, session, asked, changed
}

func TestRootsChange(t *testing.T) {
	one, two := tree(t, map[string]string{"README.md": "x"}), tree(t, map[string]string{"b": ""})
	client, session, asked, changed := rootsClient(t, newServer("1", t.TempDir()), one)

	if len(asked) != 0 {
		t.Error("asked before there was a need")
	}
	list, err := session.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 1 {
		t.Fatalf("resources: %+v, %v", list, err)
	}
	client.AddRoots(&mcp.Root{URI: fileuri.FromPath(two)})
	<-changed
	client.RemoveRoots(fileuri.FromPath(one))
	<-changed

	if list, err = session.ListResources(t.Context(), nil); err != nil || len(list.Resources) != 0 {
		t.Errorf("resources: %+v, %v", list, err)
	}
	var found findOutput
	call(t, session, "find_files", map[string]any{"pattern": ""}, &found)
	if want := []string{filepath.Join(two, "b")}; !slices.Equal(found.Files, want) {
		t.Errorf("found %q, want %q", found.Files, want)
	}
}

// A search goes on in the folders that it began with.
func TestRootsChangeDuringSearch(t *testing.T) {
	one, two := tree(t, map[string]string{"a": "text"}), tree(t, map[string]string{"b": "text"})
	s := newServer("1", t.TempDir())
	for range maxWalks { // so that the search waits
		s.walks <- struct{}{}
	}
	client, session, asked, changed := rootsClient(t, s, one)
	answers := make(chan searchOutput, 1)
	search := func() {
		var out searchOutput
		if text, isError := call(t, session, "search_text", map[string]any{"query": "text"}, &out); isError {
			t.Error(text)
		}
		answers <- out
	}
	go search()
	<-asked
	client.AddRoots(&mcp.Root{URI: fileuri.FromPath(two)})
	client.RemoveRoots(fileuri.FromPath(one))
	<-changed
	for range maxWalks {
		<-s.walks
	}
	for _, want := range []string{filepath.Join(one, "a"), filepath.Join(two, "b")} {
		if out := <-answers; len(out.Matches) != 1 || out.Matches[0].File != want {
			t.Errorf("got %+v, want a match in %s", out, want)
		}
		go search()
	}
	<-answers
}

// At 2026-07-28 there is no list_changed: every call carries the current roots.
func TestRootsOfEachCall(t *testing.T) {
	one, two := tree(t, map[string]string{"README": ""}), tree(t, map[string]string{"b": ""})
	client, session := connect(t, newServer("1", t.TempDir()), "2026-07-28", nil, one)
	finds := func(want string) {
		t.Helper()
		var found findOutput
		call(t, session, "find_files", map[string]any{"pattern": ""}, &found)
		if !slices.Equal(found.Files, []string{want}) {
			t.Errorf("found %q, want %q", found.Files, want)
		}
	}
	finds(filepath.Join(one, "README"))
	// A listing cannot carry a question: it goes by the last answer.
	if list, err := session.ListResources(t.Context(), nil); err != nil || len(list.Resources) != 1 {
		t.Errorf("resources: %+v, %v", list, err)
	}
	client.RemoveRoots(fileuri.FromPath(one))
	client.AddRoots(&mcp.Root{URI: fileuri.FromPath(two)})
	finds(filepath.Join(two, "b"))
}
