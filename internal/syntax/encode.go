package syntax

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// step is how much further than a key what belongs to it is indented.
const step = 2

// Encode returns a JSON value as YAML, as it stands behind the colon of a key in the column indent: it begins with a
// blank or a line end, and has none at its end. Texts with line ends become blocks.
//
// What it writes reads as the same value. Bytes that are not UTF-8 become U+FFFD; of members with the same name the first
// one is written.
func Encode(v json.RawMessage, indent int) string {
	var b strings.Builder
	encode(&b, v, indent, 0)
	return b.String()
}

// encode writes a value behind a key or a dash in the column indent.
func encode(b *strings.Builder, v []byte, indent, depth int) {
	blanks := strings.Repeat(" ", indent+step)
	if text, ok := rawjson.Text(v); ok {
		b.WriteByte(' ')
		switch {
		case strings.Contains(text, "\n") && holds(text):
			b.WriteString(Block(text, indent))
		case plain(text, false):
			b.WriteString(text)
		default:
			b.WriteString(Quote(text))
		}
		return
	}
	if depth == maxDepth {
		b.WriteByte(' ')
		b.Write(rawjson.Compact(v))
		return
	}
	empty := true
	seen := map[string]bool{}
	for name, value := range rawjson.Members(v) {
		if seen[name] {
			continue
		}
		seen[name], empty = true, false
		b.WriteString("\n" + blanks + Scalar(name) + ":")
		encode(b, value, indent+step, depth+1)
	}
	for item := range rawjson.Elements(v) {
		empty = false
		b.WriteString("\n" + blanks + "-")
		encodeItem(b, item, indent+step, depth+1)
	}
	if empty { // also a number and the like
		b.WriteString(" " + string(rawjson.Compact(v)))
	}
}

// encodeItem writes a value behind a dash in the column indent; a map or a list begins on its line.
func encodeItem(b *strings.Builder, v []byte, indent, depth int) {
	var item strings.Builder
	encode(&item, v, indent, depth)
	text := item.String()
	if inner, ok := strings.CutPrefix(text, "\n"+strings.Repeat(" ", indent+step)); ok {
		text = " " + inner
	}
	b.WriteString(text)
}

// Scalar returns a text as a YAML scalar on one line, which may stand anywhere, also as a key and in brackets. It is quoted only
// where it must be, and in a way that no editor takes for its settings. Bytes that are not UTF-8 become U+FFFD.
func Scalar(s string) string {
	if plain(s, true) {
		return s
	}
	return Quote(s)
}

// plain reports whether a text needs no quotes, in brackets or outside of them.
func plain(s string, flow bool) bool {
	if kindOf(s) != String || !utf8.ValidString(s) || s != strings.TrimSpace(s) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(s)
	if !unicode.IsLetter(first) && !unicode.IsDigit(first) && !strings.ContainsRune("_$/.(+", first) || marker(s, "...") {
		return false
	}
	return !safetext.HasSettings(s+":") && !strings.Contains(s, ": ") && !strings.Contains(s, " #") && !strings.HasSuffix(s, ":") &&
		!(flow && strings.ContainsAny(s, ",[]{}:")) && !strings.ContainsFunc(s, escaped)
}

// escaped reports whether a character is not written as itself: nobody sees it, it changes how others are read, it ends a
// line somewhere, or YAML does not have it.
func escaped(r rune) bool { return safetext.Harmful(r) }

// Quote returns a text as a scalar in double quotes, which reads the same in YAML and in JSON.
func Quote(s string) string {
	var b strings.Builder
	settings := safetext.HasSettings(s)
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case settings && (r == ':' || r == '*'):
			fmt.Fprintf(&b, `\u%04x`, r)
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case escaped(r) && r > 0xffff: // as JSON has it
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		case escaped(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Block returns a text as a block, as it stands behind the colon of a key in the column indent and a blank: it begins with
// "|", and its lines are indented by two more. It has no line end at its end; without one behind it, a text that ends with a
// line end reads without that. A block can't hold carriage returns and bytes that are not UTF-8, and other programs refuse
// control characters in it: the caller escapes them.
func Block(text string, indent int) string {
	var b strings.Builder
	b.WriteByte('|')
	if first := strings.TrimLeft(text, "\n"); first == "" || white(first[0]) || len(first) < len(text) {
		fmt.Fprint(&b, step)
	}
	switch body, ends := strings.CutSuffix(text, "\n"); {
	case !ends:
		b.WriteByte('-')
	default:
		if body == "" || strings.HasSuffix(body, "\n") {
			b.WriteByte('+')
		}
		text = body
		if text == "" {
			b.WriteByte('\n')
		}
	}
	if text == "" {
		return b.String()
	}
	blanks := "\n" + strings.Repeat(" ", indent+step)
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" {
			b.WriteByte('\n')
			continue
		}
		b.WriteString(blanks)
		b.WriteString(line)
	}
	return b.String()
}

// holds reports whether a block can hold a text, for all programs that read YAML, and editors that open it. What joins and colours the parts of a
// picture may be in it.
func holds(text string) bool {
	return utf8.ValidString(text) && !safetext.HasSettings(text) && !strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune("\n\t\u200d\ufe0f", r) && escaped(r) })
}
