package fakeeditor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// An Answer answers a request of the daemon: with a result, or with an error, which may be
// an [*RPCError]. It runs on its own goroutine and may block; the test that made it makes
// sure that it returns.
type Answer func(params json.RawMessage) (any, error)

// Options say what kind of editor to make. They are copied.
type Options struct {
	Name                  string          // clientInfo.name; "fakeeditor" when empty
	Folders               []string        // URIs; nil sends no workspaceFolders
	Capabilities          json.RawMessage // LSP's ClientCapabilities; {} when nil
	InitializationOptions json.RawMessage // not sent when nil
	Answers               map[string]Answer
}

// An Editor is made by [New] or [Open]. Its methods are safe for concurrent use; those that
// can fail the test must run on the test's goroutine.
type Editor struct {
	t    T
	rwc  io.ReadWriteCloser
	o    Options
	done chan struct{} // closed when reading has ended

	writing sync.Mutex // one frame at a time; taken before mu

	mu       sync.Mutex // guards the fields that follow
	messages []Message
	changed  chan struct{} // closed and replaced with every message received
	lastID   int
	stalled  chan struct{} // not nil while the editor does not read
	err      error         // why reading ended
}

// New returns an editor that reads from rwc and has sent nothing yet. It vanishes when the
// test ends.
func New(t T, rwc io.ReadWriteCloser, o Options) *Editor {
	e := &Editor{t: t, rwc: rwc, o: o, done: make(chan struct{}), changed: make(chan struct{})}
	go e.read()
	t.Cleanup(func() {
		e.Vanish()
		<-e.done
	})
	return e
}

// Open returns an editor that has shaken hands.
func Open(t T, rwc io.ReadWriteCloser, o Options) *Editor {
	t.Helper()
	e := New(t, rwc, o)
	e.Initialize()
	return e
}

// Initialize sends initialize and, once that is answered, initialized. It returns the
// result.
func (e *Editor) Initialize() json.RawMessage {
	e.t.Helper()
	result := e.Start("initialize", e.InitializeParams()).Result()
	e.Notify("initialized", map[string]any{})
	return result
}

// InitializeParams returns what Initialize sends.
func (e *Editor) InitializeParams() map[string]any {
	name := e.o.Name
	if name == "" {
		name = "fakeeditor"
	}
	params := map[string]any{
		"processId": nil, "rootUri": nil,
		"clientInfo":   map[string]string{"name": name, "version": "1"},
		"capabilities": json.RawMessage("{}"),
	}
	if e.o.Capabilities != nil {
		params["capabilities"] = e.o.Capabilities
	}
	if e.o.InitializationOptions != nil {
		params["initializationOptions"] = e.o.InitializationOptions
	}
	if e.o.Folders != nil {
		folders := []map[string]string{}
		for _, uri := range e.o.Folders {
			folders = append(folders, map[string]string{"uri": uri, "name": uri[strings.LastIndexByte(uri, '/')+1:]})
		}
		params["workspaceFolders"] = folders
	}
	return params
}

// Request sends a request and waits for its answer.
func (e *Editor) Request(method string, params any) (json.RawMessage, *RPCError) {
	e.t.Helper()
	return e.Start(method, params).Wait()
}

// Call sends a request that must succeed, and reads its result into result unless that is nil.
func (e *Editor) Call(method string, params, result any) {
	e.t.Helper()
	raw := e.Start(method, params).Result()
	if result == nil {
		return
	}
	if err := json.Unmarshal(raw, result); err != nil {
		e.Fatalf("%s: reading %s: %v", method, raw, err)
	}
}

// Start sends a request and does not wait.
func (e *Editor) Start(method string, params any) *Pending {
	e.t.Helper()
	e.mu.Lock()
	e.lastID++
	id := json.RawMessage(fmt.Sprint(e.lastID))
	e.mu.Unlock()
	return e.StartID(id, method, params)
}

// StartID is Start with an id that the caller chooses.
func (e *Editor) StartID(id json.RawMessage, method string, params any) *Pending {
	e.t.Helper()
	e.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return &Pending{ID: id, method: method, e: e}
}

// A Pending is a request that was sent.
type Pending struct {
	ID     json.RawMessage
	method string
	e      *Editor
}

func (p *Pending) String() string { return fmt.Sprintf("request %s (%s)", p.ID, p.method) }

