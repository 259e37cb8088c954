package workspaceserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// eras are the versions of the protocol between which the server works differently,
// and the oldest version.
var eras = []string{"2024-11-05", "2025-11-25", "2026-07-28"}

// tree makes a directory with these files. A name that ends with / makes a
// directory, contents that begin with -> make a symbolic link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := fileuri.Canonical(t.TempDir())
	for name, contents := range files {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		target, isLink := strings.CutPrefix(contents, "->")
		switch {
		case err != nil:
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o777)
		case isLink:
			err = os.Symlink(target, path)
		default:
			err = os.WriteFile(path, []byte(contents), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// folders makes a workspace from directories.
func folders(paths ...string) *workspace {
	var roots []*mcp.Root
	for _, p := range paths {
		roots = append(roots, &mcp.Root{URI: fileuri.FromPath(p)})
	}
	return newWorkspace(roots)
}

// connect serves a client of the SDK with these options and roots, until the
// test ends.
func connect(t *testing.T, s *server, era string, options *mcp.ClientOptions, roots ...string) (*mcp.Client, *mcp.ClientSession) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, options)
	for _, r := range roots {
		client.AddRoots(&mcp.Root{URI: fileuri.FromPath(r)})
	}
	there, here := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.run(ctx, there) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("serving: %v", err)
		}
	})
	session, err := client.Connect(t.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return client, session
}

// call calls a tool and decodes the result into out. It returns the text, or
// the text of an error.
func call(t *testing.T, session *mcp.ClientSession, tool string, arguments, out any) (text string, isError bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return err.Error(), true
	}
	text = result.Content[0].(*mcp.TextContent).Text
	if !result.IsError && out != nil {
		b, _ := json.Marshal(result.StructuredContent)
		if err := json.Unmarshal(b, out); err != nil {
			t.Fatal(err)
		}
	}
	return text, result.IsError
}

func TestOffered(t *testing.T) {
	elicit := func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "cancel"}, nil
	}
	sample := func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
		return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "x"}}, nil
	}
	always := []string{"find_files", "list_roots", "search_text"}
	for _, tt := range []struct {
		name    string
		options *mcp.ClientOptions
		want    []string
	}{
		{"nothing", &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}, always},
		{"roots", nil, always},
		{"elicitation", &mcp.ClientOptions{ElicitationHandler: elicit}, append([]string{"ask_user"}, always...)},
		{"elicitation by URL only", &mcp.ClientOptions{ElicitationHandler: elicit, Capabilities: &mcp.ClientCapabilities{
			Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}},
		}}, always},
		{"sampling", &mcp.ClientOptions{CreateMessageHandler: sample}, append([]string{"ask_model"}, always...)},
		{"both", &mcp.ClientOptions{CreateMessageHandler: sample, ElicitationHandler: elicit}, append([]string{"ask_model", "ask_user"}, always...)},
	} {
		for _, era := range eras {
			t.Run(tt.name+" "+era, func(t *testing.T) {
				_, session := connect(t, newServer("1", t.TempDir()), era, tt.options)
				list, err := session.ListTools(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, tool := range list.Tools {
					got = append(got, tool.Name)
					if tool.Title == "" || tool.Description == "" || tool.Annotations == nil || tool.OutputSchema == nil {
						t.Errorf("%s is not described", tool.Name)
					}
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("got %q, want %q", got, tt.want)
				}
				for tool, arguments := range map[string]any{
					"ask_user":  map[string]any{"question": "q"},
					"ask_model": map[string]any{"prompt": "p"},
				} {
					text, isError := call(t, session, tool, arguments, nil)
					if isError == slices.Contains(tt.want, tool) {
						t.Errorf("%s: error %v: %s", tool, isError, text)
					}
				}
			})
		}
	}
}

