package syntax

import (
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// What a map or a list in brackets waits for.
const (
	wantKey   = iota // of a map
	wantColon        // of a map
	wantValue
	wantComma
)

// A flowFrame is a map or a list in brackets that is open.
type flowFrame struct {
	list bool
	step Step // to what is being written in it
	want int
	keys []string
}

// A flowScan looks for the cursor in JSON, or in YAML in brackets.
type flowScan struct {
	text string
	at   int // the cursor
	json bool
	base []Step // to the value
	// parent is the column of what the value belongs to, in YAML: a line that begins there is not part of it.
	parent int

	pos    int // where it reads
	last   int // the end of the last token
	frames []flowFrame
	place  Place
	found  bool
	target int // the frame whose keys place wants, when it is found; −1 for none
	closed bool
}

// run reads from pos up to the bracket that closes the value, or to where it must end without one. It goes on behind the
// cursor: the map may have more keys there.
func (s *flowScan) run() {
	s.target, s.last = -1, s.pos
	begin, ended := s.pos, false
	for {
		if ended = !s.skip(); ended || s.pos >= len(s.text) {
			break
		}
		start := s.pos
		switch c := s.text[start]; {
		case strings.IndexByte("{[}],", c) >= 0, c == ':' && s.isColon():
			s.between(start)
			s.pos++
			s.punctuation(c)
		default:
			if s.at < start {
				s.between(start)
			}
			s.pos = s.scalarEnd(start)
			s.scalar(start)
		}
		if s.last = s.pos; s.closed || s.found && s.target < 0 {
			break
		}
		if len(s.frames) > maxDepth {
			s.answer(Place{Nothing: true})
			break
		}
	}
	if ended {
		s.between(s.pos)
	}
	inside := !ended && (s.json || s.at-lineStart(s.text, s.at) > s.parent || lineEnd(s.text, begin) >= s.at)
	if !s.found && !s.closed && inside {
		s.between(len(s.text))
	}
	if s.target >= 0 {
		s.place.Keys = s.frames[s.target].keys
	}
}

// isColon reports whether the colon that is next ends a key: in YAML it may also begin a text.
func (s *flowScan) isColon() bool {
	if s.json || s.pos+1 == len(s.text) || white(s.text[s.pos+1]) || strings.IndexByte(",[]{}", s.text[s.pos+1]) >= 0 {
		return true
	}
	return s.pos > 0 && s.last == s.pos && strings.IndexByte("\"'", s.text[s.pos-1]) >= 0
}

// skip goes over white space and comments. It reports false where a value in YAML ends although brackets are open.
func (s *flowScan) skip() bool {
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		var end int
		switch {
		case c == '\n' || c == '\r':
			next := nextLine(s.text, s.pos)
			if !s.json && s.outside(next) {
				return false
			}
			s.pos = next
			continue
		case white(c):
			s.pos++
			continue
		case s.json && strings.HasPrefix(s.text[s.pos:], "//"), !s.json && c == '#':
			if end = lineEnd(s.text, s.pos); s.at > s.pos && s.at <= end {
				s.answer(Place{Nothing: true})
			}
		case s.json && strings.HasPrefix(s.text[s.pos:], "/*"):
			if end = skipComment(s.text, s.pos); s.at > s.pos && (s.at < end || end == len(s.text)) {
				s.answer(Place{Nothing: true})
			}
		default:
			return true
		}
		s.pos = end
	}
	return true
}

// outside reports whether the line at a byte can't belong to the value.
func (s *flowScan) outside(line int) bool {
	end := lineEnd(s.text, line)
	content := strings.TrimLeft(s.text[line:end], " ")
	if strings.Trim(content, "\t") == "" || content[0] == '}' || content[0] == ']' || content[0] == '#' {
		return false
	}
	return end-len(content)-line <= s.parent
}

// scalarEnd returns where the scalar that begins at a byte ends.
func (s *flowScan) scalarEnd(start int) int {
	switch c := s.text[start]; {
	case c == '"' && s.json:
		return closingJSON(s.text, start)
	case !s.json && (c == '"' || c == '\''):
		return quotedEnd(s.text, start, s.parent)
	case s.json:
		end := start + 1
		for end < len(s.text) && !white(s.text[end]) && strings.IndexByte(`,:[]{}"/`, s.text[end]) < 0 {
			end++
		}
		return end
	}
	r := yamlReader{text: s.text, at: start}
	end := r.plainEnd(true)
	return max(start+1, start+len(strings.TrimRight(s.text[start:end], " \t")))
}

