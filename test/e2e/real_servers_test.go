//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// helpful is an editor that answers every question.
func helpful(folder string) fakeeditor.Options {
	o := in(everyCapability, folder)
	o.Answers = answers{
		sampling: always(`{"role":"assistant","model":"m","content":{"type":"text","text":"the model's words"}}`),
		elicitation: func(params json.RawMessage) (any, error) {
			if strings.Contains(string(params), `"mode":"url"`) {
				return object{"action": "accept"}, nil
			}
			return object{"action": "accept", "content": object{"projectName": "x", "framework": "vue", "ok": true}}, nil
		},
	}
	return o
}

// A request to a real server, and what is in its answer.
type asking struct {
	method string
	params object
	want   string
}

// answered sends requests to a server, and checks the answers.
func answered(t *testing.T, e *fakeeditor.Editor, server string, requests ...asking) {
	t.Helper()
	for _, r := range requests {
		raw, err := e.Request("mcp/"+r.method, object{"server": server, "params": r.params})
		if err != nil || !strings.Contains(string(raw), r.want) {
			t.Errorf("%s of %s with %v answers %s, %v, without %s", r.method, server, r.params, raw, err, r.want)
		}
	}
}

// TestEverythingOverEveryTransport goes through what server-everything has.
func TestEverythingOverEveryTransport(t *testing.T) {
	t.Parallel()
	for name, definition := range map[string]func(*world) object{
		"stdio":           func(w *world) object { return npmServer(w.t, "server-everything") },
		"HTTP+SSE":        func(w *world) object { return with(w.remoteEverything("sse"), "type", "sse") },
		"found to be SSE": func(w *world) object { return w.remoteEverything("sse") },
		"Streamable HTTP": func(w *world) object { return w.remoteEverything("streamableHttp") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			const everything, uri = "everything", "demo://resource/dynamic/text/1"
			w.config(servers{everything: definition(w)}.String())
			e := w.attach(helpful(w.folder("project")), everything)
			await(t, "the tools that depend on the client are there", func() bool {
				return slices.Contains(toolNames(e, everything), "trigger-url-elicitation")
			})
			tool := func(name string, arguments object, want string) asking {
				return asking{"tools/call", object{"name": name, "arguments": arguments}, want}
			}
			answered(t, e, everything,
				tool("echo", object{"message": "hi"}, `"text":"Echo: hi"`),
				tool("get-structured-content", object{"location": "Chicago"}, `"structuredContent":{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}`),
				tool("get-tiny-image", object{}, `"mimeType":"image/png"`),
				tool("get-resource-links", object{"count": 2}, `"type":"resource_link"`),
				tool("get-annotated-message", object{"messageType": "error"}, `"annotations":{`),
				tool("trigger-sampling-request", object{"prompt": "Say it."}, "the model's words"),
				tool("trigger-url-elicitation", object{"url": "https://example.com/x"}, "User completed the URL elicitation flow"),
				asking{"prompts/get", object{"name": "completable-prompt", "arguments": object{"department": "Sales", "name": "Eve"}}, "Please promote Eve to the head of the Sales team."},
				asking{"completion/complete", object{
					"ref":      object{"type": "ref/prompt", "name": "completable-prompt"},
					"argument": object{"name": "name", "value": "E"},
					"context":  object{"arguments": object{"department": "Sales"}}}, `"values":["Eve"]`},
				asking{"resources/read", object{"uri": "demo://resource/dynamic/text/7"}, "demo://resource/dynamic/text/7"},
				asking{"prompts/list", nil, "completable-prompt"},
				asking{"resources/list", nil, "demo://"},
				asking{"resources/templates/list", nil, "demo://resource/dynamic/text/{resourceId}"},
				// What the server sends unasked.
				asking{"logging/setLevel", object{"level": "debug"}, ""},
				asking{"resources/subscribe", object{"uri": uri}, ""},
				tool("toggle-subscriber-updates", object{}, ""),
				tool("toggle-simulated-logging", object{}, ""),
			)
			notified(e, everything, "notifications/resources/updated", uri)
			notified(e, everything, "notifications/message", `"level"`)
			checkEverythingTask(t, e)
		})
	}
}

// checkEverythingTask runs a task of MCP 2025-11-25, which the daemon passes on.
func checkEverythingTask(t *testing.T, e *fakeeditor.Editor) {
	params := toolCall("everything", "simulate-research-query", object{"topic": "daemons"})
	params["params"].(object)["task"] = object{"ttl": 60000}
	var created struct {
		Task struct{ TaskID, Status string }
	}
	request(e, "mcp/tools/call", params, &created)
	if created.Task.TaskID == "" || created.Task.Status != "working" {
		t.Fatalf("the task is %+v", created)
	}
	id := object{"taskId": created.Task.TaskID}
	answered(t, e, "everything",
		asking{"tasks/get", id, `"status":"working"`},
		asking{"tasks/result", id, "# Research Report: daemons"}, // it answers when the task is done
		asking{"tasks/get", id, `"status":"completed"`},
	)
}

// readFile reads a file with server-filesystem.
func readFile(e *fakeeditor.Editor, path string) toolResult {
	return call(e, "filesystem", "read_text_file", map[string]any{"path": path})
}

