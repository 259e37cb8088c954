//go:build linux || darwin

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
	"github.com/mcp-editord/mcp-editord/test/testkit/model"
)

// A realAgent is a program that people use, without the model behind it.
type realAgent struct {
	name string // as `mcp-editord connect` knows it
	// prepare writes the rest of its configuration, and returns what is added to its environment.
	prepare func(w *world, endpoint string) (env []string)
	// hurried says that it begins without servers that take more than a second: it sees a late one in
	// the next session.
	hurried bool
	// elicits says that it declares elicitation, and so answers it, though nobody is there: then the
	// question is a sampling.
	elicits bool
	// ask returns the arguments that have it answer one prompt and end.
	ask func(prompt string) []string
}

var realAgents = []realAgent{
	{
		name: "claude", elicits: true,
		prepare: func(_ *world, endpoint string) []string {
			return []string{
				"ANTHROPIC_BASE_URL=" + endpoint, "ANTHROPIC_API_KEY=sk-ant-stub",
				"DISABLE_TELEMETRY=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
				"ENABLE_TOOL_SEARCH=false", // the stub looks for tools by no other way than their names
			}
		},
		ask: func(prompt string) []string {
			return []string{"-p", prompt, "--allowedTools", "mcp__mcp-editord"}
		},
	},
	{
		name: "codex", elicits: true, hurried: true,
		prepare: func(w *world, endpoint string) []string {
			path := filepath.Join(w.dir, "home", ".codex", "config.toml")
			entered, err := os.ReadFile(path)
			if err != nil {
				w.t.Fatal(err)
			}
			// Keys of the whole file come before its tables.
			w.write(path, "model = \"stub\"\nmodel_provider = \"stub\"\n"+string(entered)+
				"\n[model_providers.stub]\nname = \"stub\"\nbase_url = \""+endpoint+"/v1\"\nwire_api = \"responses\"\n")
			return nil
		},
		ask: func(prompt string) []string {
			return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt}
		},
	},
	{
		name: "opencode",
		prepare: func(w *world, endpoint string) []string {
			path := filepath.Join(w.dir, "config", "opencode", "opencode.json")
			settings := map[string]any{}
			if entered, err := os.ReadFile(path); err == nil {
				unmarshal(w.t, entered, &settings)
			}
			settings["provider"] = map[string]any{"stub": map[string]any{
				"npm": "@ai-sdk/openai-compatible", "options": map[string]any{"baseURL": endpoint + "/v1"},
				"models": map[string]any{"stub": map[string]any{}},
			}}
			settings["model"] = "stub/stub"
			w.write(path, marshal(settings))
			return nil
		},
		ask: func(prompt string) []string { return []string{"run", prompt} },
	},
}

// program returns the agent's program, and skips the test where it is not installed.
func (a realAgent) program(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", ".tools", "agents", "node_modules", ".bin", a.name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not installed; run `make agents` to install it", a.name)
	}
	return path
}

// Agents as people have them: entered by `mcp-editord connect`, and run in a project beside an editor.
func TestRealAgents(t *testing.T) {
	for _, a := range realAgents {
		t.Run(a.name, func(t *testing.T) {
			program := a.program(t)
			w := makeWorld(t)
			stub := model.New(t)
			folder := w.folder("project")
			if err := os.Mkdir(filepath.Join(folder, ".git"), 0o755); err != nil {
				t.Fatal(err)
			}
			w.config(servers{
				"everything": npmServer(t, "server-everything"),
				"asking":     w.fakeServer("asking", fakeserver.Script{Plain: true}),
				"late":       w.fakeServer("late", fakeserver.Script{Plain: true, Steps: steps("start", object{"do": "delay", "ms": 1500})}),
			}.String())
			// Not .mcp.json, which Claude Code reads itself.
			w.write(filepath.Join(folder, ".vscode", "mcp.json"), servers{"stranger": w.fakeServer("stranger", fakeserver.Script{Plain: true})}.String())
			w.must("connect", a.name, "--yes")
			env := a.prepare(w, stub.URL)

			// The editor of the folder answers what the agent cannot.
			var asked []string
			editor := in(allCapabilities, folder)
			noted := func(answer string) fakeeditor.Answer {
				return func(params json.RawMessage) (any, error) {
					asked = append(asked, string(params))
					return json.RawMessage(answer), nil
				}
			}
			editor.Answers = answers{
				elicitation: noted(wordPlum), sampling: noted(strings.Replace(modelPear, "pear", "plum", 1)), "editord/approve": always(`{"decision":"later"}`),
			}

			say := func(prompt string) string {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				cmd := exec.CommandContext(ctx, program, a.ask(prompt)...)
				cmd.Dir, cmd.Env = folder, append(w.env(), env...)
				var errOut bytes.Buffer
				cmd.Stderr = &errOut
				out, err := cmd.Output()
				if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
					t.Fatalf("running %s: %v", a.name, err)
				}
				if err != nil {
					t.Errorf("%s ends with %v:\n%s%s", a.name, err, out, errOut.String())
				}
				return string(out)
			}
			// No server has run yet.
			if a.hurried {
				say("hello")
				await(t, "the late server is known", func() bool {
					files, _ := filepath.Glob(w.state(filepath.Join("catalogs", "*.json")))
					return len(files) == 3
				})
			}
			if got := say(`CALL late__echo {"word":"late"}`); !strings.Contains(got, "late") || strings.Contains(got, "no tool like") {
				t.Errorf("a tool of a server that starts late: %s", got)
			}
			e := w.attach(editor, "asking")
			if got := say(`CALL everything__echo {"message":"a pear"}`); !strings.Contains(got, "a pear") {
				t.Errorf("the result of a call: %s", got)
			}
			if got := say(`CALL stranger__echo {}`); !strings.Contains(got, "no tool like") {
				t.Errorf("a server that nobody has allowed: %s", got)
			}
			told := slices.ContainsFunc(stub.Requests(), func(body string) bool {
				return strings.Contains(body, "stranger") && strings.Contains(body, "approve")
			})
			if !told {
				t.Error("the model is not told of the server that waits for approval")
			}
			question := map[bool]string{true: "ask_sampling " + askModel, false: "ask_elicitation " + askWord}[a.elicits]
			if got := say(`CALL asking__` + question); !strings.Contains(got, "plum") {
				t.Errorf("a call with a question: %s\nthe editor was asked %q", got, asked)
			}
			// One process for the agent and the editor.
			if got, pid := say(`CALL asking__process {"env":[]}`), server(e, "asking").PID; !strings.Contains(got, strconv.Itoa(pid)) {
				t.Errorf("the editor's server is process %d, and the agent's says: %s", pid, got)
			}
		})
	}
}
