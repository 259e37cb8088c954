// Package model stands in for the endpoint of a language model, so that real agents run without a
// network. It speaks as much of three APIs as they need: Anthropic's messages, and OpenAI's chat
// completions and responses.
//
// It says what the prompt tells it to. A prompt with "CALL <part of a tool's name> <arguments as JSON>"
// has it call the first tool that it was offered whose name has that part. To all else, and to the result
// of that call, it answers "STUB: " and what it was told.
package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// A Stub is one endpoint.
type Stub struct {
	URL string // without /v1

	mu       sync.Mutex // guards the fields that follow
	requests []string
}

// New serves a Stub on loopback until the test ends.
func New(t testing.TB) *Stub {
	t.Helper()
	s := &Stub{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Requests returns the bodies of what was asked so far.
func (s *Stub) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[:len(s.requests):len(s.requests)]
}

// An api is one of the APIs: how to read a question, and how to say an answer.
type api struct {
	read func(body []byte) (question, error)
	say  func(w *events, model string, a answer)
}

// A question is what an agent asks, in any API.
type question struct {
	Model  string
	Stream bool
	said   string  // the last text of the person
	result *string // of the last call; nil when the person spoke last
	tools  []tool
}

// A tool is one that the agent offers. Codex groups those of an MCP server in a namespace.
type tool struct{ namespace, name string }

// An answer is what the model says: a text, or a call.
type answer struct {
	text      string
	tool      tool // no name for a text
	arguments string
}

var prompt = regexp.MustCompile(`(?s)CALL (\S+) (\{.*\})`)

// answer follows the prompt.
func (q question) answer() answer {
	if q.result != nil {
		return answer{text: "STUB: " + *q.result}
	}
	match := prompt.FindStringSubmatch(q.said)
	if match == nil {
		return answer{text: "STUB: " + q.said}
	}
	arguments := match[2]
	if !json.Valid([]byte(arguments)) { // some agents quote the prompt
		arguments = strings.TrimSuffix(strings.ReplaceAll(arguments, `\"`, `"`), `"`)
	}
	var names []string
	for _, t := range q.tools {
		if strings.Contains(t.namespace+t.name, match[1]) {
			return answer{tool: t, arguments: arguments}
		}
		names = append(names, t.namespace+t.name)
	}
	return answer{text: fmt.Sprintf("STUB: no tool like %s among %q", match[1], names)}
}

func (s *Stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	apis := map[string]api{"/messages": messages, "/chat/completions": chat, "/responses": responses}
	for suffix, api := range apis {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, suffix) {
			continue
		}
		q, err := api.read(body)
		if err != nil {
			http.Error(w, `{"error":{"type":"invalid_request_error"}}`, http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		s.requests = append(s.requests, string(body))
		id := fmt.Sprint(len(s.requests))
		s.mu.Unlock()
		api.say(&events{w: w, stream: q.Stream, id: id}, q.Model, q.answer())
		return
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		_, _ = io.WriteString(w, `{"input_tokens":1}`)
	case strings.HasSuffix(r.URL.Path, "/models"):
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"stub","object":"model"}]}`)
	default:
		http.NotFound(w, r)
	}
}

// events writes an answer, whole or as events.
type events struct {
	w      http.ResponseWriter
	stream bool
	id     string // ends the ids in it
}

// whole writes the answer in one piece, and reports whether that was wanted.
func (e *events) whole(value any) bool {
	if e.stream {
		e.w.Header().Set("Content-Type", "text/event-stream")
		return false
	}
	e.w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(e.w).Encode(value)
	return true
}

// event writes one event; name may be "".
func (e *events) event(name string, value any) {
	if name != "" {
		fmt.Fprintf(e.w, "event: %s\n", name)
	}
	data, _ := json.Marshal(value) // maps of texts and numbers are always JSON
	fmt.Fprintf(e.w, "data: %s\n\n", data)
	_ = http.NewResponseController(e.w).Flush()
}

// object is a JSON object.
type object = map[string]any

// A content is a text, or a list of parts that have texts.
type content struct{ parts []part }

type part struct {
	Type    string  `json:"type"`
	Text    string  `json:"text"`
	Content content `json:"content"` // of a result
	Output  content `json:"output"`
}

func (c *content) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		c.parts = []part{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(b, &c.parts)
}

// text returns all texts.
func (c content) text() string {
	var texts []string
	for _, p := range c.parts {
		texts = append(texts, p.Text+p.Content.text()+p.Output.text())
	}
	return strings.Join(texts, "\n")
}
