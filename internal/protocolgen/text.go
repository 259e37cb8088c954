package main

import (
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// wrap breaks a paragraph into lines of at most width characters.
func wrap(text string, width int) []string {
	lines := safetext.Wrap(text, width+1, "") // with a blank at the end
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// sentence makes a sentence from a remark.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
