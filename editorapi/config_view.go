package editorapi

import (
	"strings"
	"unicode"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// How large a definition may be to be taken in at once, where it is written.
const (
	maxViewLines   = 40
	maxViewColumns = 120
	viewTab        = 8 // columns, at most
)

// inView reports whether somebody who looks at a part of the document sees all that a decision on c is
// about, as it is: promise 1. What is shown elsewhere, or only in the words of the question, or in a way
// that may deceive, is not in view.
func (l configLanguage) inView(d *document, c ConfigServer, part textdoc.Span) bool {
	a := c.Approval
	if a.Kind != ApproveServer || !c.Saved || c.Apart || len(a.Definition.Warnings) > 0 || a.Definition.EnvFile != "" || len(a.Definition.Inputs) > 0 {
		return false
	}
	for _, p := range l.file.Problems {
		if p.Start <= c.Entry.End && c.Entry.Start <= p.End {
			return false // what counts is not what is written
		}
	}
	text := d.text.String()
	if safetext.HasSettings(text) {
		return false // an editor may have folded a part of it away
	}
	lines, ok := ownLines(text, c.Entry)
	return ok && lines.Contains(part.Start) && lines.Contains(part.End) &&
		isInView(text[lines.Start:lines.End]) && !deceives(text[c.Entry.Start:c.Entry.End])
}

// ownLines returns the lines that an entry is on, without the last line end. ok is false if there is
// anything else in them but a comma.
func ownLines(text string, entry textdoc.Span) (lines textdoc.Span, ok bool) {
	start := strings.LastIndexByte(text[:entry.Start], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[entry.End:], '\n'); i >= 0 {
		end = entry.End + i
	}
	before, after := text[start:entry.Start], strings.TrimSuffix(text[entry.End:end], "\r")
	return textdoc.Span{Start: start, End: end}, strings.Trim(before, " \t") == "" && strings.Trim(after, " \t,") == ""
}

// isInView reports whether lines fit on a screen and have no character that nobody sees or that changes
// how others are read.
func isInView(lines string) bool {
	lines = strings.ReplaceAll(strings.TrimSuffix(lines, "\r"), "\r\n", "\n")
	unseen := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) } // among them spaces that are not ' '
	if safetext.Block(lines) != lines || strings.ContainsFunc(lines, unseen) {
		return false
	}
	list := strings.Split(lines, "\n")
	if len(list) > maxViewLines {
		return false
	}
	blank := false
	for _, line := range list {
		wasBlank := blank
		if blank = strings.Trim(line, " \t") == ""; blank && wasBlank || safetext.Columns(line)+(viewTab-1)*strings.Count(line, "\t") > maxViewColumns {
			return false
		}
	}
	return true
}

// deceives reports whether JSON with comments is harder to read than plain JSON: it has comments, which
// look as if they counted, or characters written as their numbers.
func deceives(entry string) bool {
	quoted := false
	for i := 0; i < len(entry); i++ {
		switch c := entry[i]; {
		case quoted && c == '\\':
			if i++; i < len(entry) && entry[i] == 'u' {
				return true
			}
		case c == '"':
			quoted = !quoted
		case c == '/' && !quoted:
			return true
		}
	}
	return false
}
