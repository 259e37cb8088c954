package fakeserver

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Env is the environment variable that holds the script or the path of its file.
const Env = "FAKESERVER"

// Script says how a server behaves. The zero value is a well-behaved server whose tools are
// the actions.
type Script struct {
	// ProtocolVersions are the versions that the server speaks. It answers a client that
	// asks for another with the first one that has a handshake. Default: all from
	// 2025-11-25 back to 2024-11-05. 2026-07-28 may be among them, or alone.
	ProtocolVersions []string `json:"protocolVersions,omitempty"`

	// AnswerVersion is the version in the answer, whatever the client asks for.
	AnswerVersion string `json:"answerVersion,omitempty"`

	Capabilities json.RawMessage `json:"capabilities,omitempty"` // default: all
	ServerInfo   json.RawMessage `json:"serverInfo,omitempty"`
	Instructions string          `json:"instructions,omitempty"`

	// Tools are listed after the actions. OnlyTools leaves out the actions.
	Tools     []json.RawMessage `json:"tools,omitempty"`
	OnlyTools bool              `json:"onlyTools,omitempty"`

	Prompts           []json.RawMessage `json:"prompts,omitempty"`
	Resources         []json.RawMessage `json:"resources,omitempty"`
	ResourceTemplates []json.RawMessage `json:"resourceTemplates,omitempty"`

	PageSize   int  `json:"pageSize,omitempty"`   // of lists; 0 means one page
	LoopCursor bool `json:"loopCursor,omitempty"` // lists never end

	TTLMs int `json:"ttlMs,omitempty"` // at 2026-07-28: how long results stay true

	HTTP HTTPScript `json:"http,omitzero"` // how it behaves over HTTP

	Steps map[string][]json.RawMessage `json:"steps,omitempty"` // by moment

	// Unwatched is a file with the URIs of resources that the server refuses to watch, one
	// on each line. Without the file there are none. Every subscription reads it again.
	Unwatched string `json:"unwatched,omitempty"`

	Record string `json:"record,omitempty"` // file that gets every message
	Plain  bool   `json:"plain,omitempty"`  // no grease
	IDLast bool   `json:"idLast,omitempty"` // answers end with jsonrpc and id, as the TypeScript SDK writes them
}

// HTTPScript says how a server behaves over HTTP. The zero value is Streamable HTTP with
// sessions, standalone streams and answers in streams; no stream can be resumed.
type HTTPScript struct {
	SSE bool `json:"sse,omitempty"` // HTTP+SSE instead of Streamable HTTP

	NoStream bool `json:"noStream,omitempty"` // no standalone stream: 405

	// EventIDs makes streams of the legacy era resumable: they begin with an event that has
	// an id and no data, and all their events have ids. RetryMs is sent as `retry`.
	EventIDs bool `json:"eventIDs,omitempty"`
	RetryMs  int  `json:"retryMs,omitempty"`

	// Drop ends the response to a POST before it has a message, if it is "afterPriming".
	Drop string `json:"drop,omitempty"`

	// RequireHeaders refuses requests that lack a header of the specification.
	RequireHeaders bool `json:"requireHeaders,omitempty"`
}

// Environ returns the environment entry that makes a server follow s.
func (s Script) Environ() string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // invalid raw JSON in a test's script
	}
	return Env + "=" + string(b)
}

// readScript reads the script from the environment.
func readScript() (Script, error) {
	var s Script
	text := os.Getenv(Env)
	if text != "" && !strings.HasPrefix(text, "{") {
		b, err := os.ReadFile(text)
		if err != nil {
			return s, err
		}
		text = string(b)
	}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			return s, fmt.Errorf("reading the script in %s: %w", Env, err)
		}
	}
	if s.ProtocolVersions == nil {
		s.ProtocolVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
	}
	if s.Capabilities == nil {
		s.Capabilities = json.RawMessage(`{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"logging":{},"completions":{}}`)
	}
	if s.ServerInfo == nil {
		s.ServerInfo = json.RawMessage(`{"name":"fakeserver","version":"1"}`)
	}
	return s, nil
}
