package fakeserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
)

// message is any incoming JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`

	text   json.RawMessage // the whole message
	modern bool            // of the modern era; see era.go

	// out takes a line that concerns this message. reply takes the line that answers it,
	// with a status, which is for HTTP only.
	out   func(line string)
	reply func(line string, status int)

	// The fields that follow are set only over HTTP. gone is closed when the client has
	// closed a modern request. hangUp breaks the connection.
	header http.Header
	gone   <-chan struct{}
	hangUp func()
}

// server is the one server of this process.
type server struct {
	script Script
	record *os.File // nil when nothing is recorded

	// writing guards standard output and record: one message is one write.
	writing sync.Mutex

	// mu guards the fields that follow.
	mu        sync.Mutex
	lists     map[string][]json.RawMessage // by the member of the result
	waiting   map[string]chan json.RawMessage
	lastID    int
	deaf      bool
	sessions  map[string]*session // of the legacy era, by id; on stdio there is one
	listeners map[*listener]bool
	asked     map[string]asked // by the requestState that was issued
}

// session is a client of the legacy era.
type session struct {
	put     func(line string) // takes lines that concern no request
	alone   *events           // the standalone stream of HTTP
	streams []*events         // those that can be resumed, the last ones
}

// Main runs the server. It does not return.
func Main() {
	s := &server{
		waiting:   map[string]chan json.RawMessage{},
		sessions:  map[string]*session{},
		listeners: map[*listener]bool{},
		asked:     map[string]asked{},
	}
	var err error
	if s.script, err = readScript(); err == nil && s.script.Record != "" {
		s.record, err = os.OpenFile(s.script.Record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err != nil {
		fail(err)
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
	if len(os.Args) == 3 && os.Args[1] == "-http" {
		fail(s.serve(os.Args[2]))
	}
	s.sessions[""] = &session{put: s.writeLine}
	s.moment("start", s.stdio(message{}))
	s.read()
	s.moment("eof", s.stdio(message{}))
	os.Exit(0)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "fakeserver:", err)
	os.Exit(2)
}

// stdio returns m as one that came from stdin.
func (s *server) stdio(m message) message {
	m.out = s.writeLine
	m.reply = func(line string, _ int) { s.writeLine(line) }
	return m
}

// read takes messages until the end of stdin.
func (s *server) read() {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			s.recordLine(line)
		}
		if m, ok := s.parse(line); err == nil && ok {
			m = s.stdio(m)
			if m.modern {
				// From now on nothing may come unasked.
				s.mu.Lock()
				delete(s.sessions, "")
				s.mu.Unlock()
			}
			s.received(m)
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

// parse reads one message.
func (s *server) parse(text []byte) (m message, ok bool) {
	ok = json.Unmarshal(text, &m) == nil
	m.text = bytes.TrimSpace(text)
	m.modern = s.isModern(m)
	return m, ok
}

// received handles one message. It answers each request in its own goroutine, so that a
// request that hangs holds up nothing. It answers a call of deaf at once, so that nothing
// more is read after it.
func (s *server) received(m message) {
	switch {
	case m.Method == "":
		s.mu.Lock()
		answer := s.waiting[string(m.ID)]
		delete(s.waiting, string(m.ID))
		s.mu.Unlock()
		if answer != nil {
			answer <- m.text
		}
	case m.ID == nil:
		s.notified(m)
	case m.Method == "tools/call" && toolName(m.Params) == "deaf":
		s.answer(m)
	default:
		go s.answer(m)
	}
}

// notified handles a notification.
func (s *server) notified(m message) {
	s.moment(m.Method, m)
	switch m.Method {
	case "notifications/initialized":
		if !s.script.Plain {
			m.out(notification("notifications/x-grease", json.RawMessage(`{"x":[1,null,"grease"]}`)))
		}
	case "notifications/cancelled":
		s.cancelListen(m.Params)
	}
}

// outcome is the result of handling a request.
type outcome struct {
	result json.RawMessage
	err    json.RawMessage // an error object
	status int             // of HTTP; 0 means 200
	silent bool            // there is no answer
	whole  bool            // the result is complete: nothing is added
	batch  bool            // the answer is in a batch
	after  func()          // runs when the answer is written
}

// ends tells whether the outcome ends the request: nothing else handles it.
func (o outcome) ends() bool { return o.err != nil || o.silent || o.whole }

// answer answers one request.
func (s *server) answer(m message) {
	out := s.moment(m.Method, m)
	if !out.ends() {
		out = s.refusal(m)
	}
	if !out.ends() {
		out = s.handle(m)
	}
	if out.silent {
		return
	}
	body := `"result":` + string(s.grease(s.complete(m, out.result)))
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
	m.reply(line, out.status)
	if out.after != nil {
		out.after()
	}
}

// handle does what a well-behaved server does.
func (s *server) handle(m message) outcome {
	if m.modern {
		switch m.Method {
		case "server/discover":
			return s.introduce(map[string]any{"supportedVersions": s.script.ProtocolVersions})
		case "subscriptions/listen":
			return s.listen(m)
		}
	}
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
	case "resources/subscribe":
		return s.subscribe(m.Params)
	case "ping", "logging/setLevel", "resources/unsubscribe":
		return outcome{result: json.RawMessage(`{}`)}
	case "prompts/get":
		return outcome{result: object("messages", []any{map[string]any{
			"role": "user", "content": map[string]any{"type": "text", "text": string(m.Params)}}})}
	case "resources/read":
		return outcome{result: object("contents", []any{map[string]any{"uri": member(m.Params, "uri"), "text": string(m.Params)}})}
	case "completion/complete":
		return outcome{result: json.RawMessage(`{"completion":{"values":["one","two"],"total":2,"hasMore":false}}`)}
	default:
		return unknownMethod(m)
	}
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

// grease adds an unknown member to a result.
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

// notification returns the line of a notification.
func notification(method string, params json.RawMessage) string {
	if params == nil {
		params = json.RawMessage(`{}`)
	}
	return `{"jsonrpc":"2.0","method":` + string(raw(method)) + `,"params":` + string(params) + `}`
}

// announce sends a notification that concerns no request to every client of the legacy era,
// and to those of the modern era that listen for it.
func (s *server) announce(method string, params json.RawMessage) {
	line := notification(method, params)
	s.mu.Lock()
	var to []func(string)
	for _, c := range s.sessions {
		to = append(to, c.put)
	}
	s.mu.Unlock()
	for _, put := range to {
		put(line)
	}
	s.announceListeners(method, params)
}

func (s *server) writeLine(line string) { s.write(os.Stdout, line+"\n") }

func (s *server) write(to io.Writer, text string) {
	s.writing.Lock()
	defer s.writing.Unlock()
	_, _ = io.WriteString(to, text)
}

// recordLine records what came in.
func (s *server) recordLine(line []byte) {
	if s.record != nil {
		s.write(s.record, string(line))
	}
}

// failure is an answer with an error.
func failure(code int, text string) outcome {
	return outcome{err: raw(map[string]any{"code": code, "message": text})}
}

// raw returns v as JSON.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage(`null`) // invalid raw JSON in a script
	}
	return b
}

func object(name string, value any) json.RawMessage { return raw(map[string]any{name: value}) }

// member returns a string member of params, "" when there is none.
func member(params json.RawMessage, name string) string {
	var m map[string]json.RawMessage
	var text string
	_ = json.Unmarshal(params, &m)
	_ = json.Unmarshal(m[name], &text)
	return text
}

func toolName(params json.RawMessage) string { return member(params, "name") }
