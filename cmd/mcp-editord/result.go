package main

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
)

// printResult prints the result of a request of MCP as text. Where a tool says that it failed, its text goes to
// standard error, and the error is [errToolFailed].
func (s *session) printResult(method string, result json.RawMessage) error {
	r := calldoc.Render(method, result, nil)
	if !r.Failed {
		return write(s.stdout, r.Text)
	}
	if err := write(s.stderr, r.Text); err != nil {
		return err
	}
	return errToolFailed
}

// line ends a text with a line feed.
func line(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// write writes text to w.
func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}
