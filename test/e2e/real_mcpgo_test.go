//go:build linux || darwin

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// mcp-go's servers, in both eras, on stdio and over HTTP.
func TestMCPGo(t *testing.T) {
	t.Parallel()
	for _, version := range []string{lastLegacy, firstModern} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			conformance := goServer(t, "conformance")
			w.config(servers{
				"go": object{"command": goServer(t, "everything"), "protocol": version},
				"web": with(w.remote("/mcp", func(addr string) *exec.Cmd {
					cmd := exec.Command(conformance)
					cmd.Env = append(os.Environ(), "CONFORMANCE_ADDR="+addr)
					return cmd
				}), "protocol", version),
			}.String())
			e := w.attach(helpful(w.folder("project")))
			for _, name := range []string{"go", "web"} {
				if got := awaitReady(e, name).ProtocolVersion; got != version {
					t.Fatalf("the server speaks %s", got)
				}
			}
			answered(t, e, "go",
				asking{"tools/call", object{"name": "add", "arguments": object{"a": 1, "b": 2}}, "is 3.0"},
				asking{"tools/call", object{"name": "getTinyImage", "arguments": object{}}, `"mimeType":"image/png"`},
				asking{"tools/call", object{"name": "get_resource_link", "arguments": object{}}, `"type":"resource_link"`},
				asking{"completion/complete", object{"ref": object{"type": "ref/prompt", "name": "complex_prompt"}, "argument": object{"name": "style", "value": "c"}}, `["casual","creative"]`},
			)
			var list struct{ Resources []struct{ URI string } }
			if request(e, "mcp/resources/list", object{"server": "go"}, &list); len(list.Resources) != 101 {
				t.Errorf("%d resources are listed, want 101", len(list.Resources))
			}
			wants := map[string]string{
				"test_simple_text": "This is a simple text response", "test_image_content": `"type":"image"`, "test_audio_content": `"type":"audio"`,
				"test_embedded_resource": "test://embedded-resource", "test_error_handling": `"isError":true`, "test_tool_with_progress": "progress reported",
			}
			if version == lastLegacy { // later mcp-go refuses to ask
				wants["test_sampling"], wants["test_elicitation"] = "the model's words", "accept"
			}
			for tool, want := range wants {
				answered(t, e, "web", asking{"tools/call", object{"name": tool, "arguments": object{"prompt": "p", "message": "m"}}, want})
			}
			answered(t, e, "web",
				asking{"resources/read", object{"uri": "test://static-text"}, "static text resource"},
				asking{"prompts/get", object{"name": "test_prompt_with_arguments", "arguments": object{"arg1": "x", "arg2": "y"}}, "arg1='x', arg2='y'"},
			)
		})
	}
}

func TestMCPGoServerAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(servers{"form": object{"command": goServer(t, "elicitation")}, "model": object{"command": goServer(t, "sampling_server")}}.String())
	e := w.attach(helpful(w.folder("project")))
	awaitReady(e, "form")
	awaitReady(e, "model")
	answered(t, e, "form",
		asking{"tools/call", object{"name": "create_project", "arguments": object{}}, "Created project 'x' with framework: vue"},
		asking{"tools/call", object{"name": "auth_via_url", "arguments": object{}}, "User accepted URL open request"},
	)
	answered(t, e, "model", asking{"tools/call", object{"name": "ask_llm", "arguments": object{"question": "?"}}, "the model's words"})
	e.Await("the URL that was accepted", func(m fakeeditor.Message) bool {
		return m.Method == elicitation && strings.Contains(string(m.Params), `"mode":"url"`)
	})
	e.AwaitMethod("mcp/notifications/elicitation/complete")
}

// The servers for tests are built with the SDK that the daemon uses.
func TestGoSDKVersionsAgree(t *testing.T) {
	t.Parallel()
	version := func(path string) string {
		b, err := os.ReadFile(path)
		found := regexp.MustCompile(`modelcontextprotocol/go-sdk (v\S+)`).FindSubmatch(b)
		if err != nil || found == nil {
			t.Fatalf("%s does not name go-sdk (%v)", path, err)
		}
		return string(found[1])
	}
	if own, servers := version(filepath.Join("..", "..", "go.mod")), version(filepath.Join("servers", "go.mod")); own != servers {
		t.Errorf("the daemon has go-sdk %s, its tests talk to %s", own, servers)
	}
}
