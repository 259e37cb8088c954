package fakeserver

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
)

// maxBody is the size of the largest message that the server takes over HTTP.
const maxBody = 64 << 20

// httpServer is the server over HTTP.
type httpServer struct {
	*server
	how HTTPScript
}

// serve listens on an address of the loopback interface, prints the URL, and
// serves until something fails.
func (s *server) serve(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("%s is not an address of the loopback interface: use 127.0.0.1:0", addr)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	h := &httpServer{server: s, how: s.script.HTTP}
	mux := http.NewServeMux()
	if h.how.SSE {
		mux.HandleFunc("GET /mcp", h.open)
		mux.HandleFunc("POST /message", h.message)
	} else {
		mux.HandleFunc("POST /mcp", h.post)
		mux.HandleFunc("GET /mcp", h.get)
		mux.HandleFunc("DELETE /mcp", h.delete)
	}
	fmt.Printf("http://%s/mcp\n", l.Addr())
	s.moment("start", message{out: func(string) {}})
	return http.Serve(l, mux)
}

// newSession begins a session of the legacy era.
func (h *httpServer) newSession(id string) *session {
	alone := newEvents("alone", h.how.EventIDs, h.how.RetryMs)
	c := &session{put: alone.put, alone: alone, streams: []*events{alone}}
	h.mu.Lock()
	h.sessions[id] = c
	h.mu.Unlock()
	return c
}

// session returns the session of a request. It returns nil when it has refused the request.
func (h *httpServer) session(w http.ResponseWriter, r *http.Request) *session {
	id := r.Header.Get("Mcp-Session-Id")
	if h.how.SSE {
		id = r.URL.Query().Get("session")
	}
	h.mu.Lock()
	c := h.sessions[id]
	h.mu.Unlock()
	switch {
	case c != nil:
	case id == "":
		// "Servers that require a session ID SHOULD respond to requests without an
		// Mcp-Session-Id header (other than initialization) with HTTP 400 Bad Request"
		// (MCP 2025-11-25, Session Management).
		h.refuse(w, nil, http.StatusBadRequest, -32000, "Bad Request: the Mcp-Session-Id header is required")
	default:
		h.refuse(w, nil, http.StatusNotFound, -32001, "Session not found")
	}
	return c
}

// refuse answers with an error, which is the whole response.
func (h *httpServer) refuse(w http.ResponseWriter, id json.RawMessage, status, code int, text string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, failure(code, text).err)
}

// recordEvent records what a client did without a message.
func (h *httpServer) recordEvent(method string, params map[string]any) {
	h.recordLine(append(raw(map[string]any{"method": method, "params": params}), '\n'))
}

// read reads and records the message of a POST. When it returns false, it has answered the
// request.
func (h *httpServer) read(w http.ResponseWriter, r *http.Request) (message, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var line bytes.Buffer
	if err == nil {
		err = json.Compact(&line, body)
	}
	m, ok := h.parse(line.Bytes())
	if err != nil || !ok {
		h.refuse(w, nil, http.StatusBadRequest, -32700, "the body is not one JSON-RPC message")
		return m, false
	}
	h.recordLine(append(line.Bytes(), '\n'))
	m.header = r.Header
	return m, true
}

// post takes a message over Streamable HTTP.
func (h *httpServer) post(w http.ResponseWriter, r *http.Request) {
	m, ok := h.read(w, r)
	if !ok {
		return
	}
	if h.how.RequireHeaders {
		if problem := h.wrongHeaders(m); problem != "" {
			h.refuse(w, m.ID, http.StatusBadRequest, -32020, "header mismatch: "+problem)
			return
		}
	}
	var c *session
	switch {
	case m.modern:
	case m.Method == "initialize":
		id := rand.Text()
		c = h.newSession(id)
		w.Header().Set("Mcp-Session-Id", id)
	default:
		if c = h.session(w, r); c == nil {
			return
		}
	}
	switch {
	case m.Method != "" && m.ID != nil:
		h.answerPost(w, r, m, c)
	case m.modern && m.Method == "":
		// "The client MUST NOT send JSON-RPC responses" (MCP 2026-07-28).
		h.refuse(w, nil, http.StatusBadRequest, -32600, "a response is neither a request nor a notification")
	default:
		m.out = func(string) {}
		if c != nil {
			m.out = c.put
		}
		h.received(m)
		w.WriteHeader(http.StatusAccepted)
	}
}

