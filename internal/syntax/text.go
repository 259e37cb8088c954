package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// unreadable returns the problem of a text that no parser should see.
func unreadable(text string) *textdoc.Problem {
	if len(text) > maxBytes {
		return &textdoc.Problem{Severity: textdoc.Error, Message: "the text is larger than 1 MiB; split it into several files"}
	}
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && n == 1 {
			return &textdoc.Problem{Span: textdoc.Span{Start: at, End: at + 1}, Severity: textdoc.Error, Message: "this is not UTF-8; save the file as UTF-8"}
		}
		at += n
	}
	return nil
}

// unprintable returns the problem of a character that YAML does not have: a control character.
func unprintable(text string) *textdoc.Problem {
	at := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' })
	if at < 0 {
		return nil
	}
	return &textdoc.Problem{Span: textdoc.Span{Start: at, End: at + 1}, Severity: textdoc.Error, Message: fmt.Sprintf(`a control character is here, which YAML does not have; remove it, or write "\x%02x" in double quotes`, text[at])}
}