// quotedEnd returns where a scalar in quotes ends: behind the quote that closes it, or at the end of the last line that may belong
// to it. A value of what begins in the column parent has only lines that begin behind that.
func quotedEnd(text string, start, parent int) int {
	end := closing(text, start)
	limit := end
	if limit < 0 {
		limit = len(text)
	}
	for at := start; ; {
		at = lineEnd(text, at)
		next := nextLine(text, at)
		if at >= limit || next >= limit {
			break
		}
		line := text[next:lineEnd(text, next)]
		if content := strings.TrimLeft(line, " "); strings.Trim(content, "\t") != "" && len(line)-len(content) <= parent {
			return at
		}
		at = next
	}
	if end < 0 {
		return lineEnd(text, start)
	}
	return end
}

// answer sets the place, if there is none yet.
func (s *flowScan) answer(p Place) {
	if !s.found {
		s.found, s.place = true, p
	}
}

// path leads to what is being written in the last n frames but those.
func (s *flowScan) path(n int) []Step {
	path := slices.Clone(s.base)
	for _, f := range s.frames[:n] {
		path = append(path, f.step)
	}
	return path
}

// between answers when the cursor is between the last token and the next, which begins at a byte.
func (s *flowScan) between(next int) {
	if s.found || s.at > next {
		return
	}
	here := textdoc.Span{Start: s.at, End: s.at}
	if len(s.frames) == 0 {
		s.answer(valuePlace(s.path(0), s.text, here, s.at))
		s.place.Flow = true
		return
	}
	top := &s.frames[len(s.frames)-1]
	newline := s.at >= s.last && strings.ContainsAny(s.text[s.last:s.at], "\n\r")
	want := top.want
	if want == wantComma && newline { // it is missing
		if want = wantKey; top.list {
			want = wantValue
			top.step.Index++
		}
	}
	switch want {
	case wantKey:
		s.answer(keyPlace(s.path(len(s.frames)-1), s.text, here, s.at))
		s.target = len(s.frames) - 1
	case wantValue:
		s.answer(valuePlace(s.path(len(s.frames)), s.text, here, s.at))
	default:
		s.answer(Place{Nothing: true})
	}
	s.place.Flow = true
}

// punctuation reads a bracket, a comma or a colon.
func (s *flowScan) punctuation(c byte) {
	switch c {
	case '{':
		s.frames = append(s.frames, flowFrame{step: Step{Index: -1}})
		return
	case '[':
		s.frames = append(s.frames, flowFrame{list: true, want: wantValue})
		return
	case '}', ']':
		s.close(c == ']')
		return
	}
	if len(s.frames) == 0 {
		return
	}
	switch top := &s.frames[len(s.frames)-1]; {
	case c == ':' && !top.list:
		if top.want != wantColon {
			top.step.Key = ""
		}
		top.want = wantValue
	case c == ',' && top.list:
		top.step.Index++
		top.want = wantValue
	case c == ',':
		top.want = wantKey
	}
}

// close ends the last map or list, with all that is open in it. A bracket that closes nothing is left out.
func (s *flowScan) close(list bool) {
	i := len(s.frames) - 1
	for i >= 0 && s.frames[i].list != list {
		i--
	}
	if i < 0 {
		return
	}
	if s.target >= i {
		s.place.Keys = s.frames[s.target].keys
		s.target = -1
	}
	if s.frames = s.frames[:i]; i == 0 {
		s.closed = true
		return
	}
	s.frames[i-1].want = wantComma
}

// scalar reads a scalar from start to pos.
func (s *flowScan) scalar(start int) {
	span := textdoc.Span{Start: start, End: s.pos}
	here := !s.found && start <= s.at && s.at <= s.pos
	if here && s.open(span) {
		span.End = s.at
	}
	if len(s.frames) == 0 {
		if here {
			s.answer(valuePlace(s.path(0), s.text, span, s.at))
			s.place.Flow = true
		}
		return
	}
	i := len(s.frames) - 1
	top := &s.frames[i]
	switch {
	case top.list:
		if top.want == wantComma { // it is missing
			top.step.Index++
		}
		if here {
			s.answer(valuePlace(s.path(i+1), s.text, span, s.at))
		}
		top.want = wantComma
	case top.want == wantValue:
		if here {
			s.answer(valuePlace(s.path(i+1), s.text, span, s.at))
		}
		top.want = wantComma
	case here:
		s.answer(keyPlace(s.path(i), s.text, span, s.at))
		s.target = i
		top.step.Key, top.want = unquoted(s.text[start:s.pos]), wantColon
	default:
		top.step.Key, top.want = unquoted(s.text[start:s.pos]), wantColon
		if !s.found || s.target == i {
			top.keys = append(top.keys, top.step.Key)
		}
	}
	if here {
		s.place.Flow = true
	}
}

// open reports whether a scalar lacks the quote that closes it.
func (s *flowScan) open(span textdoc.Span) bool {
	return closing(s.text[:span.End], span.Start) < 0 && (s.text[span.Start] == '"' || s.text[span.Start] == '\'' && !s.json)
}

// lineStart returns where the line of a byte begins.
func lineStart(text string, at int) int {
	return strings.LastIndexAny(text[:at], "\n\r") + 1
}