func TestWhatIsServed(t *testing.T) {
	cwd, one, two := tree(t, map[string]string{"c.txt": ""}), tree(t, map[string]string{"1.txt": ""}), tree(t, map[string]string{"2.txt": ""})
	without := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	for _, tt := range []struct {
		name    string
		options *mcp.ClientOptions
		roots   []string
		want    []string
	}{
		{"no roots capability", without, nil, []string{filepath.Join(cwd, "c.txt")}},
		{"no roots", nil, nil, []string{}},
		{"roots", nil, []string{one, two}, []string{filepath.Join(one, "1.txt"), filepath.Join(two, "2.txt")}},
		{"a root that is not there", nil, []string{filepath.Join(one, "x"), two}, []string{filepath.Join(two, "2.txt")}},
	} {
		for _, era := range eras {
			t.Run(tt.name+" "+era, func(t *testing.T) {
				_, session := connect(t, newServer("1", cwd), era, tt.options, tt.roots...)
				var found findOutput
				if text, isError := call(t, session, "find_files", map[string]any{"pattern": ""}, &found); isError {
					t.Fatal(text)
				}
				slices.Sort(tt.want) // the SDK's client lists its roots in the order of their URIs
				if !slices.Equal(found.Files, tt.want) {
					t.Errorf("found %q, want %q", found.Files, tt.want)
				}
			})
		}
	}
}

func TestListRoots(t *testing.T) {
	dir := tree(t, map[string]string{"a b/": "", "file": "", "link": "->a b"})
	list := []*mcp.Root{
		{URI: fileuri.FromPath(filepath.Join(dir, "a b")) + "/", Name: "named"},
		{URI: fileuri.FromPath(filepath.Join(dir, "link"))},
		{URI: fileuri.FromPath(filepath.Join(dir, "file"))},
		{URI: fileuri.FromPath(filepath.Join(dir, "gone"))},
		{URI: "file://host/share"},
		{URI: "https://example.com/"},
	}
	w := newWorkspace(list)
	want := []struct{ name, path, problem string }{
		{"named", filepath.Join(dir, "a b"), ""},
		{"a b", filepath.Join(dir, "a b"), "twice"},
		{"file", filepath.Join(dir, "file"), "not a directory"},
		{"gone", filepath.Join(dir, "gone"), "cannot be found"},
		{"", "", "host"},
		{"", "", "not a file: URI"},
	}
	for i, f := range w.folders {
		if f.path != want[i].path || f.name != want[i].name || !strings.Contains(f.problem, want[i].problem) || f.uri != list[i].URI ||
			(f.problem == "") != (want[i].problem == "") {
			t.Errorf("root %d: %+v, want %+v", i, f, want[i])
		}
	}
	if len(w.served) != 1 {
		t.Errorf("%d are served", len(w.served))
	}
}

// raw starts Run over pipes and returns their ends and a channel for its result.
func raw(t *testing.T, ctx context.Context) (send func(string), lines <-chan string, closeIn func(), result <-chan error) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended, out := make(chan error, 1), make(chan string, 100)
	go func() { ended <- Run(ctx, "1.2.3", inR, outW) }()
	go func() {
		defer close(out)
		for scanner := bufio.NewScanner(outR); scanner.Scan(); {
			out <- scanner.Text()
		}
	}()
	send = func(line string) {
		if _, err := io.WriteString(inW, line+"\n"); err != nil {
			t.Errorf("sending %s: %v", line, err)
		}
	}
	return send, out, func() { inW.Close() }, ended
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func initialize(version, capabilities string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version +
		`","capabilities":` + capabilities + `,"clientInfo":{"name":"t","version":"1"}}}`
}

func TestRunEnds(t *testing.T) {
	ask := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"?"}}}`
	for name, want := range map[string]error{"at the end of stdin": nil, "with its context": context.Canceled} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			send, lines, closeIn, result := raw(t, ctx)
			send(initialize("2025-11-25", `{"elicitation":{}}`))
			if hello := <-lines; !strings.Contains(hello, `"version":"1.2.3"`) {
				t.Errorf("initialize: %s", hello)
			}
			send(initialized)
			send(ask) // never answered
			if question := <-lines; !strings.Contains(question, "elicitation/create") {
				t.Fatalf("got %s, want a question", question)
			}
			if want == nil {
				closeIn()
			} else {
				cancel()
			}
			if err := <-result; !errors.Is(err, want) {
				t.Errorf("Run: %v, want %v", err, want)
			}
			closeIn()
			for line := range lines {
				if !json.Valid([]byte(line)) {
					t.Errorf("on stdout: %s", line)
				}
			}
		})
	}
}

// A client that speaks both eras may name the later version in initialize.
func TestInitializeAtLaterVersion(t *testing.T) {
	send, lines, closeIn, result := raw(t, t.Context())
	send(initialize("2026-07-28", `{"roots":{}}`))
	if hello := <-lines; !strings.Contains(hello, `"protocolVersion":"2025-11-25"`) {
		t.Errorf("initialize: %s", hello)
	}
	send(initialized)
	send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_roots"}}`)
	question := <-lines
	if !strings.Contains(question, `"method":"roots/list"`) {
		t.Fatalf("got %s, want a request", question)
	}
	var request struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(question), &request); err != nil {
		t.Fatal(err)
	}
	send(`{"jsonrpc":"2.0","id":` + string(request.ID) + `,"result":{"roots":[]}}`)
	if answer := <-lines; !strings.Contains(answer, `"roots":[]`) {
		t.Errorf("got %s", answer)
	}
	closeIn()
	if err := <-result; err != nil {
		t.Error(err)
	}
}

