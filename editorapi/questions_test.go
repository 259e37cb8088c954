package editorapi

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// form returns the question of the server s with these fields.
func form(fields string) Question {
	return Question{Server: "s", Params: json.RawMessage(`{"message":"Sure?","requestedSchema":{"type":"object","properties":{` + fields + `}}}`)}
}

// What one choice answers is asked in a box, and the first action, which a bare Enter takes, declines.
func TestElicitInABox(t *testing.T) {
	for _, test := range []struct {
		name, fields string
		actions      []string
		choose       string
		want         string
	}{
		{"nothing to fill in", ``, []string{"Decline", "OK"}, "OK", `{"action":"accept","content":{}}`},
		{"a bare Enter", ``, []string{"Decline", "OK"}, "Decline", `{"action":"decline"}`},
		{"closed", ``, []string{"Decline", "OK"}, "", `{"action":"cancel"}`},
		{"what was not offered", ``, []string{"Decline", "OK"}, "Yes", `{"action":"cancel"}`},
		{"a boolean", `"b":{"type":"boolean"}`, []string{"Decline", "No", "Yes"}, "Yes", `{"action":"accept","content":{"b":true}}`},
		{"an enum", `"e":{"type":"string","enum":["x","y"]}`, []string{"Decline", "x", "y"}, "y", `{"action":"accept","content":{"e":"y"}}`},
		{"an enum with names", `"e":{"enum":["x","y"],"enumNames":["The X"]}`, []string{"Decline", "The X", "y"}, "The X", `{"action":"accept","content":{"e":"x"}}`},
		{"an enum with titles", `"e":{"oneOf":[{"const":"x","title":"The X"},{"const":"y"}]}`, []string{"Decline", "The X", "y"}, "y", `{"action":"accept","content":{"e":"y"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			e := open(t, b, fakeeditor.Options{Answers: map[string]fakeeditor.Answer{"window/showMessageRequest": chooses(test.choose)}})
			answer, err := b.theEditor().Elicit(t.Context(), form(test.fields))
			if err != nil || !sameJSON(answer, json.RawMessage(test.want)) {
				t.Errorf("the answer is %s, %v, want %s", answer, err, test.want)
			}
			box := e.AwaitMethod("window/showMessageRequest").Params
			actions := titles(rawjson.Get(box, "actions"))
			if message := rawjson.String(box, "message"); !slices.Equal(actions, test.actions) || message != "The MCP server \"s\" asks:\nSure?" {
				t.Errorf("the box offers %q and says %q", actions, message)
			}
		})
	}
}

// asking asks an editor, and returns a function that waits for the answer.
func asking(ctx context.Context, ask func(context.Context, Question) (json.RawMessage, error), q Question) (wait func() (json.RawMessage, error)) {
	type outcome struct {
		answer json.RawMessage
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		answer, err := ask(ctx, q)
		done <- outcome{answer, err}
	}()
	return func() (json.RawMessage, error) {
		o := <-done
		return o.answer, o.err
	}
}

// wantAnswer waits for the answer to a question.
func wantAnswer(t *testing.T, wait func() (json.RawMessage, error), want string) {
	t.Helper()
	if answer, err := wait(); err != nil || !sameJSON(answer, json.RawMessage(want)) {
		t.Errorf("the answer is %s, %v, want %s", answer, err, want)
	}
}

// give answers a question in its document.
func give(t *testing.T, s *session, id, action string, content json.RawMessage) {
	t.Helper()
	if err := s.answers.give(id, action, content); err != nil {
		t.Fatal(err)
	}
}

// wantDocuments fails the test unless so many documents of questions are there.
func wantDocuments(t *testing.T, b *fakeBackend, want int) {
	t.Helper()
	if left, err := os.ReadDir(b.questionDir); err != nil || len(left) != want {
		t.Errorf("the documents are %v, %v", left, err)
	}
}

// All else is a document that the user fills in; where the client cannot open it, a message has its path.
func TestElicitInADocument(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	box := func(json.RawMessage) (any, error) { <-never; return nil, nil }
	for _, test := range []struct {
		name, fields string
		box          fakeeditor.Answer // nil: it must not be asked
		opens        bool
		has          string
	}{
		{"two fields", `"a":{"type":"boolean"},"b":{"type":"boolean","default":true}`, nil, true, "  a:\n  b: true\n"},
		{"a text", `"a":{"type":"string","title":"Title","description":"The\u001bname"}`, nil, true, "  # Title\n  # The\\u{1b}name\n"},
		{"many options", `"a":{"enum":["1","2","3","4","5","6","7"]}`, nil, true, "one of 1, 2"},
		{"a long option", `"a":{"enum":["` + strings.Repeat("x", 31) + `"]}`, nil, false, "xxx"},
		{"an option that declines", `"a":{"enum":["Decline"]}`, nil, false, "one of Decline"},
		{"a control character in an option", `"a":{"enum":["\u001b"]}`, nil, false, `\u{1b}`},
		{"a description that does not fit", `"a":{"type":"boolean","description":"` + strings.Repeat("word ", 100) + `"}`, nil, true, "word"},
		{"no answer to a box", `"a":{"type":"boolean"}`, box, true, "  a:"},
		{"no boxes", `"a":{"type":"boolean"}`, func(json.RawMessage) (any, error) { return nil, &fakeeditor.RPCError{Code: -32601, Message: "no"} }, false, "  a:"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			b.o.QuestionTimeout = 100 * time.Millisecond // of the box that is never answered; the answer to showDocument comes at once
			answers := map[string]fakeeditor.Answer{"window/showDocument": success}
			answers["window/showMessageRequest"] = test.box
			if test.box == nil {
				answers["window/showMessageRequest"] = func(json.RawMessage) (any, error) { t.Error("it was asked in a box"); return nil, nil }
			}
			capabilities := `{}`
			if test.opens {
				capabilities = canShow
			}
			e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(capabilities), Answers: answers})
			s := b.session()
			wait := asking(t.Context(), s.Elicit, form(test.fields))
			var path string
			if test.opens {
				path, _ = fileuri.ToPath(rawjson.String(e.AwaitMethod("window/showDocument").Params, "uri"))
			} else {
				message := said(e)
				_, path, _ = strings.Cut(message, "; open ")
				path, _, _ = strings.Cut(path, ", fill")
			}
			text, err := os.ReadFile(path)
			id := strings.TrimSuffix(filepath.Base(path), ".mcp")
			if err != nil || !strings.HasPrefix(string(text), "# The MCP server \"s\" asks:\n#\n# Sure?\n") || !strings.Contains(string(text), "\nanswer: "+id+"\nwith:\n") || !strings.Contains(string(text), test.has) {
				t.Errorf("the document is %v\n%s", err, text)
			}
			if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 || filepath.Dir(path) != b.questionDir || !strings.HasPrefix(id, "question-") {
				t.Errorf("the file is %s, %v, %v", path, info, err)
			}
			if q, ok := s.answers.find(id); !ok || q.server != "s" || rawjson.Get(q.schema, "properties") == nil || len(s.answers.list()) != 1 {
				t.Errorf("the open question is %+v", q)
			}
			for action, content := range map[string]string{"accept": `[1]`, "else": `{}`} {
				if err := s.answers.give(id, action, json.RawMessage(content)); err == nil {
					t.Errorf("%s with %s was taken", action, content)
				}
			}
			if err := s.answers.give("question-x", "accept", nil); err == nil {
				t.Error("an answer to another question was taken")
			}
			give(t, s, id, "accept", json.RawMessage(`{"a":"x"}`))
			wantAnswer(t, wait, `{"action":"accept","content":{"a":"x"}}`)
			if err := s.answers.give(id, "accept", nil); err == nil {
				t.Error("a second answer was taken")
			}
			if wantDocuments(t, b, 0); len(s.answers.list()) > 0 {
				t.Error("the question is still open")
			}
		})
	}
}

// An editor that opens the document and does not say so keeps neither the answer nor the end of a question.
func TestDocumentThatIsNeverShown(t *testing.T) {
	b := newFakeBackend()
	b.o.QuestionTimeout = time.Hour
	never := make(chan struct{})
	defer close(never)
	e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(canShow), Answers: map[string]fakeeditor.Answer{
		"window/showDocument": func(json.RawMessage) (any, error) { <-never; return nil, nil },
	}})
	s := b.session()
	wait := asking(t.Context(), s.Elicit, form(`"a":{"type":"string"}`))
	e.AwaitMethod("window/showDocument")
	give(t, s, s.answers.list()[0].id, "accept", nil)
	wantAnswer(t, wait, `{"action":"accept","content":{}}`)
	ctx, cancel := context.WithCancel(t.Context())
	wait = asking(ctx, s.Elicit, form(`"a":{"type":"string"}`))
	e.Await("the second question", func(fakeeditor.Message) bool { return len(s.answers.list()) == 1 })
	cancel()
	if _, err := wait(); err != context.Canceled {
		t.Errorf("the error is %v", err)
	}
	awaitText(e, "window/showMessage", "no longer waits for your answer")
	wantDocuments(t, b, 0)
}

// Several questions at once are opened one after the other: each takes the keys of the one before.
func TestDocumentsOfQuestionsComeOneByOne(t *testing.T) {
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(canShow), Answers: shows})
	s := b.session()
	shown := func() (list []string) {
		for _, m := range e.Messages() {
			if m.Method == "window/showDocument" {
				path, _ := fileuri.ToPath(rawjson.String(m.Params, "uri"))
				list = append(list, strings.TrimSuffix(filepath.Base(path), ".mcp"))
			}
		}
		return list
	}
	const questions = 5
	var waits []func() (json.RawMessage, error)
	for range questions {
		waits = append(waits, asking(t.Context(), s.Elicit, form(`"a":{"type":"string"}`)))
	}
	e.Await("the others", func(fakeeditor.Message) bool { return len(told(e)) == questions-1 && len(shown()) == 1 })
	for n := range questions {
		e.Await("the next document", func(fakeeditor.Message) bool { return len(shown()) > n })
		if list := shown(); len(list) != n+1 {
			t.Fatalf("%d documents were opened after %d answers", len(list), n)
		} else {
			give(t, s, list[n], "decline", nil)
		}
	}
	for _, wait := range waits {
		wantAnswer(t, wait, `{"action":"decline"}`)
	}
}

// A question that is taken back goes with its file, and the user is told.
func TestDocumentIsWithdrawn(t *testing.T) {
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{})
	s := b.session()
	ctx, cancel := context.WithCancel(t.Context())
	first := asking(ctx, s.Elicit, form(`"a":{"type":"string"}`))
	e.AwaitMethod("window/showMessage")
	old := s.answers.list()[0]
	second := asking(t.Context(), s.Elicit, form(`"b":{"type":"string"}`))
	e.Await("the second question", func(fakeeditor.Message) bool { return len(told(e)) == 2 })
	cancel()
	if _, err := first(); err != context.Canceled {
		t.Errorf("the error is %v", err)
	}
	e.Await("the end", func(fakeeditor.Message) bool {
		return slices.Contains(told(e), `3 The MCP server "s" no longer waits for your answer in `+old.id+".mcp")
	})
	open := s.answers.list()
	if len(open) != 1 || open[0].id == old.id {
		t.Fatalf("%d questions are open", len(open))
	}
	wantDocuments(t, b, 1)
	if err := s.openQuestions(t.Context(), nil); err != nil { // the user looks for what waits
		t.Error(err)
	}
	e.Await("the path", func(fakeeditor.Message) bool { return len(told(e)) == 4 })
	give(t, s, open[0].id, "decline", nil)
	if got := told(e); got[3] != got[1] || !strings.Contains(got[1], open[0].path) {
		t.Errorf("told was %q", got)
	}
	wantAnswer(t, second, `{"action":"decline"}`)
	if err := s.openQuestions(t.Context(), nil); err != nil {
		t.Error(err)
	}
	e.Await("nothing waits", func(fakeeditor.Message) bool { return slices.Contains(told(e), "3 No question waits for your answer.") })
}

// Fault editor-killed: a question ends with the editor that it waits in, and so does its file.
func TestDocumentEndsWithTheEditor(t *testing.T) {
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{})
	wait := asking(context.Background(), b.theEditor().Elicit, form(`"a":{"type":"string"}`))
	e.AwaitMethod("window/showMessage")
	e.Vanish()
	if _, err := wait(); err != ErrEditorGone {
		t.Errorf("the error is %v", err)
	}
	wantDocuments(t, b, 0)
}

// A password is never typed where it is seen: another editor or the terminal is asked. It is said once.
func TestPlainClientIsAskedForNoPassword(t *testing.T) {
	b := newFakeBackend()
	e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(canShow)})
	for range 2 {
		_, err := b.theEditor().Elicit(t.Context(), Question{Server: "s", Params: json.RawMessage(
			`{"message":"The token","requestedSchema":{"properties":{"value":{"type":"string"}}},"_meta":{"mcp-editord/input":{"id":"token","password":true}}}`)})
		if !cannotAsk(err) {
			t.Errorf("the error is %v", err)
		}
	}
	b.theEditor().ShowMessage(SeverityInfo, "the end")
	e.Await("the end", func(fakeeditor.Message) bool { return slices.Contains(told(e), "3 the end") })
	want := []string{`2 The MCP server "s" needs the password "token", which this editor would show as you type it; in its folder, run: mcp-editord tools s`, "3 the end"}
	if got := told(e); !slices.Equal(got, want) {
		t.Errorf("told was %q", got)
	}
}

// An address is opened once the user has seen its host and agreed.
func TestElicitURLInAPlainClient(t *testing.T) {
	const address = "https://a.example/x?y=z"
	for _, test := range []struct {
		name, capabilities, choose string
		success                    bool
		want, message              string
		opened                     bool
	}{
		{"opens", canShow, "Open", true, `{"action":"accept"}`, "", true},
		{"declines", canShow, "Cancel", true, `{"action":"decline"}`, "", false},
		{"closes", canShow, "", true, `{"action":"cancel"}`, "", false},
		{"cannot open", canShow, "Open", false, `{"action":"accept"}`, "Open this address in a browser: " + address, true},
		{"has no documents", `{}`, "Open", false, `{"action":"accept"}`, "Open this address in a browser: " + address, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newFakeBackend()
			e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(test.capabilities), Answers: map[string]fakeeditor.Answer{
				"window/showMessageRequest": chooses(test.choose),
				"window/showDocument":       always(map[string]bool{"success": test.success}),
			}})
			answer, err := b.theEditor().Elicit(t.Context(), Question{Server: "s", Params: json.RawMessage(
				`{"mode":"url","message":"Pay","url":"` + address + `","_meta":{"mcp-editord/url":{"host":"a.example","warning":"it is not encrypted"}}}`)})
			if err != nil || string(answer) != test.want {
				t.Errorf("the answer is %s, %v", answer, err)
			}
			box := rawjson.String(e.AwaitMethod("window/showMessageRequest").Params, "message")
			if want := "The MCP server \"s\" asks you to open a page at a.example.\n" + address + "\nPay\nBeware: it is not encrypted."; box != want {
				t.Errorf("the box says %q, want %q", box, want)
			}
			if test.message != "" {
				if got := said(e); got != test.message {
					t.Errorf("the message is %q", got)
				}
			}
			opened := slices.ContainsFunc(e.Messages(), func(m fakeeditor.Message) bool {
				return m.Method == "window/showDocument" && rawjson.String(m.Params, "uri") == address && isTrue(m.Params, "external")
			})
			if opened != test.opened {
				t.Errorf("opened is %v", opened)
			}
		})
	}
}

// What a model is asked, a person can answer.
func TestSampleInAPlainClient(t *testing.T) {
	for action, want := range map[string]string{"accept": `{"role":"assistant","content":{"type":"text","text":"yes"},"model":"person","stopReason":"endTurn"}`, "decline": ""} {
		b := newFakeBackend()
		e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(canShow), Answers: shows})
		s := b.session()
		wait := asking(t.Context(), s.Sample, Question{Server: "s", Params: json.RawMessage(
			`{"systemPrompt":"Be\nbrief","messages":[{"role":"user","content":{"type":"text","text":"Is it?"}},{"role":"user","content":[{"type":"image","data":"x"}]}]}`)})
		path, _ := fileuri.ToPath(rawjson.String(e.AwaitMethod("window/showDocument").Params, "uri"))
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "# system: Be\n# brief\n#\n# user: Is it?\n#\n# user: [image]\n") || !strings.Contains(string(text), "  text:\n") {
			t.Errorf("the document is %v\n%s", err, text)
		}
		give(t, s, s.answers.list()[0].id, action, json.RawMessage(`{"text":"yes"}`))
		answer, err := wait()
		if want != "" && (err != nil || !sameJSON(answer, json.RawMessage(want))) || want == "" && err == nil {
			t.Errorf("the answer is %s, %v", answer, err)
		}
	}
}

// A call of an agent that does not fit into a box is decided on in a document that shows all of it.
func TestApproveCallInADocument(t *testing.T) {
	for action, want := range map[string]Decision{"accept": DecisionAllow, "decline": DecisionDeny, "cancel": DecisionLater} {
		b := newFakeBackend()
		e := open(t, b, fakeeditor.Options{Capabilities: json.RawMessage(canShow), Answers: map[string]fakeeditor.Answer{
			"window/showMessageRequest": chooses("Look"),
			"window/showDocument":       success,
		}})
		s := b.session()
		wait := asking(t.Context(), func(ctx context.Context, _ Question) (json.RawMessage, error) {
			decision, err := s.Approve(ctx, ApproveParams{Kind: ApproveCall, Server: "s", Text: ApprovalText{Title: "May it?", Whole: strings.Repeat("a line\n", 2000)}})
			return json.RawMessage(decision), err
		}, Question{})
		path, _ := fileuri.ToPath(rawjson.String(e.AwaitMethod("window/showDocument").Params, "uri"))
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(text), "# May it?\n#\n"+strings.Repeat("# a line\n", 2000)) || !strings.HasSuffix(string(text), "\nanswer: "+s.answers.list()[0].id+"\n") {
			t.Errorf("the document is %v\n%.300s", err, text)
		}
		give(t, s, s.answers.list()[0].id, action, nil)
		wantAnswer(t, wait, string(want))
	}
}
