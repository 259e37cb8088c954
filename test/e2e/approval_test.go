//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// untrusted is a world with one server in a workspace file. The server leaves a
// marker whenever it is started.
type untrusted struct {
	*world
	folder, marker string
	definition     map[string]any
}

func newUntrusted(t *testing.T) *untrusted {
	w := newWorld(t)
	u := &untrusted{world: w, folder: w.folder("project"), marker: filepath.Join(w.dir, "marker")}
	u.definition = w.launched("fake", `echo $1 >>`+u.marker+`; exec "$0"`, fakeserver.Script{})
	w.config(servers{"good": w.fakeServer("good", fakeserver.Script{})}.String())
	u.argument("first")
	return u
}

// argument writes the workspace file with an argument of the server.
func (u *untrusted) argument(text string) {
	u.t.Helper()
	u.definition["args"] = append(slices.Clone(u.definition["args"].([]string))[:3], text)
	u.workspaceFile(u.folder, servers{"fake": u.definition})
}

// starts returns the argument of each start so far.
func (u *untrusted) starts() string {
	u.t.Helper()
	return strings.Join(lines(u.t, u.marker), " ")
}

// asker is an editor whose answers to questions about approval the test gives.
func (u *untrusted) asker() (o fakeeditor.Options, decisions chan any) {
	return u.world.asker(allCapabilities, "editord/approve", u.folder)
}

// asker is an editor whose answers to questions of a method the test gives.
func (w *world) asker(capabilities, method string, folders ...string) (o fakeeditor.Options, given chan any) {
	given = make(chan any)
	o = in(capabilities, folders...)
	o.Answers = answers{method: func(json.RawMessage) (any, error) {
		select {
		case answer := <-given:
			return answer, nil
		case <-w.t.Context().Done():
			return nil, w.t.Context().Err()
		}
	}}
	return o, given
}

// question awaits the nth editord/approve.
func question(e *fakeeditor.Editor, n int) (asked editorapi.ApproveParams) {
	nth(e, "editord/approve", n, &asked)
	return asked
}

// received counts the messages of a method that e has received.
func received(e *fakeeditor.Editor, method string) (n int) {
	for _, m := range e.Messages() {
		if m.Method == method && !m.Sent {
			n++
		}
	}
	return n
}

// nth awaits the nth message of a method and reads its params.
func nth(e *fakeeditor.Editor, method string, n int, params any) (message fakeeditor.Message) {
	count := 0
	message = e.Await(fmt.Sprintf("%s, number %d", method, n), func(m fakeeditor.Message) bool {
		if m.Method == method {
			count++
		}
		return count == n
	})
	if err := json.Unmarshal(message.Params, params); err != nil {
		e.Fatalf("reading %s: %v", message, err)
	}
	return message
}

// Faults unapproved-server and definition-changed.
func TestWorkspaceServerIsAskedAbout(t *testing.T) {
	u := newUntrusted(t)
	o, answers := u.asker()
	e := u.attach(o)
	asked := question(e, 1)
	file := fileuri.FromPath(filepath.Join(u.folder, ".mcp.json"))
	d := asked.Definition
	if asked.Kind != "server" || asked.Server != "fake" || asked.Reason != "new" || asked.Previous != nil ||
		d.Command != "sh" || !slices.Equal(d.Args, u.definition["args"].([]string)) ||
		!slices.Equal(d.Env, []string{fakeserver.Env}) || d.Source != file || d.Transport != "stdio" || d.Folder != u.folder || d.Cwd != u.folder ||
		!strings.HasSuffix(d.Program, "/sh") || !strings.HasPrefix(asked.Text.Short, "Program: sh  leads to  "+d.Program) {
		t.Errorf("the question is %+v", asked)
	}
	view := awaitState(e, "fake", "needsApproval")
	if view.Approval == nil || view.Digest != asked.Digest || view.Approval.Digest != asked.Digest || view.Source != file || view.PID != 0 {
		t.Errorf("meanwhile the server is %+v", view)
	}
	fails(e, "a call meanwhile", e.Start("mcp/tools/call", toolCall("fake", "echo", object{})), "serverNotReady", -32803)
	awaitReady(e, "good")
	if got := u.starts(); got != "" {
		t.Fatalf("it was started before it was allowed: %s", got)
	}
	answers <- object{"decision": "allow"}
	first := awaitReady(e, "fake").PID
	served(e, "fake")

	// One argument is another now.
	u.argument("second")
	again := question(e, 2)
	if again.Reason != "changed" || again.Digest == asked.Digest || again.Previous == nil ||
		again.Previous.Args[3] != "first" || again.Definition.Args[3] != "second" ||
		!strings.Contains(again.Text.Before, `"first"`) || !strings.Contains(again.Text.Whole, `"second"`) {
		t.Errorf("the question about the change is %+v", again)
	}
	awaitNow(e, "fake", "needsApproval")
	await(t, "what is no longer defined is gone", func() bool { return !alive(first) })
	if got := u.starts(); got != "first" {
		t.Fatalf("it was started as %s, want only what was allowed", got)
	}
	// The first definition comes back before anybody has said anything.
	u.argument("first")
	awaitNow(e, "fake", "ready")
	e.Await("the withdrawal of the question", withdrawn(e, "editord/approve", 2))
	if got := u.starts(); got != "first first" {
		t.Errorf("it was started as %s", got)
	}
}

// withdrawn matches the $/cancelRequest of the nth request of a method.
func withdrawn(e *fakeeditor.Editor, method string, n int) func(fakeeditor.Message) bool {
	var ignored json.RawMessage
	id := nth(e, method, n, &ignored).ID
	return func(m fakeeditor.Message) bool {
		var p struct{ ID json.RawMessage }
		return m.Method == "$/cancelRequest" && json.Unmarshal(m.Params, &p) == nil && string(p.ID) == string(id)
	}
}