// A message that no client should send gets an answer, and the server carries on.
func TestOddInput(t *testing.T) {
	// tool is a call of an era without initialize.
	tool := func(name, arguments, responses string) string {
		return `"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `,"inputResponses":` + responses +
			`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` +
			`{"roots":{},"elicitation":{},"sampling":{}}}}`
	}
	for _, era := range []struct {
		name, first string
		odd         []struct{ request, want string }
	}{
		{"2025-11-25", initialize("2025-11-25", `{}`), []struct{ request, want string }{
			{`"method":"tools/call","params":null`, "params"},
			{`"method":"prompts/get"`, "params"},
			{`"method":"completion/complete","params":{"ref":null,"argument":null}`, "'ref'"},
			{`"method":"resources/list","params":{"cursor":"x"}`, "invalid params"},
			{`"method":"tools/call","params":{"name":"find_files","arguments":null}`, "pattern"},
			{`"method":"ping"`, `"result":{}`},
		}},
		{"2026-07-28", `{"jsonrpc":"2.0","id":0,` + tool("list_roots", `{}`, `{}`) + `}`, []struct{ request, want string }{
			{tool("list_roots", `{}`, `{"roots":{"roots":[null]}}`), `"roots":[]`},
			{tool("list_roots", `{}`, `{"roots":{"roots":null}}`), `"roots":[]`},
			{tool("list_roots", `{}`, `{"roots":null}`), "inputResponses"},
			{tool("list_roots", `{}`, `{"roots":{"action":"accept"}}`), "input_required"},
			{tool("list_roots", `null`, `null`), "input_required"},
			{tool("ask_user", `{"question":"x"}`, `{"answer":{"action":"accept","content":null}}`), "does not fit the question"},
			{tool("ask_model", `{"prompt":"x"}`, `{"answer":{"role":"assistant","content":null}}`), "inputResponses"},
			{tool("ask_model", `{"prompt":"x"}`, `{"answer":{"role":"assistant","content":[]}}`), "empty answer"},
		}},
	} {
		t.Run(era.name, func(t *testing.T) {
			send, lines, closeIn, result := raw(t, t.Context())
			send(era.first)
			<-lines
			for i, tt := range era.odd {
				send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i+1, tt.request))
				if answer := <-lines; !strings.Contains(answer, fmt.Sprintf(`"id":%d,`, i+1)) || !strings.Contains(answer, tt.want) {
					t.Errorf("%s\ngot  %s\nwant %s", tt.request, answer, tt.want)
				}
			}
			closeIn()
			if err := <-result; err != nil {
				t.Error(err)
			}
		})
	}
}

// Fault handler-panic, for this server.
func TestPanic(t *testing.T) {
	old := slog.Default()
	defer slog.SetDefault(old)
	var log strings.Builder
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))

	handler := newServer("1", t.TempDir()).receive(func(context.Context, string, mcp.Request) (mcp.Result, error) { panic("oops") })
	_, err := handler(t.Context(), "tools/list", &mcp.ListToolsRequest{Params: &mcp.ListToolsParams{}})
	var rpc *jsonrpc.Error
	if !errors.As(err, &rpc) || rpc.Code != jsonrpc.CodeInternalError || strings.Contains(rpc.Message, "oops") {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(log.String(), "oops") || !strings.Contains(log.String(), "TestPanic") {
		t.Errorf("logged %s", log.String())
	}
}
