package main

import (
	"cmp"
	"encoding/json"
	"io"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// printResult prints the result of a call: as it is for programs, else as text. Where a tool says that it failed, its text
// goes to standard error, and the error is [errToolFailed].
func (s *session) printResult(k calldoc.Kind, result json.RawMessage) error {
	if s.json {
		return cmp.Or(s.printRaw(result), failure(result))
	}
	r := calldoc.Render(k.Method(), result, nil)
	if !r.Failed {
		return write(s.stdout, r.Text)
	}
	return cmp.Or(write(s.stderr, r.Text), errToolFailed)
}

// failure returns [errToolFailed] for a result in which a tool says that it failed.
func failure(result json.RawMessage) error {
	if string(rawjson.Get(result, "isError")) == "true" {
		return errToolFailed
	}
	return nil
}

// write writes text to w.
func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}
