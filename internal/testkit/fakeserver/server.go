package fakeserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"sync"
)

// message is any JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// server is the one server of this process.
type server struct {
	script Script
	record *os.File // nil when nothing is recorded

	// writing guards standard output: one message is one write.
	writing sync.Mutex

	// mu guards what follows.
	mu      sync.Mutex
	lists   map[string][]json.RawMessage // by the member of the result
	waiting map[string]chan json.RawMessage
	lastID  int
	deaf    bool
}

// Main is the server's life. It does not return.
func Main() {
	s := &server{waiting: map[string]chan json.RawMessage{}}
	var err error
	if s.script, err = readScript(); err == nil && s.script.Record != "" {
		s.record, err = os.OpenFile(s.script.Record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fakeserver:", err)
		os.Exit(2)
	}
	s.lists = map[string][]json.RawMessage{
		"tools":             s.script.Tools,
		"prompts":           s.script.Prompts,
		"resources":         s.script.Resources,
		"resourceTemplates": s.script.ResourceTemplates,
	}
	if !s.script.OnlyTools {
		s.lists["tools"] = slices.Concat(actionTools(), s.script.Tools)
	}
	s.moment("start", message{})
	s.read()
	s.moment("eof", message{})
	os.Exit(0)
}

// read takes messages until the end of stdin.
func (s *server) read() {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 && s.record != nil {
			_, _ = s.record.Write(line)
		}
		var m message
		if err == nil && json.Unmarshal(line, &m) == nil {
			s.received(m, line)
		}
		s.mu.Lock()
		deaf := s.deaf
		s.mu.Unlock()
		if deaf {
			forever()
		}
		if err != nil {
			return
		}
	}
}

// received deals with one message. Requests are answered in their own goroutines
// so that one that hangs holds up nothing; what may make the server deaf is not, so
// that nothing more is read after it.
func (s *server) received(m message, line []byte) {
	switch {
	case m.Method == "":
		s.mu.Lock()
		answer := s.waiting[string(m.ID)]
		delete(s.waiting, string(m.ID))
		s.mu.Unlock()
		if answer != nil {
			answer <- bytes.TrimSpace(line)
		}
	case m.ID == nil:
		if s.moment(m.Method, m); m.Method == "notifications/initialized" && !s.script.Plain {
			s.notify("notifications/x-grease", json.RawMessage(`{"x":[1,null,"grease"]}`))
		}
	case m.Method == "tools/call" && toolName(m.Params) == "deaf":
		s.answer(m)
	default:
		go s.answer(m)
	}
}

// outcome is what becomes of a request.
type outcome struct {
	result json.RawMessage
	err    json.RawMessage // an error object
	silent bool            // no answer
	batch  bool            // the answer is in a batch
	after  func()          // run when the answer is written
}

// answer answers one request.
func (s *server) answer(m message) {
	out := s.moment(m.Method, m)
	if out.err == nil && !out.silent {
		out = s.handle(m)
	}
	if out.silent {
		return
	}
	body := `"result":` + string(s.grease(out.result))
	if out.err != nil {
		body = `"error":` + string(out.err)
	}
	line := `{"jsonrpc":"2.0","id":` + string(m.ID) + `,` + body + `}`
	if s.script.IDLast {
		line = `{` + body + `,"jsonrpc":"2.0","id":` + string(m.ID) + `}`
	}
	if out.batch {
		line = `[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"in a batch"}},` + line + `]`
	}
	s.writeLine(line)
	if out.after != nil {
		out.after()
	}
}

