package streamable

import "testing"

// The table of MCP 2026-07-28, Streamable HTTP, Value Encoding, and what it leaves out.
func TestHeaderValue(t *testing.T) {
	tests := []struct{ name, value, want string }{
		{"plain", "us-west1", "us-west1"},
		{"not ASCII", "Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="},
		{"spaces around", " padded ", "=?base64?IHBhZGRlZCA=?="},
		{"a newline", "line1\nline2", "=?base64?bGluZTEKbGluZTI=?="},
		{"no injection", "a\r\nAuthorization: b", "=?base64?YQ0KQXV0aG9yaXphdGlvbjogYg==?="},
		{"like an encoded one", "=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="},
		{"a tab inside", "a\tb", "a\tb"},
		{"a tab in front", "\ta", "=?base64?CWE=?="},
		{"the prefix alone", "=?base64?a", "=?base64?a"},
		{"delete", "a\x7f", "=?base64?YX8=?="},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := headerValue(tt.value); got != tt.want {
				t.Errorf("headerValue(%q) = %q, want %q", tt.value, got, tt.want)
			}
		})
	}
}