// Wait waits for the answer. The bytes of the result are as they were on the wire.
func (p *Pending) Wait() (json.RawMessage, *RPCError) {
	p.e.t.Helper()
	m := p.e.Await("the answer to "+p.String(), p.answer)
	return m.Result, m.Error
}

// Result waits for the answer, which must not be an error, and returns its result.
func (p *Pending) Result() json.RawMessage {
	p.e.t.Helper()
	result, err := p.Wait()
	if err != nil {
		p.e.Fatalf("%s: %v", p, err)
	}
	return result
}

// Answered tells whether the answer has come.
func (p *Pending) Answered() bool { return slices.ContainsFunc(p.e.Messages(), p.answer) }

// Cancel sends $/cancelRequest.
func (p *Pending) Cancel() {
	p.e.t.Helper()
	p.e.Notify("$/cancelRequest", map[string]any{"id": p.ID})
}

func (p *Pending) answer(m Message) bool {
	return !m.Sent && m.Method == "" && string(m.ID) == string(p.ID)
}

// Notify sends a notification.
func (e *Editor) Notify(method string, params any) {
	e.t.Helper()
	e.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// Messages returns the conversation so far.
func (e *Editor) Messages() []Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.messages)
}

// Vanish closes the connection without a word.
func (e *Editor) Vanish() {
	e.Resume()
	_ = e.rwc.Close() // it may be closed already
}

// Leave ends the session as LSP wants it.
func (e *Editor) Leave() {
	e.t.Helper()
	e.Call("shutdown", nil, nil)
	e.Notify("exit", nil)
	e.AwaitEnd()
}

// Stall makes the editor stop reading after at most one more message.
func (e *Editor) Stall() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stalled == nil {
		e.stalled = make(chan struct{})
	}
}

// Resume makes a stalled editor read again.
func (e *Editor) Resume() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stalled != nil {
		close(e.stalled)
		e.stalled = nil
	}
}

// SendRaw writes bytes as they are. It does not fail the test, because the bytes may make the
// daemon close the connection.
func (e *Editor) SendRaw(b []byte) error {
	e.writing.Lock()
	defer e.writing.Unlock()
	_, err := e.rwc.Write(b)
	return err
}

// SendBody sends body in a frame.
func (e *Editor) SendBody(body string) error { return e.SendRaw(Frame([]byte(body))) }

// send sends one message. An editor that has vanished sends nothing.
func (e *Editor) send(message map[string]any) {
	e.t.Helper()
	if params, ok := message["params"]; ok && params == nil {
		delete(message, "params")
	}
	body, err := encode(message)
	if err != nil {
		e.t.Errorf("encoding a message: %v", err)
		return
	}
	m, _ := parse(body)
	m.Sent = true
	e.writing.Lock()
	defer e.writing.Unlock()
	e.mu.Lock()
	e.messages = append(e.messages, m)
	e.mu.Unlock()
	_, _ = e.rwc.Write(Frame(body)) // a failure shows in the wait for the answer: the connection has ended
}

// read takes in messages until the connection ends. It owns the goroutines of the answers.
func (e *Editor) read() {
	defer close(e.done)
	r := bufio.NewReader(e.rwc)
	for {
		e.mu.Lock()
		stalled := e.stalled
		e.mu.Unlock()
		if stalled != nil {
			<-stalled
		}
		body, err := readFrame(r)
		var m Message
		if err == nil {
			m, err = parse(body)
		}
		e.mu.Lock()
		if err != nil {
			e.err = err
		} else {
			e.messages = append(e.messages, m)
		}
		close(e.changed)
		e.changed = make(chan struct{})
		e.mu.Unlock()
		if err != nil {
			return
		}
		if m.Method != "" && m.ID != nil {
			go e.answer(m)
		}
	}
}

// answer answers a request of the daemon, with -32601 if it has no Answer.
func (e *Editor) answer(m Message) {
	reply := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	answer, ok := e.o.Answers[m.Method]
	if !ok {
		answer = func(json.RawMessage) (any, error) {
			return nil, &RPCError{Code: -32601, Message: "the fake editor has no answer to " + m.Method}
		}
	}
	result, err := answer(m.Params)
	if rpc := (*RPCError)(nil); err == nil {
		reply["result"] = result
	} else if errors.As(err, &rpc) {
		reply["error"] = rpc
	} else {
		reply["error"] = &RPCError{Code: -32603, Message: err.Error()}
	}
	e.send(reply)
}