// handle does what a server does.
func (s *server) handle(m message) outcome {
	switch m.Method {
	case "initialize":
		return s.initialize(m.Params)
	case "tools/list":
		return s.list("tools", m.Params)
	case "prompts/list":
		return s.list("prompts", m.Params)
	case "resources/list":
		return s.list("resources", m.Params)
	case "resources/templates/list":
		return s.list("resourceTemplates", m.Params)
	case "tools/call":
		return s.call(m)
	case "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		return outcome{result: json.RawMessage(`{}`)}
	case "prompts/get":
		return outcome{result: object("messages", []any{map[string]any{
			"role": "user", "content": map[string]any{"type": "text", "text": string(m.Params)}}})}
	case "resources/read":
		return outcome{result: object("contents", []any{map[string]any{"uri": member(m.Params, "uri"), "text": string(m.Params)}})}
	case "completion/complete":
		return outcome{result: json.RawMessage(`{"completion":{"values":["one","two"],"total":2,"hasMore":false}}`)}
	default:
		return failure(-32601, "method not found: "+m.Method)
	}
}

func (s *server) initialize(params json.RawMessage) outcome {
	var asked struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(params, &asked)
	version := s.script.AnswerVersion
	switch {
	case version != "":
	case slices.Contains(s.script.ProtocolVersions, asked.ProtocolVersion):
		version = asked.ProtocolVersion
	default:
		version = s.script.ProtocolVersions[0]
	}
	result := map[string]any{"protocolVersion": version, "capabilities": s.script.Capabilities, "serverInfo": s.script.ServerInfo}
	if s.script.Instructions != "" {
		result["instructions"] = s.script.Instructions
	}
	return outcome{result: raw(result)}
}

// list returns one page. The cursor is the index of its first element.
func (s *server) list(kind string, params json.RawMessage) outcome {
	var asked struct {
		Cursor string `json:"cursor"`
	}
	_ = json.Unmarshal(params, &asked)
	s.mu.Lock()
	all := slices.Clone(s.lists[kind])
	s.mu.Unlock()
	from := 0
	if asked.Cursor != "" && !s.script.LoopCursor {
		n, err := strconv.Atoi(asked.Cursor)
		if err != nil || n < 0 || n > len(all) {
			return failure(-32602, "invalid cursor")
		}
		from = n
	}
	to := len(all)
	if s.script.PageSize > 0 {
		to = min(to, from+s.script.PageSize)
	}
	result := map[string]any{kind: append([]json.RawMessage{}, all[from:to]...)}
	switch {
	case s.script.LoopCursor:
		result["nextCursor"] = "again"
	case to < len(all):
		result["nextCursor"] = strconv.Itoa(to)
	}
	return outcome{result: raw(result)}
}

// grease adds what nobody knows to a result.
func (s *server) grease(result json.RawMessage) json.RawMessage {
	if s.script.Plain || !bytes.HasPrefix(result, []byte("{")) {
		return result
	}
	const grease = `{"x-grease":{"n":12345678901234567890,"x":null}`
	if rest := bytes.TrimSpace(result[1:]); rest[0] == '}' {
		return json.RawMessage(grease + "}")
	}
	return append([]byte(grease+","), result[1:]...)
}

func (s *server) notify(method string, params json.RawMessage) {
	if params == nil {
		params = json.RawMessage(`{}`)
	}
	s.writeLine(`{"jsonrpc":"2.0","method":` + string(raw(method)) + `,"params":` + string(params) + `}`)
}

func (s *server) writeLine(line string) { s.write(os.Stdout, line+"\n") }

func (s *server) write(to io.Writer, text string) {
	s.writing.Lock()
	defer s.writing.Unlock()
	_, _ = io.WriteString(to, text)
}

// failure is an answer with an error.
func failure(code int, text string) outcome {
	return outcome{err: raw(map[string]any{"code": code, "message": text})}
}

// raw returns v as JSON.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage(`null`) // raw JSON from a script that is none
	}
	return b
}

func object(name string, value any) json.RawMessage { return raw(map[string]any{name: value}) }

// member returns a member of params that is a string.
func member(params json.RawMessage, name string) string {
	var m map[string]json.RawMessage
	var text string
	_ = json.Unmarshal(params, &m)
	_ = json.Unmarshal(m[name], &text)
	return text
}

func toolName(params json.RawMessage) string { return member(params, "name") }
