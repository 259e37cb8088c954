package workspaceserver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// escapeTree returns a root with ways out of it, and a second root.
func escapeTree(t *testing.T) (root, second, outside string) {
	outside = tree(t, map[string]string{"secret": "secret"})
	second = tree(t, map[string]string{"s.txt": "second"})
	root = tree(t, map[string]string{
		"a.txt": "text", "d/b.txt": "deep", "a b#%?.txt": "odd", "empty.txt": "", "image.png": "\x89PNG\r\n\x1a\n\x00", "latin1.txt": "caf\xe9", "é.md": "# é",
		"large": strings.Repeat("a", maxResource+1), "just": strings.Repeat("a", maxResource),
		"inner": "->a.txt", "dir": "->d", "up": "->..",
		"out": "->" + filepath.Join(outside, "secret"), "outdir": "->" + outside, "dangling": "->" + filepath.Join(outside, "none"),
	})
	for link, target := range map[string]string{
		"absolute": filepath.Join(root, "a.txt"), "across": filepath.Join(second, "s.txt"), "loop": filepath.Join(root, "loop"),
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	return root, second, outside
}

func TestReadResource(t *testing.T) {
	root, second, outside := escapeTree(t)
	in := func(name string) string { return fileuri.FromPath(filepath.Join(root, name)) }
	for _, tt := range []struct {
		name, uri string
		want      string // the content, or what the error says after "!"
		mime      string
	}{
		{"a text", in("a.txt"), "text", "text/plain"},
		{"in a directory", in("d/b.txt"), "deep", "text/plain"},
		{"odd characters", in("a b#%?.txt"), "odd", "text/plain"},
		{"not ASCII", in("é.md"), "# é", ""},
		{"in the second root", fileuri.FromPath(filepath.Join(second, "s.txt")), "second", "text/plain"},
		{"localhost", strings.Replace(in("a.txt"), "file://", "file://localhost", 1), "!not found", ""},
		{"dots that stay inside", in("d") + "/../a.txt", "text", "text/plain"},
		{"a link inside", in("inner"), "text", "text/plain"},
		{"a linked directory inside", in("dir/b.txt"), "deep", "text/plain"},
		{"an absolute link inside", in("absolute"), "text", "text/plain"},
		{"a link into the other root", in("across"), "second", "text/plain"},
		{"an image", in("image.png"), "\x89PNG\r\n\x1a\n\x00", "image/png"},
		{"a text that is not UTF-8", in("latin1.txt"), "caf\xe9", "application/octet-stream"},
		{"nothing", in("empty.txt"), "", "text/plain"},
		{"as large as may be", in("just"), strings.Repeat("a", maxResource), "text/plain"},

		{"too large", in("large"), "!larger than the limit of 1 MiB", ""},
		{"a directory", in("d"), "!not a regular file", ""},
		{"the root", in(""), "!not a regular file", ""},
		{"not there", in("none"), "!not found", ""},
		{"under a file", in("a.txt/x"), "!", ""},
		{"a link in a circle", in("loop"), "!", ""},
		{"outside", fileuri.FromPath(filepath.Join(outside, "secret")), "!not inside the roots", ""},
		{"outside and not there", fileuri.FromPath(filepath.Join(outside, "none")), "!not inside the roots", ""},
		{"dots", in("") + "/../" + filepath.Base(outside) + "/secret", "!not inside the roots", ""},
		{"escaped dots", in("") + "/%2e%2e/x", "!not inside the roots", ""},
		{"a name that begins as the root's", fileuri.FromPath(root + "x"), "!not inside the roots", ""},
		{"a link outside", in("out"), "!not inside the roots", ""},
		{"a linked directory outside", in("outdir/secret"), "!not inside the roots", ""},
		{"a link to the parent", in("up/x"), "!not inside the roots", ""},
		{"a link to nothing outside", in("dangling"), "!", ""},
		{"the top", "file:///", "!not inside the roots", ""},
		{"another host", "file://host/x", "!not found", ""},
		{"a query", in("a.txt") + "?x", "!", ""},
		{"another scheme", "https://example.com/", "!not found", ""},
	} {
		for _, era := range eras[1:] {
			t.Run(tt.name+" "+era, func(t *testing.T) {
				_, session := connect(t, newServer("1", t.TempDir()), era, nil, root, second)
				got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: tt.uri})
				if reason, bad := strings.CutPrefix(tt.want, "!"); bad {
					var rpc *jsonrpc.Error
					if !errors.As(err, &rpc) || rpc.Code == 0 || !strings.Contains(rpc.Message, reason) {
						t.Errorf("got %#v, want an error about %q", err, reason)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				c := got.Contents[0]
				if c.Text+string(c.Blob) != tt.want || c.Text == "" && c.Blob == nil || c.URI != tt.uri || tt.mime != "" && c.MIMEType != tt.mime {
					t.Errorf("got %q, %.100q, %.100q, %s", c.URI, c.Text, c.Blob, c.MIMEType)
				}
			})
		}
	}
}

func TestListResources(t *testing.T) {
	files := map[string]string{"README.md": "x", "licence": "", "main.go": "", "sub/README.md": "", "CHANGES/": "", "SECURITY.md": "->main.go"}
	listed := func(want int) *mcp.ListResourcesResult {
		_, session := connect(t, newServer("1", t.TempDir()), "2025-11-25", nil, tree(t, files))
		list, err := session.ListResources(t.Context(), nil)
		if err != nil || len(list.Resources) != want {
			t.Fatalf("got %+v, %v, want %d resources", list, err, want)
		}
		for _, r := range list.Resources {
			if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI}); err != nil {
				t.Error(err)
			}
		}
		return list
	}
	if list := listed(2); list.Resources[0].Name != "README.md" || list.Resources[1].Name != "licence" {
		t.Errorf("got %+v", list.Resources)
	}
	for i := range maxTopListed {
		files[fmt.Sprintf("NOTICE.%03d", i)] = ""
	}
	listed(maxTopListed)
}