// allowed returns the directories that server-filesystem says it may read.
func allowed(e *fakeeditor.Editor) []string {
	lines := strings.Split(call(e, "filesystem", "list_allowed_directories", map[string]any{}).text(), "\n")
	return slices.DeleteFunc(lines[1:], func(line string) bool { return line == "" }) // the first is a heading
}

// The server gets no arguments: all that it knows of the editor's folder it
// has from its roots.
func TestFilesystemFollowsTheEditorsFolders(t *testing.T) {
	w := newWorld(t)
	w.config(servers{"filesystem": npmServer(t, "server-filesystem")}.String())
	one, two := w.folder("one"), w.folder("two")
	w.write(filepath.Join(one, "a.txt"), "text of one")
	w.write(filepath.Join(two, "a.txt"), "text of two")

	e := w.attach(in(mcpCapabilities, one))
	pid := awaitReady(e, "filesystem").PID
	await(t, "the server has asked for its roots", func() bool { return slices.Equal(allowed(e), []string{one}) })
	if got := readFile(e, filepath.Join(one, "a.txt")); got.IsError || got.text() != "text of one" {
		t.Errorf("the file in the editor's folder: %+v", got)
	}
	if got := readFile(e, filepath.Join(two, "a.txt")); !got.IsError {
		t.Errorf("the file in a folder that the editor does not have: %+v", got)
	}

	changeFolders(e, []string{two}, []string{one})
	await(t, "the server has heard of the other folder", func() bool { return slices.Equal(allowed(e), []string{two}) })
	if got := readFile(e, filepath.Join(two, "a.txt")); got.IsError || got.text() != "text of two" {
		t.Errorf("the file in the editor's new folder: %+v", got)
	}
	if got := readFile(e, filepath.Join(one, "a.txt")); !got.IsError {
		t.Errorf("the file in the editor's old folder: %+v", got)
	}
	if got := server(e, "filesystem").PID; got != pid {
		t.Errorf("an editor that is alone on its server keeps it: process %d is now %d", pid, got)
	}
}

// gopls knows the module that it works in from its directory. The configuration says that this is the
// workspace folder, which you are asked about, and which file its tools are about.
func TestGoplsWorksInTheFolder(t *testing.T) {
	gopls := goServer(t, "gopls")
	w := newWorld(t)
	w.config(servers{"gopls": object{
		"command": gopls, "args": []string{"mcp"}, "cwd": "${workspaceFolder}", "env": object{"GOPROXY": "off", "GOTOOLCHAIN": "local"},
		"tools": object{"go_*": object{"bind": object{"file": "${file}", "files": "${file}"}}},
	}}.String())
	project := w.folder("shop")
	w.write(filepath.Join(project, "go.mod"), "module example.test/shop\n\ngo 1.24\n")
	w.write(filepath.Join(project, "price.go"), "package shop\n\n// Price is in cents.\ntype Price int\n")
	sum := filepath.Join(project, "sum.go")
	w.write(sum, "package shop\n\nfunc Sum(all []Price) (sum Price) {\n\tfor _, p := range all {\n\t\tsum += p\n\t}\n\treturn missing\n}\n")

	e := w.attach(in(mcpCapabilities, project))
	question := awaitServer(e, "gopls", "asks", func(s editorapi.Server) bool { return s.Approval != nil }).Approval
	if question.Kind != "folder" {
		t.Errorf("the question is of kind %q", question.Kind)
	}
	request(e, "editord/approveServer", object{"server": "gopls", "digest": question.Digest, "decision": "allow"}, nil)
	awaitReady(e, "gopls")

	if got := call(e, "gopls", "go_workspace", object{}); got.IsError || !strings.Contains(got.text(), project+"/go.mod (module example.test/shop)") {
		t.Errorf("the workspace is %+v", got)
	}
	where := object{"textDocument": object{"uri": fileuri.FromPath(sum)}}
	for tool, want := range map[string]string{"go_file_context": "type Price int", "go_diagnostics": "undefined: missing"} {
		var got toolResult
		request(e, "workspace/executeCommand", object{"command": "mcp.tool.gopls." + tool, "arguments": []any{object{}, where}}, &got)
		if got.IsError || !strings.Contains(got.text(), want) {
			t.Errorf("%s of the bound file answers %+v, without %q", tool, got, want)
		}
	}

	var status editorapi.Status
	request(e, "editord/status", object{}, &status)
	for _, c := range status.Servers {
		if c.Server.Name == "gopls" && c.Cwd != project {
			t.Errorf("status says that it runs in %q", c.Cwd)
		}
	}
}

// mcp-go's servers, in both eras, on stdio and over HTTP.
func TestMCPGo(t *testing.T) {
	t.Parallel()
	for _, version := range []string{lastLegacy, firstModern} {
		t.Run(version, func(t *testing.T) {
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
	w := newWorld(t)
	w.config(servers{"form": object{"command": goServer(t, "elicitation")}, "model": object{"command": goServer(t, "sampling_server")}}.String())
	e := w.attach(helpful(w.folder("project")), "form", "model")
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
