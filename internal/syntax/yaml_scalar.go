package syntax

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// plain reads a scalar without quotes. Lines that follow belong to it when they begin behind the column
// parent, or, in brackets, anywhere.
func (r *yamlReader) plain(parent int, flow bool) *Node {
	n := r.node(String)
	n.Plain = true
	var text strings.Builder
	for breaks := 0; !r.done(); {
		end := r.plainEnd(flow)
		if breaks > 0 {
			text.WriteString(fold(breaks))
		}
		line := strings.TrimRight(r.text[r.at:end], " \t")
		text.WriteString(line)
		n.End = r.at + len(line)
		r.at = end
		if !r.done() && r.text[end] != '\n' && r.text[end] != '\r' {
			break // a comment, a comma, a bracket or a colon
		}
		if breaks = r.breaks(); r.done() || r.text[r.at] == '#' {
			break
		}
		if !flow && !r.continues(parent) || flow && r.plainEnd(true) == r.at {
			break
		}
	}
	r.back(n.End)
	n.Text = text.String()
	n.Kind = kindOf(n.Text)
	return n
}

// plainEnd returns where a plain scalar ends on this line.
func (r *yamlReader) plainEnd(flow bool) int {
	for i := r.at; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '\n' || c == '\r':
			return i
		case c == '#' && i > r.at && white(r.text[i-1]):
			return i
		case flow && strings.IndexByte(",[]{}", c) >= 0:
			return i
		case c == ':' && (i+1 == len(r.text) || white(r.text[i+1]) || flow && strings.IndexByte(",[]{}", r.text[i+1]) >= 0):
			return i
		}
	}
	return len(r.text)
}

// continues reports whether the line that is next belongs to the plain scalar above it.
func (r *yamlReader) continues(parent int) bool {
	if strings.TrimRight(r.text[r.line:r.at], " \t") != "" || r.column() <= parent {
		return false
	}
	if i := strings.IndexByte(r.text[r.line:r.at], '\t'); i >= 0 && i <= parent {
		return false // begin says what is wrong
	}
	if colon(r.text, r.at) >= 0 {
		r.fail(r.at, r.lineEnd(), "this key is indented as if it belonged to the text above it; indent it like the other keys, or put the text in quotes")
		return false
	}
	return true
}

// breaks goes over line ends and the white space around them, and counts them.
func (r *yamlReader) breaks() (n int) {
	for !r.done() && white(r.text[r.at]) {
		if c := r.text[r.at]; c == '\n' || c == '\r' {
			n++
			r.at = nextLine(r.text, r.at)
			r.line = r.at
			continue
		}
		r.at++
	}
	return n
}

// back returns to a place that the reader has passed.
func (r *yamlReader) back(at int) {
	if r.failed != nil {
		return
	}
	if at < r.line {
		r.line = strings.LastIndexAny(r.text[:at], "\n\r") + 1
	}
	r.at = at
}

// fold returns what a number of line ends within a scalar stands for.
func fold(breaks int) string {
	if breaks == 1 {
		return " "
	}
	return strings.Repeat("\n", breaks-1)
}

// closing returns where a scalar in quotes ends, behind its last quote; −1 when there is none.
func closing(text string, at int) int {
	quote := text[at]
	for i := at + 1; i < len(text); i++ {
		switch {
		case quote == '"' && text[i] == '\\':
			i++
		case text[i] != quote:
		case quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// quoted reads a scalar in quotes. Its lines are indented more than the column parent.
func (r *yamlReader) quoted(parent int) *Node {
	n := r.node(String)
	quote := r.text[r.at]
	end := closing(r.text, r.at)
	if end < 0 {
		r.fail(r.at, r.lineEnd(), "the quote that ends this text is missing; write %c behind its last character", quote)
		return n
	}
	n.End = end
	text := make([]byte, 0, end-r.at)
	kept := 0 // the length of text up to which a line end removes no blanks: they were escaped
	for r.at++; r.at < end-1; {
		switch c := r.text[r.at]; {
		case c == '\n' || c == '\r':
			text = append(text[:kept], bytes.TrimRight(text[kept:], " \t")...)
			text = append(text, fold(r.breaks())...)
			kept = len(text)
			r.quotedLine(n, parent)
		case quote == '\'' && c == quote:
			text = append(text, c)
			r.at += 2
		case quote == '"' && c == '\\':
			line := r.line
			text = r.escape(text)
			kept = len(text)
			if r.line > line {
				r.quotedLine(n, parent)
			}
		default:
			text = append(text, c)
			r.at++
		}
	}
	if r.failed == nil {
		r.at = end
	}
	n.Text = string(text)
	return n
}

// quotedLine fails when the line that is next, within quotes, is not indented more than the column parent.
func (r *yamlReader) quotedLine(n *Node, parent int) {
	if r.failed != nil || r.at-r.line > parent && strings.IndexByte(r.text[r.line:min(r.line+parent+1, len(r.text))], '\t') < 0 {
		return
	}
	r.fail(n.Start, lineEnd(r.text, n.Start), "the quote that ends this text is missing, or its next line is not indented further than its key; write %c behind its last character, or indent the line with spaces", r.text[n.Start])
}

// escapes has what stands behind a backslash for one character. n, t and the like are as in JSON.
var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '/': "/", '\\': `\`, 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// escape reads what begins with a backslash, and appends what it stands for to text.
func (r *yamlReader) escape(text []byte) []byte {
	start, c := r.at, r.peek(1)
	if s, ok := escapes[c]; ok {
		r.at += 2
		return append(text, s...)
	}
	if c == '\n' || c == '\r' {
		r.at++
		return append(text, strings.Repeat("\n", max(r.breaks()-1, 0))...)
	}
	char, ok := r.hex(c)
	if low := r.at; ok && utf16.IsSurrogate(char) {
		ok = false
		if r.peek(0) == '\\' && r.peek(1) == 'u' {
			second, valid := r.hex('u')
			if pair := utf16.DecodeRune(char, second); valid && pair != utf8.RuneError {
				char, ok = pair, true
			} else {
				r.at = low
			}
		}
	}
	if !ok || !utf8.ValidRune(char) {
		r.fail(start, max(start+2, r.at), `a backslash and this mean nothing; write \\ for a backslash, or put the text in single quotes`)
		return text
	}
	return utf8.AppendRune(text, char)
}

// hex reads the escape of a character by its number.
func (r *yamlReader) hex(kind byte) (rune, bool) {
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[kind]
	if digits == 0 || r.at+2+digits > len(r.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(r.text[r.at+2:r.at+2+digits], 16, 32)
	r.at += 2 + digits
	return rune(min(n, utf8.MaxRune+1)), err == nil
}