func TestReviewPrompt(t *testing.T) {
	root, second, outside := escapeTree(t)
	for _, era := range eras[1:] {
		_, session := connect(t, newServer("1", t.TempDir()), era, nil, root, second)
		for _, tt := range []struct{ name, path, want string }{
			{"relative", "d/b.txt", "deep"},
			{"relative to the other root", "s.txt", "second"},
			{"absolute", filepath.Join(root, "a.txt"), "text"},
			{"not there", "none", "!no file"},
			{"missing", "", "!missing"},
			{"outside", "../" + filepath.Base(outside) + "/secret", "!not inside the roots"},
		} {
			t.Run(tt.name+" "+era, func(t *testing.T) {
				got, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{
					Name: "review_file", Arguments: map[string]string{"path": tt.path, "focus": "names"},
				})
				if reason, bad := strings.CutPrefix(tt.want, "!"); bad {
					if err == nil || !strings.Contains(err.Error(), reason) {
						t.Errorf("got %v, want an error about %q", err, reason)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if text := got.Messages[0].Content.(*mcp.TextContent).Text; !strings.Contains(text, "names") {
					t.Errorf("the focus is not in %q", text)
				}
				if r := got.Messages[1].Content.(*mcp.EmbeddedResource).Resource; r.Text != tt.want || !strings.HasPrefix(r.URI, "file:///") {
					t.Errorf("got %+v", r)
				}
			})
		}
	}
}

func TestComplete(t *testing.T) {
	dir := tree(t, map[string]string{
		"one/src/main.go": "", "one/src/map b.go": "", "one/src/sub/x": "", "one/.git/c": "", "one/.env": "", "one/out": "->/etc",
		"two/src/more.go": "", "secret/src/m": "",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	uri := func(name string) string {
		return strings.TrimPrefix(fileuri.FromPath(at(name)), fileScheme)
	}
	_, session := connect(t, newServer("1", t.TempDir()), "2025-11-25", nil, at("one"), at("two"))
	prompt := &mcp.CompleteReference{Type: "ref/prompt", Name: "review_file"}
	template := &mcp.CompleteReference{Type: "ref/resource", URI: "file:///{+path}"}
	for _, tt := range []struct {
		name  string
		ref   *mcp.CompleteReference
		value string
		want  []string
	}{
		{"nothing yet", prompt, "", []string{".env", "src/"}},
		{"both roots", prompt, "src/m", []string{"src/main.go", "src/map b.go", "src/more.go"}},
		{"a directory", prompt, "src/s", []string{"src/sub/"}},
		{"absolute", prompt, at("one/src/mai"), []string{at("one/src/main.go")}},
		{"the way to the roots", prompt, dir + "/", []string{at("one") + "/", at("two") + "/"}},
		{"a root", prompt, at("on"), []string{at("one") + "/"}},
		{"outside", prompt, at("secret/"), []string{}},
		{"dots", prompt, "../secret/src/", []string{}},
		{"a link outside", prompt, "out/", []string{}},
		{"template", template, uri("one/src/ma"), []string{uri("one/src/main.go"), uri("one/src/map b.go")}},
		{"template, escaped", template, uri("one/src") + "/map%20", []string{uri("one/src/map b.go")}},
		{"template, directory", template, uri("one/s"), []string{uri("one/src") + "/"}},
		{"template, root", template, uri("o"), []string{uri("one") + "/"}},
		{"template, outside", template, uri("secret") + "/", []string{}},
		{"template, half an escape", template, uri("one/src") + "/m%2", []string{}},
		{"another prompt", &mcp.CompleteReference{Type: "ref/prompt", Name: "x"}, "", []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := session.Complete(t.Context(), &mcp.CompleteParams{
				Ref: tt.ref, Argument: mcp.CompleteParamsArgument{Name: "path", Value: tt.value},
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Completion.Values, tt.want) || got.Completion.Total != len(tt.want) || got.Completion.HasMore {
				t.Errorf("got %+v, want %q", got.Completion, tt.want)
			}
		})
	}
}

func TestCompleteMany(t *testing.T) {
	files := make(map[string]string)
	for i := range maxCompletions + 1 {
		files[fmt.Sprintf("f%03d", i)] = ""
	}
	_, session := connect(t, newServer("1", t.TempDir()), "2025-11-25", nil, tree(t, files))
	got, err := session.Complete(t.Context(), &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "review_file"},
		Argument: mcp.CompleteParamsArgument{Name: "path", Value: "f"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Completion; len(c.Values) != maxCompletions || c.Total != maxCompletions+1 || !c.HasMore || c.Values[0] != "f000" {
		t.Errorf("got %+v", c)
	}
}