// Fault unapproved-server, deny and later.
func TestWorkspaceServerIsNotAllowed(t *testing.T) {
	u := newUntrusted(t)
	o, answers := u.asker()
	e := u.attach(o, "good")
	question(e, 1)
	answers <- object{"decision": "later"}

	// Later means: not again by itself, but when somebody wants to start it.
	var pending *fakeeditor.Pending
	await(t, "it is asked about again", func() bool {
		if pending == nil || pending.Answered() { // the daemon had not heard "later" yet
			pending = e.Start("editord/startServer", object{"server": "fake"})
		}
		served(e, "good")
		return received(e, "editord/approve") == 2
	})
	asked := question(e, 2)
	answers <- object{"decision": "deny"}
	fails(e, "starting what was denied", pending, "serverNotReady", -32803)
	if v := server(e, "fake"); v.State != "needsApproval" || v.Error == nil || v.Error.Kind != "denied" {
		t.Errorf("it was denied and is %+v", v)
	}

	// It is denied for editors that come later, too, who are not asked.
	other, _ := u.asker()
	second := u.attach(other, "good")
	fails(second, "starting what was denied", second.Start("editord/startServer", object{"server": "fake"}), "serverNotReady", -32803)
	if got := u.starts(); got != "" {
		t.Fatalf("it was started as %s", got)
	}

	// The person thinks again.
	fails(e, "allowing another definition", e.Start("editord/approveServer", object{"server": "fake", "digest": "0000", "decision": "allow"}), "invalidParams", -32602)
	request(e, "editord/approveServer", object{"server": "fake", "digest": asked.Digest, "decision": "allow"}, nil)
	awaitReady(e, "fake")
	awaitReady(second, "fake")
	if received(second, "editord/approve") != 0 {
		second.Fatalf("the second editor was asked")
	}
	if got := u.starts(); got != "first" {
		t.Errorf("it was started as %s", got)
	}
	request(e, "editord/revokeApproval", object{"digest": asked.Digest}, nil)
	awaitNow(e, "fake", "needsApproval")
}

// Fault unapproved-server, for editors that have only message boxes: what does not fit in one can be allowed
// only after all of it was opened in the editor.
func TestPromise1WorkspaceServerIsAskedAboutInAMessageBox(t *testing.T) {
	u := newUntrusted(t)
	env := maps.Clone(u.definition["env"].(map[string]string))
	env["MUCH"] = strings.Repeat("much of it ", 100)
	u.definition["env"] = env
	u.argument("first")
	o, answers := u.world.asker(showsDocuments, "window/showMessageRequest", u.folder)
	o.Answers["window/showDocument"] = always(`{"success":true}`)
	e := u.attach(o)
	var box struct {
		Message string
		Actions []struct{ Title string }
	}
	nth(e, "window/showMessageRequest", 1, &box)
	lines := strings.Split(box.Message, "\n")
	if len(box.Actions) != 2 || box.Actions[0].Title != "Later" || box.Actions[1].Title != "Look" || !strings.HasPrefix(lines[1], "Program: sh ") || len(lines) > 5 {
		t.Errorf("the box offers %v and says\n%s", box.Actions, box.Message)
	}
	answers <- object{"title": "Look"}
	opened := awaitShown(e, "approval")
	text, err := os.ReadFile(opened)
	if err != nil {
		t.Fatal(err)
	}
	wantAll(t, "the document", strings.ReplaceAll(string(text), "\n#     ", ""),
		"sh", strconv.Quote(u.definition["args"].([]string)[1]), fakeserver.Env, `"first"`, filepath.Join(u.folder, ".mcp.json"))
	uri := fileuri.FromPath(opened)
	e.Notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "languageId": "mcp", "version": 1, "text": string(text)}})
	allow := offered(e, uri, 0, "Allow")
	if len(allow) != 1 || len(offered(e, uri, 0, "Deny")) != 1 || len(offered(e, uri, 0, "")) != 2 {
		t.Fatalf("the document does not offer Deny and Allow alone: %s", offered(e, uri, 0, ""))
	}
	awaitNow(e, "good", "ready")
	fails(e, "a call before a decision", e.Start("mcp/tools/call", toolCall("fake", "echo", object{})), "serverNotReady", -32803)
	if got := u.starts(); got != "" {
		t.Errorf("it was started as %q before a decision", got)
	}
	request(e, "workspace/executeCommand", allow[0], nil)
	awaitNow(e, "fake", "ready")
	if got := u.starts(); got != "first" {
		t.Errorf("it was started as %q", got)
	}
}

// Fault two-answers: both editors are asked, the first answer counts.
func TestQuestionIsWithdrawnWhenAnotherEditorAnswers(t *testing.T) {
	u := newUntrusted(t)
	slow, never := u.asker()
	first := u.attach(slow)
	quick, answers := u.asker()
	second := u.attach(quick)
	if a, b := question(first, 1), question(second, 1); a.Digest != b.Digest {
		t.Fatalf("they are asked about %+v and %+v", a, b)
	}
	answers <- object{"decision": "allow"}
	first.Await("the withdrawal of the question", withdrawn(first, "editord/approve", 1))
	if a, b := awaitReady(first, "fake"), awaitReady(second, "fake"); a.PID != b.PID {
		t.Errorf("they are served by %d and %d", a.PID, b.PID)
	}
	never <- object{"decision": "deny"} // too late
	served(first, "fake")
	served(second, "fake")
	if got := u.starts(); got != "first" {
		t.Errorf("it was started as %s", got)
	}
}
