package streamable

import (
	"encoding/base64"
	"strings"
)

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