// answerPost answers a request over Streamable HTTP.
func (h *httpServer) answerPost(w http.ResponseWriter, r *http.Request, m message, c *session) {
	stream := newEvents(rand.Text(), h.how.EventIDs && c != nil, h.how.RetryMs)
	if stream.kept {
		h.mu.Lock()
		c.streams = append(c.streams, stream)
		c.streams = c.streams[max(0, len(c.streams)-64):]
		h.mu.Unlock()
	}
	if c == nil {
		m.gone = r.Context().Done()
	}
	m.out, m.hangUp = stream.put, stream.abort
	answered := false
	m.reply = func(line string, status int) {
		answered = true
		if status != 0 {
			stream.reply(status, line)
		} else {
			stream.put(line)
		}
	}
	go func() {
		// Without an answer the stream ends when the client goes, unless the server ends it.
		if h.answer(m); answered || r.Context().Err() == nil {
			stream.end()
		}
	}()
	if !stream.serve(w, r, 0, h.how.Drop != "") && r.Context().Err() != nil {
		h.recordEvent("closed", map[string]any{"requestId": m.ID})
	}
}

// get opens the standalone stream of a session, or resumes one.
func (h *httpServer) get(w http.ResponseWriter, r *http.Request) {
	last := r.Header.Get("Last-Event-ID")
	h.recordEvent("GET", map[string]any{"session": r.Header.Get("Mcp-Session-Id"), "lastEventID": last})
	if !h.speaksLegacy() || h.how.NoStream && last == "" {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if h.how.RequireHeaders && !accepts(r.Header, "text/event-stream") {
		h.refuse(w, nil, http.StatusNotAcceptable, -32020, "header mismatch: Accept must have text/event-stream")
		return
	}
	c := h.session(w, r)
	if c == nil {
		return
	}
	if last == "" {
		c.alone.serve(w, r, -1, false)
		return
	}
	name, number, _ := eventID(last)
	h.mu.Lock()
	var found *events
	for _, stream := range c.streams {
		if stream.name == name {
			found = stream
		}
	}
	h.mu.Unlock()
	if found == nil {
		h.refuse(w, nil, http.StatusNotFound, -32000, "there is no stream with this event")
		return
	}
	found.serve(w, r, number+1, false)
}

// delete ends a session.
func (h *httpServer) delete(w http.ResponseWriter, r *http.Request) {
	h.recordEvent("DELETE", map[string]any{"session": r.Header.Get("Mcp-Session-Id")})
	if !h.speaksLegacy() {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if c := h.session(w, r); c != nil {
		h.endSession(r.Header.Get("Mcp-Session-Id"))
		w.WriteHeader(http.StatusNoContent)
	}
}

// endSession forgets a session and ends its standalone stream.
func (s *server) endSession(id string) {
	s.mu.Lock()
	c := s.sessions[id]
	delete(s.sessions, id)
	s.mu.Unlock()
	if c != nil && c.alone != nil {
		c.alone.end()
	}
}

// open opens the stream of HTTP+SSE: "the server MUST send an `endpoint` event
// containing a URI for the client to use for sending messages" (MCP 2024-11-05).
func (h *httpServer) open(w http.ResponseWriter, r *http.Request) {
	h.recordEvent("GET", nil)
	id := rand.Text()
	c := h.newSession(id)
	defer h.endSession(id)
	c.alone.preamble = fmt.Sprintf("event: endpoint\ndata: /message?session=%s\n\n", id)
	c.alone.serve(w, r, -1, false)
}

// message takes a message over HTTP+SSE.
func (h *httpServer) message(w http.ResponseWriter, r *http.Request) {
	m, ok := h.read(w, r)
	if !ok {
		return
	}
	c := h.session(w, r)
	if c == nil {
		return
	}
	m.out = c.put
	m.reply = func(line string, _ int) { c.put(line) }
	m.hangUp = c.alone.abort
	w.WriteHeader(http.StatusAccepted)
	h.received(m)
}

// headers answers with the headers of the request over HTTP.
func headers(_ *server, _ args, m message) outcome {
	return outcome{result: object("headers", m.header)}
}

// forget ends every session and does not tell the clients.
func forget(s *server, _ args, _ message) outcome {
	s.mu.Lock()
	ids := maps.Clone(s.sessions)
	s.mu.Unlock()
	for id := range ids {
		s.endSession(id)
	}
	return outcome{}
}

// disconnect breaks the connection.
func disconnect(_ *server, _ args, m message) outcome {
	if m.hangUp != nil {
		m.hangUp()
	}
	return outcome{silent: true}
}
