package syntax

import (
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// A blockFrame is a map or a list without brackets, as far as it has been read.
type blockFrame struct {
	column int // in which its keys or dashes begin
	list   bool
	step   Step // to its last value
	open   bool // nothing is known of that value yet
	keys   []string
}

// A blockScan looks for the cursor in a YAML document, line by line. What belongs together is said by the columns alone.
type blockScan struct {
	text   string
	at     int // the cursor
	frames []blockFrame
	place  Place
	found  bool
}

func (s *blockScan) run() {
	for line := 0; !s.found; {
		end := lineEnd(s.text, line)
		content := line + len(s.text[line:end]) - len(strings.TrimLeft(s.text[line:end], " \t"))
		switch {
		case content == end || s.text[content] == '#':
			switch {
			case s.at > content && content < end && s.at <= end:
				s.answer(Place{Nothing: true})
			case s.at <= content:
				s.empty(line)
			}
			if end == len(s.text) {
				return
			}
			line = nextLine(s.text, line)
		default:
			if s.at < content {
				s.answer(Place{Nothing: true})
				return
			}
			last := s.line(line, content)
			if end = lineEnd(s.text, last); end == len(s.text) || s.found {
				s.answer(Place{Nothing: true})
				return
			}
			if s.at <= end {
				s.answer(Place{Nothing: true})
			}
			line = nextLine(s.text, last)
		}
	}
}

// answer sets the place, if there is none yet.
func (s *blockScan) answer(p Place) {
	if !s.found {
		s.found, s.place = true, p
	}
}

// top returns the frame that is read; nil at the root.
func (s *blockScan) top() *blockFrame {
	if len(s.frames) == 0 {
		return nil
	}
	return &s.frames[len(s.frames)-1]
}

// path leads to the last value of the nth frame.
func (s *blockScan) path(n int) (path []Step) {
	for _, f := range s.frames[:n] {
		path = append(path, f.step)
	}
	return path
}

// leave ends the frames behind a column. closed says that there was one.
func (s *blockScan) leave(column int) (closed bool) {
	for len(s.frames) > 0 && s.top().column > column {
		s.frames = s.frames[:len(s.frames)-1]
		closed = true
	}
	return closed
}

// empty answers for a cursor on a line with nothing behind it; the line begins at a byte.
func (s *blockScan) empty(line int) {
	column := s.at - line
	closed := s.leave(column)
	if n := len(s.frames); n > 1 && s.top().list && s.top().column == column && s.frames[n-2].column == column {
		s.frames = s.frames[:n-1] // a list in the column of its key
	}
	s.newKey(column, textdoc.Span{Start: s.at, End: s.at}, closed)
}

// newKey answers for a cursor in what may become a key in a column.
func (s *blockScan) newKey(column int, span textdoc.Span, closed bool) {
	n := len(s.frames)
	var before []string
	switch top := s.top(); {
	case top == nil:
	case top.column == column && !top.list:
		n--
		before = top.keys
	case top.column < column && top.open && !closed:
	case top.column < column && !top.list && !closed && span.Start < span.End: // one more line of a text
		s.answer(valuePlace(s.path(n), s.text, span, s.at))
		s.place.Block = true
		return
	default:
		s.answer(Place{Nothing: true})
		return
	}
	s.answer(keyPlace(s.path(n), s.text, span, s.at))
	s.place.Indent = column
	s.place.Keys = append(slices.Clip(before), s.following(column)...)
}

// following returns the keys behind the line of the cursor that are in the same map as it, which begins in a column.
func (s *blockScan) following(column int) (keys []string) {
	for line := nextLine(s.text, s.at); line < len(s.text); line = nextLine(s.text, line) {
		end := lineEnd(s.text, line)
		content := strings.TrimLeft(s.text[line:end], " ")
		at := end - len(content)
		switch {
		case strings.Trim(content, "\t") == "" || content[0] == '#' || content[0] == '}' || content[0] == ']':
			continue
		case at-line < column:
			return keys
		case at-line == column:
			if key, _ := s.key(at); key.End > key.Start {
				keys = append(keys, unquoted(s.text[key.Start:key.End]))
			}
		}
	}
	return keys
}

// key returns the key that begins at a byte, and where its colon is; −1 when it has none.
func (s *blockScan) key(at int) (key textdoc.Span, colonAt int) {
	r := yamlReader{text: s.text, at: at}
	if !r.keyAhead() {
		return textdoc.Span{Start: at, End: at}, -1
	}
	end := at
	if c := s.text[at]; c == '"' || c == '\'' {
		end = closing(s.text, at)
		colonAt = end + strings.IndexByte(s.text[end:], ':')
	} else {
		colonAt = colon(s.text, at)
		end = at + len(strings.TrimRight(s.text[at:colonAt], " \t"))
	}
	return textdoc.Span{Start: at, End: end}, colonAt
}

// line reads the line that begins at a byte, and the lines that its value has. It returns a byte of the last one.
func (s *blockScan) line(line, at int) int {
	end := lineEnd(s.text, line)
	s.leave(at - line)
	for !s.found && s.text[at] == '-' && (at+1 == len(s.text) || white(s.text[at+1])) {
		s.item(at - line)
		content := end - len(strings.TrimLeft(s.text[at+1:end], " \t"))
		if content == end || s.text[content] == '#' {
			if s.at > at+1 && s.at <= content {
				s.newKey(s.at-line, textdoc.Span{Start: s.at, End: s.at}, false)
			}
			return line
		}
		if s.at < content {
			s.answer(Place{Nothing: true})
			return line
		}
		at = content
	}
	column := at - line
	key, colonAt := s.key(at)
	if colonAt < 0 {
		return s.bare(line, at)
	}
	if top := s.top(); top != nil && top.list && top.column == column {
		s.frames = s.frames[:len(s.frames)-1]
	}
	if top := s.top(); top == nil || top.column != column || top.list {
		s.push(blockFrame{column: column})
	}
	top := s.top()
	if s.at <= key.End {
		s.newKey(column, key, false)
		return line
	}
	if s.at <= colonAt+1 {
		s.answer(Place{Nothing: true})
		return line
	}
	top.step, top.open = Step{unquoted(s.text[key.Start:key.End]), -1}, true
	top.keys = append(top.keys, top.step.Key)
	content := end - len(strings.TrimLeft(s.text[colonAt+1:end], " \t"))
	if content == end || s.text[content] == '#' && white(s.text[content-1]) {
		if s.at <= content {
			s.answer(valuePlace(s.path(len(s.frames)), s.text, textdoc.Span{Start: s.at, End: s.at}, s.at))
		}
		return line
	}
	if s.at < content {
		s.answer(Place{Nothing: true})
		return line
	}
	top.open = false
	return s.value(content, column)
}

// push begins a map or a list: it is the value of the frame that is read.
func (s *blockScan) push(f blockFrame) {
	if top := s.top(); top != nil {
		top.open = false
	}
	if s.frames = append(s.frames, f); len(s.frames) > maxDepth {
		s.answer(Place{Nothing: true})
	}
}

// item reads a dash in a column.
func (s *blockScan) item(column int) {
	if top := s.top(); top != nil && top.list && top.column == column {
		top.step.Index++
		top.open = true
		return
	}
	s.push(blockFrame{column: column, list: true, open: true})
}

// bare reads a line that has no key, from a byte on: a value, or a key without its colon.
func (s *blockScan) bare(line, at int) int {
	column, end := at-line, lineEnd(s.text, at)
	top := s.top()
	parent := -1
	if top != nil {
		parent = top.column
	}
	belongs := top == nil || top.column < column && top.open // to the key or the dash before it
	c := s.text[at]
	if belongs && (c == '{' || c == '[' || c == '|' || c == '>') {
		if top != nil {
			top.open = false
		}
		return s.value(at, parent)
	}
	if s.at > end {
		if belongs && (c == '"' || c == '\'') { // it may have more lines
			return max(at, quotedEnd(s.text, at, parent)-1)
		}
		return at
	}
	span := s.scalarAt(at, end)
	if s.at > span.End {
		s.answer(Place{Nothing: true})
		return at
	}
	s.newKey(column, span, false)
	return at
}

// scalarAt returns the scalar on one line that begins at a byte. What is behind it up to the cursor, if that is only blanks, is part of it.
func (s *blockScan) scalarAt(at, end int) textdoc.Span {
	span := textdoc.Span{Start: at, End: end}
	if c := s.text[at]; c == '"' || c == '\'' {
		if close := closing(s.text[:end], at); close >= 0 {
			span.End = close
		} else {
			span.End = s.at
		}
		return span
	}
	if i := strings.Index(s.text[at:end], " #"); i >= 0 {
		end = at + i + 1
	}
	span.End = at + len(strings.TrimRight(s.text[at:end], " \t"))
	if s.at > span.End && s.at <= end {
		span.End = s.at
	}
	return span
}

// value reads the value that begins at a byte and belongs to a key or a dash in the column parent. It returns a byte of its last line.
func (s *blockScan) value(at, parent int) int {
	path := s.path(len(s.frames))
	end := lineEnd(s.text, at)
	switch c := s.text[at]; c {
	case '|', '>':
		return s.block(path, at, parent)
	case '{', '[':
		flow := flowScan{text: s.text, at: s.at, base: path, parent: parent, pos: at}
		if s.found {
			return at
		}
		if flow.run(); flow.found {
			s.answer(flow.place)
		}
		return max(at, flow.last-1)
	case '"', '\'':
		close := quotedEnd(s.text, at, parent)
		if s.at <= close {
			span := textdoc.Span{Start: at, End: close}
			if closing(s.text[:close], at) < 0 {
				span.End = s.at
			}
			p := valuePlace(path, s.text, span, s.at)
			if strings.ContainsAny(s.text[at:close], "\n\r") {
				p.Block, p.Replace = true, textdoc.Span{Start: s.at, End: s.at}
			}
			s.answer(p)
		}
		return max(at, close-1)
	}
	if span := s.scalarAt(at, end); s.at <= span.End {
		s.answer(valuePlace(path, s.text, span, s.at))
	}
	return at
}

// block reads a text that begins with | or >. It returns a byte of its last line.
func (s *blockScan) block(path []Step, at, parent int) int {
	end := lineEnd(s.text, at)
	if s.at <= end {
		s.answer(Place{Path: path, Nothing: true, Block: true})
		return at
	}
	for end < len(s.text) {
		line := nextLine(s.text, at)
		end = lineEnd(s.text, line)
		content := strings.TrimLeft(s.text[line:end], " ")
		column := end - len(content) - line
		if strings.Trim(content, "\t") == "" && s.at <= end {
			column = s.at - line
		} else if content == "" {
			column = parent + 1
		}
		if column <= parent {
			return at
		}
		if s.at <= end {
			start := min(line+column, s.at)
			s.answer(valuePlace(path, s.text, textdoc.Span{Start: start, End: end}, s.at))
			s.place.Block, s.place.Quoted, s.place.Prefix = true, false, s.text[start:s.at]
			return line
		}
		at = line
		if line == len(s.text) {
			break
		}
	}
	return at
}
