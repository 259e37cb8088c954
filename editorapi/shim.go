package editorapi

import (
	"encoding/json"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// What the shim between an editor and the daemon has to know about their messages.

// Environment turns lines of NAME=value into what initializationOptions.environment
// holds (editor protocol, section 2).
func Environment(lines []string) map[string]string {
	env := make(map[string]string, len(lines))
	for _, line := range lines {
		if name, value, ok := strings.Cut(line, "="); ok && name != "" {
			env[name] = value
		}
	}
	return env
}

// WithEnvironment adds initializationOptions.environment and .umask to an initialize request that
// lacks them. umask is in octal, "" for none. It returns any other message as it is.
func WithEnvironment(message []byte, env map[string]string, umask string) []byte {
	if rawjson.Check(message) != nil || rawjson.String(message, "method") != protocol.MethodInitialize {
		return message
	}
	options := rawjson.Path(message, "params", "initializationOptions")
	if !rawjson.IsObject(rawjson.Get(message, "params")) || !rawjson.IsAbsent(options) && !rawjson.IsObject(options) {
		return message
	}
	if rawjson.IsAbsent(rawjson.Get(options, "environment")) {
		message = rawjson.SetPath(message, encodeEnvironment(env), "params", "initializationOptions", "environment")
	}
	if umask != "" && rawjson.IsAbsent(rawjson.Get(options, "umask")) {
		message = rawjson.SetPath(message, rawjson.Quote(umask), "params", "initializationOptions", "umask")
	}
	return message
}

// IsExit reports whether a message is the notification that ends a connection
// (LSP 3.18, Exit Notification).
func IsExit(message []byte) bool {
	return rawjson.Check(message) == nil && rawjson.String(message, "method") == protocol.MethodExit
}

// encodeEnvironment returns env as a JSON object. Names that differ only in bytes that are not
// UTF-8 become one: an object with a name twice would be refused.
func encodeEnvironment(env map[string]string) json.RawMessage {
	clean := make(map[string]string, len(env))
	for name, value := range env {
		clean[strings.ToValidUTF8(name, "\uFFFD")] = value
	}
	object, _ := json.Marshal(clean) // strings are always JSON
	return object
}
