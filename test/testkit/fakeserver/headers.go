package fakeserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// wrongHeaders returns what is wrong with the headers of a POST, "" when nothing is.
func (h *httpServer) wrongHeaders(m message) string {
	if !accepts(m.header, "application/json") || !accepts(m.header, "text/event-stream") {
		return "Accept must have application/json and text/event-stream"
	}
	if !strings.HasPrefix(m.header.Get("Content-Type"), "application/json") {
		return "Content-Type must be application/json"
	}
	version := m.header.Get("MCP-Protocol-Version")
	if !m.modern {
		// "the client MUST include the MCP-Protocol-Version header on all subsequent
		// requests" (MCP 2025-11-25, Protocol Version Header).
		if version == "" && m.Method != "initialize" && h.script.ProtocolVersions[0] >= "2025-06-18" {
			return "MCP-Protocol-Version is required"
		}
		return ""
	}
	if m.ID == nil || m.Method == "" {
		return "" // "header requirements for notification POSTs are not defined by this revision"
	}
	want := map[string]string{"MCP-Protocol-Version": member(raw(meta(m.Params)), metaVersion), "Mcp-Method": m.Method}
	switch m.Method {
	case "tools/call", "prompts/get":
		want["Mcp-Name"] = toolName(m.Params)
	case "resources/read":
		want["Mcp-Name"] = member(m.Params, "uri")
	}
	if m.Method == "tools/call" {
		for name, value := range h.paramHeaders(m.Params) {
			want["Mcp-Param-"+name] = value
		}
	}
	for name, value := range want {
		if got := decodeHeader(m.header.Get(name)); got != value || len(m.header.Values(name)) != 1 {
			return fmt.Sprintf("%s is %q, want %q", name, m.header.Values(name), value)
		}
	}
	return ""
}

// paramHeaders returns what the Mcp-Param- headers of a call must be by `x-mcp-header` (MCP
// 2026-07-28, Schema Extension).
func (h *httpServer) paramHeaders(params json.RawMessage) map[string]string {
	var call struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(params, &call)
	h.mu.Lock()
	tools := h.lists["tools"]
	h.mu.Unlock()
	found := map[string]string{}
	for _, tool := range tools {
		var t struct {
			Name        string `json:"name"`
			InputSchema schema `json:"inputSchema"`
		}
		if json.Unmarshal(tool, &t) == nil && t.Name == call.Name {
			t.InputSchema.headers(call.Arguments, found)
		}
	}
	return found
}

// schema is the part of a JSON Schema that headers come from.
type schema struct {
	Header     string            `json:"x-mcp-header"`
	Properties map[string]schema `json:"properties"`
}

// headers adds the headers of a value and of its members.
func (s schema) headers(value json.RawMessage, to map[string]string) {
	if value == nil || string(value) == "null" {
		return
	}
	if s.Header != "" {
		text := string(value)
		_ = json.Unmarshal(value, &text) // a number or a boolean is its own text
		to[s.Header] = text
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(value, &members)
	for name, property := range s.Properties {
		property.headers(members[name], to)
	}
}

// decodeHeader undoes the encoding of values that are not plain ASCII (MCP
// 2026-07-28, Value Encoding).
func decodeHeader(value string) string {
	if encoded, ok := strings.CutPrefix(value, "=?base64?"); ok {
		if encoded, ok = strings.CutSuffix(encoded, "?="); ok {
			if text, err := base64.StdEncoding.DecodeString(encoded); err == nil {
				return string(text)
			}
		}
	}
	return value
}

// accepts tells whether a client accepts a media type.
func accepts(h http.Header, mediaType string) bool {
	return strings.Contains(strings.Join(h.Values("Accept"), ","), mediaType)
}
