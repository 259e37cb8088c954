package streamable

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const (
	headerSession  = "Mcp-Session-Id"
	headerProtocol = "Mcp-Protocol-Version"

	jsonType   = "application/json"
	streamType = "text/event-stream"
)

// modernVersion returns the version that a request of 2026-07-28 names, "" for an
// earlier one.
func modernVersion(r *wire.Request) string {
	return rawjson.String(rawjson.Get(r.Params, "_meta"), wire.MetaVersion)
}

// headers returns the headers for requests within a session: "the client MUST
// include the MCP-Protocol-Version HTTP header on all subsequent requests", and the
// session id too when there is one (MCP 2025-11-25, Transports, Session Management
// and Protocol Version Header).
func (w *conn) headers() http.Header {
	h := w.header.Clone()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.version != "" {
		h.Set(headerProtocol, headerValue(w.version))
	}
	if w.session != "" {
		h.Set(headerSession, w.session)
	}
	return h
}

// postHeaders returns the headers of the POST of msg.
func (w *conn) postHeaders(msg wire.Message) http.Header {
	var h http.Header
	r, ok := msg.(*wire.Request)
	switch {
	case !ok:
		h = w.headers()
	case modernVersion(r) != "":
		h = w.header.Clone()
		setModern(h, r)
	case r.Method == wire.MethodInitialize:
		// A new session is started "by sending a new InitializeRequest without a
		// session ID attached" (MCP 2025-11-25, Transports, Session Management).
		h = w.header.Clone()
	default:
		h = w.headers()
	}
	// "The client MUST include an Accept header, listing both application/json and
	// text/event-stream as supported content types" (ibid., Sending Messages).
	h.Set("Accept", jsonType+", "+streamType)
	h.Set("Content-Type", jsonType)
	return h
}

// setModern mirrors parts of r into headers (MCP 2026-07-28, Streamable HTTP,
// Request Metadata).
func setModern(h http.Header, r *wire.Request) {
	for name, value := range r.Mirrored {
		h.Set(name, headerValue(value))
	}
	// "The header value MUST match the io.modelcontextprotocol/protocolVersion
	// field carried in the request body's _meta."
	h.Set(headerProtocol, headerValue(modernVersion(r)))
	h.Set("Mcp-Method", headerValue(r.Method))
	// "params.name or params.uri", required for these three. "If the Mcp-Name source
	// value cannot be safely represented as a plain ASCII header value, clients
	// MUST encode it using the Base64 sentinel format."
	var source string
	switch r.Method {
	case wire.MethodCallTool, wire.MethodGetPrompt:
		source = "name"
	case wire.MethodReadResource:
		source = "uri"
	default:
		return
	}
	h.Set("Mcp-Name", headerValue(rawjson.String(r.Params, source)))
}

// The marks of a header value that is Base64 (MCP 2026-07-28, Streamable HTTP,
// Value Encoding).
const (
	base64Prefix = "=?base64?"
	base64Suffix = "?="
)

// headerValue returns s as the value of a header. "When a value cannot be safely
// represented as a plain ASCII header value (e.g., it contains non-ASCII
// characters, control characters, or has leading/trailing whitespace), clients
// MUST use Base64 encoding of the UTF-8 representation" (ibid.).
func headerValue(s string) string {
	plain := !strings.ContainsFunc(s, func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }) &&
		strings.Trim(s, " \t") == s &&
		!(strings.HasPrefix(s, base64Prefix) && strings.HasSuffix(s, base64Suffix))
	if plain {
		return s
	}
	return base64Prefix + base64.StdEncoding.EncodeToString([]byte(s)) + base64Suffix
}
