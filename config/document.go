package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// Limits of one file.
const (
	maxFileBytes = 1 << 20
	maxBrackets  = 10_000 // opening ones, of both kinds; the parser recurses, so they bound its stack
	maxProblems  = 100
)

// Limits of the files of workspace folders, which anybody may have written.
const (
	maxServers         = 100       // in one file
	maxVariables       = 1000      // in one file
	maxWorkspace       = 300       // servers in all files of one editor's folders together
	maxWorkspaceServer = 512 << 10 // bytes of their text, with the inputs that each uses
)

// The values of [Problem.Severity].
const (
	severityError   = "error"
	severityWarning = "warning"
)

// document is a file while it is being read: its text, which gives the place of things, and
// the problems found so far.
type document struct {
	source   Source
	text     []byte
	problems []Problem
	repeats  bool            // see [File.Repeats]
	named    map[string]bool // the servers read so far
	inputAt  map[string]int  // the index of an input in [File.Inputs], by id
	ends     map[int]int     // where each key and value ends, by where it begins
	finished func(*object)   // called when an object has been read; nil but in tests

	variables int  // in the servers so far
	full      bool // takes no more servers
}

func newDocument(source Source) *document {
	return &document{source: source, named: map[string]bool{}, inputAt: map[string]int{}}
}

// errorAt reports that the part at byte at has no effect.
func (d *document) errorAt(at int, format string, args ...any) {
	d.report(severityError, at, format, args...)
}

// warnAt reports something odd about the part at byte at.
func (d *document) warnAt(at int, format string, args ...any) {
	d.report(severityWarning, at, format, args...)
}

func (d *document) report(severity string, at int, format string, args ...any) {
	switch {
	case len(d.problems) < maxProblems:
		before := d.text[:at]
		d.problems = append(d.problems, Problem{
			URI:      d.source.URI,
			Line:     1 + bytes.Count(before, []byte("\n")),
			Column:   at - bytes.LastIndexByte(before, '\n'),
			Severity: severity,
			Message:  fmt.Sprintf(format, args...),
			Span:     textdoc.Span{Start: at, End: d.end(at)},
		})
	case len(d.problems) == maxProblems:
		d.problems = append(d.problems, Problem{
			URI:      d.source.URI,
			Severity: severityWarning,
			Message:  "there are more problems; fix these first",
		})
	}
}

// end returns where the key or the value at byte at ends: of an object or a list, that is the end of its
// first line at the latest.
func (d *document) end(at int) int {
	line := d.text[at:]
	line = bytes.TrimRight(line[:max(0, bytes.IndexAny(line, "\r\n"))], " \t")
	end, ok := d.ends[at]
	if !ok { // in what the parser could not read
		end = at + len(line)
		if i := bytes.IndexAny(line, " \t,:/[]{}"); i >= 0 {
			end = at + max(i, 1)
		}
	}
	return min(end, at+len(line))
}

// whole reports that the whole file has no effect.
func (d *document) whole(message string) {
	d.problems = append(d.problems, Problem{URI: d.source.URI, Severity: severityError, Message: message})
}

// parse reads data as one JSON object with comments and trailing commas, which messages call what. When
// it returns false, it has reported the problem. Nothing in the object fails it.
func (d *document) parse(data []byte, what string) (*object, bool) {
	// A mark of the byte order counts as blanks. A line comment may end with the file, which the parser does not accept.
	d.text = append(bytes.Clone(data), '\n')
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		copy(d.text, "   ")
	}
	switch {
	case len(data) > maxFileBytes:
		d.whole("the file is larger than 1 MiB; keep only what belongs in mcp.json")
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		d.whole("the file is UTF-16; save it as UTF-8")
	case !utf8.Valid(data):
		d.errorAt(bytes.IndexRune(data, utf8.RuneError), "this is not UTF-8; save the file as UTF-8")
	case len(bytes.TrimSpace(d.text)) == 0:
		d.warnAt(0, "the file is empty: it has no servers yet; completion offers a first one")
	case bytes.Count(d.text, []byte("{"))+bytes.Count(d.text, []byte("[")) > maxBrackets:
		d.whole("the file has more than 10000 brackets; keep only what belongs in mcp.json")
	default:
		root, err := hujson.Parse(d.text)
		if err != nil {
			d.syntax(err)
			break
		}
		d.ends = map[int]int{}
		for v := range root.All() {
			d.ends[v.StartOffset] = v.EndOffset
		}
		if root.Value.Kind() == '{' {
			return d.object(root, what, new(bool))
		}
		d.errorAt(root.StartOffset, `the file is not a JSON object; write {"servers": {…}}`)
	}
	return nil, false
}

// syntax reports an error from the parser, which gives the place only as text.
func (d *document) syntax(err error) {
	var line, column int
	_, _ = fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column)
	at := 0
	for range line - 1 {
		at += bytes.IndexByte(d.text[at:], '\n') + 1
	}
	at = min(at+max(column, 1)-1, len(d.text)-1) // the line after the newline that parse added is not in the file
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	// The literal follows, and that may be a secret.
	message, _, _ := strings.Cut(err.Error(), "invalid literal:")
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		message = "it ends too early; close its brackets and quotes"
	case message == "":
		message = "this is not a JSON value"
	}
	d.errorAt(at, "the file is not valid JSON: %s", message)
}

// quote makes a name from a file fit for a message: it quotes it, and cuts it when it is long.
func quote(name string) string {
	const limit = 60
	if runes := []rune(name); len(runes) > limit {
		name = string(runes[:limit]) + "…"
	}
	return strconv.Quote(name)
}
