package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// A bridge serves Streamable HTTP with an MCP server on stdio behind it, because the suite speaks
// nothing else to servers. It changes what HTTP makes it change, and nothing more:
//
//   - The initialize era: each session has a process of its own.
//   - 2026-07-28: all requests share one process, so they get ids of the bridge's own there.
//
// It checks nothing: what the suite asks about HTTP itself is not asked of a server on stdio.
type bridge struct {
	ctx     context.Context
	command func(ctx context.Context) *exec.Cmd

	mu       sync.Mutex // guards the fields that follow
	sessions map[string]*pipe
	shared   *pipe // of 2026-07-28
}

const (
	sessionHeader  = "Mcp-Session-Id"
	versionHeader  = "MCP-Protocol-Version"
	modernVersion  = "2026-07-28"
	metaVersion    = "io.modelcontextprotocol/protocolVersion"
	subscriptionID = "io.modelcontextprotocol/subscriptionId"
)

// newBridge returns a bridge whose processes end with ctx.
func newBridge(ctx context.Context, command func(context.Context) *exec.Cmd) *bridge {
	return &bridge{ctx: ctx, command: command, sessions: map[string]*pipe{}}
}

func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	modern := r.Header.Get(versionHeader) == modernVersion || rawjson.Path(body, "params", "_meta", metaVersion) != nil
	method := rawjson.String(body, "method")
	id := rawjson.Get(body, "id")
	var p *pipe
	switch {
	case modern:
		p, err = b.stateless()
	case method == "initialize":
		var name string
		if name, p, err = b.open(); err == nil {
			w.Header().Set(sessionHeader, name)
		}
	default:
		if p = b.session(r.Header.Get(sessionHeader)); p == nil {
			http.Error(w, "there is no such session", http.StatusNotFound)
			return
		}
	}
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	case r.Method == http.MethodDelete:
		b.end(r.Header.Get(sessionHeader))
	case r.Method != http.MethodPost:
		http.Error(w, "only POST and DELETE are served", http.StatusMethodNotAllowed)
	case id == nil || method == "": // a notification, or an answer
		if err := p.write(body); err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	default:
		p.serve(w, r, p.request(body, id, modern))
	}
}

// open starts the process of a new session.
func (b *bridge) open() (name string, p *pipe, err error) {
	if p, err = startPipe(b.command(b.ctx)); err != nil {
		return "", nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	name = strconv.Itoa(len(b.sessions) + 1)
	b.sessions[name] = p
	return name, p, nil
}

func (b *bridge) session(name string) *pipe {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sessions[name]
}

// end ends a session. Its name is not used again.
func (b *bridge) end(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.sessions[name]; p != nil {
		p.in.Close()
		b.sessions[name] = nil
	}
}

// stateless returns the one process for requests of 2026-07-28.
func (b *bridge) stateless() (*pipe, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shared == nil {
		var err error
		if b.shared, err = startPipe(b.command(b.ctx)); err != nil {
			return nil, err
		}
	}
	return b.shared, nil
}

// A pipe is a process, and the requests to it that are under way.
type pipe struct {
	in io.WriteCloser

	mu      sync.Mutex // guards the fields that follow, and writing to in
	lastID  int
	streams []*stream // the newest last
}

// A stream is what answers one HTTP request.
type stream struct {
	id       json.RawMessage // of the request, as the suite wrote it
	own      json.RawMessage // the same as the process knows it
	token    json.RawMessage // of its progress; nil for none
	messages chan []byte     // the last is the answer
}

// startPipe starts a process and reads what it says until it ends.
func startPipe(cmd *exec.Cmd) (*pipe, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &pipe{in: in}
	go func() {
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				break
			}
			p.take(line[:len(line)-1])
		}
		_ = cmd.Wait() // it was ended, or the suite sees that nothing comes
	}()
	return p, nil
}

// write sends a line.
func (p *pipe) write(message []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.in.Write(append(rawjson.Compact(message), '\n'))
	return err
}

// request sends a request and returns what answers it. An id of the bridge's own takes the place of
// the suite's where several clients share the process.
func (p *pipe) request(body []byte, id json.RawMessage, shared bool) *stream {
	s := &stream{id: id, own: id, token: rawjson.Path(body, "params", "_meta", "progressToken"), messages: make(chan []byte, 1000)}
	p.mu.Lock()
	if shared {
		p.lastID++
		s.own = json.RawMessage(strconv.Itoa(p.lastID))
	}
	p.streams = append(p.streams, s)
	p.mu.Unlock()
	if err := p.write(rawjson.Set(body, "id", s.own)); err != nil {
		p.take(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%q}}`, s.own, err.Error()))
	}
	return s
}

// take gives a message of the process to the stream that it belongs to. What belongs to none while there is no request
// has nowhere to go: the bridge serves no GET.
func (p *pipe) take(message []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	answer := rawjson.Get(message, "method") == nil
	id, token := rawjson.Get(message, "id"), rawjson.Path(message, "params", "progressToken")
	listens := rawjson.Path(message, "params", "_meta", subscriptionID)
	var to *stream
	for _, s := range p.streams {
		switch {
		case answer:
			if string(s.own) == string(id) {
				s.messages <- rawjson.Set(message, "id", s.id)
				close(s.messages)
				p.drop(s)
				return
			}
		case listens != nil && string(listens) == string(s.own):
			params := rawjson.Get(message, "params")
			meta := rawjson.Set(rawjson.Get(params, "_meta"), subscriptionID, s.id)
			s.messages <- rawjson.Set(message, "params", rawjson.Set(params, "_meta", meta))
			return
		case token == nil || s.token != nil && string(s.token) == string(token):
			to = s
		}
	}
	if !answer && to != nil {
		to.messages <- message
	}
}

// drop forgets a stream. p.mu is held.
func (p *pipe) drop(gone *stream) {
	p.streams = slices.DeleteFunc(p.streams, func(s *stream) bool { return s == gone })
}

// serve writes what comes on s: an answer that comes first as JSON, all else as a stream of events.
// A request whose client goes is cancelled.
func (p *pipe) serve(w http.ResponseWriter, r *http.Request, s *stream) {
	events := false
	for {
		select {
		case message, more := <-s.messages:
			switch {
			case !more:
				return
			case !events && rawjson.Get(message, "method") == nil:
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status(message))
				_, _ = w.Write(message)
				return
			case !events:
				w.Header().Set("Content-Type", "text/event-stream")
				events = true
			}
			fmt.Fprintf(w, "event: message\ndata: %s\n\n", message)
			_ = http.NewResponseController(w).Flush()
		case <-r.Context().Done():
			p.mu.Lock()
			p.drop(s)
			p.mu.Unlock()
			_ = p.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, s.own))
			return
		}
	}
}

// status returns the status code of HTTP for an answer (MCP 2026-07-28, Transports, Streamable HTTP).
func status(answer []byte) int {
	switch code, _ := rawjson.Int(rawjson.Get(answer, "error"), "code"); code {
	case -32601:
		return http.StatusNotFound
	case -32602, -32600, -32700, -32020, -32021, -32022:
		return http.StatusBadRequest
	default:
		return http.StatusOK
	}
}
