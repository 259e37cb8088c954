package syntax

import (
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// value reads what belongs to the key, the dash or the document before it; parent is the column of that. What
// begins on the same line is a scalar or in brackets, but after a dash anything. A list may begin in
// the column of its key.
func (r *yamlReader) value(parent int, key bool) *Node {
	defer r.leave()
	start := r.at
	if !r.enter() {
		return r.nothing(start)
	}
	r.next()
	own := r.line >= start // it begins a line of its own
	if own {
		if column := r.begin(); column <= parent && !(key && column == parent && r.indicator('-')) {
			return r.nothing(start)
		}
	}
	if r.done() {
		return r.nothing(start)
	}
	if i := strings.IndexByte(r.text[start:r.at], '\t'); i >= 0 && !own && !key && (r.indicator('-') || r.keyAhead()) {
		r.failTab(start+i, r.at)
	}
	return r.inBlock(parent, own || !key)
}

// inBlock reads the node that is next; nested says that it may be a list or a map without brackets.
func (r *yamlReader) inBlock(parent int, nested bool) *Node {
	switch {
	case r.done():
		return r.node(Null)
	case r.indicator('-'):
		if !nested {
			r.fail(r.at, r.at+1, "a list begins on a line of its own")
		}
		return r.list()
	case r.text[r.at] == '|' || r.text[r.at] == '>':
		return r.blockScalar(parent)
	case r.keyAhead():
		if !nested && !r.refuse(false) {
			r.fail(r.at, r.lineEnd(), `a text can't have a colon and a blank in it; put it in quotes, or begin a new line for the key`)
		}
		return r.mapping()
	}
	n := r.inline(parent, false)
	r.rest()
	return n
}

// list reads the items that begin with a dash in this column.
func (r *yamlReader) list() *Node {
	n, column := r.node(List), r.column()
	for r.indicator('-') {
		r.at++
		item := r.value(column, false)
		n.Items = append(n.Items, item)
		n.End = item.End
		if !r.sibling(column) {
			break
		}
	}
	return n
}

// mapping reads the members whose keys begin in this column.
func (r *yamlReader) mapping() *Node {
	n, column := r.node(Map), r.column()
	keys := map[string]bool{}
	for !r.done() {
		m, ok := r.key()
		if !ok {
			return n
		}
		m.Value = r.value(column, true)
		r.add(n, keys, m)
		n.End = m.Value.End
		if !r.sibling(column) {
			return n
		}
		if r.indicator('-') {
			r.fail(r.at, r.lineEnd(), "a list can't stand beside keys; indent it further than the key it belongs to")
		} else if !r.done() && !r.keyAhead() && !r.refuse(false) {
			r.fail(r.at, r.lineEnd(), "a key and a colon are missing here; write it as KEY: VALUE, or indent it further if it belongs to the text above")
		}
	}
	return n
}

// sibling goes to the next line, and reports whether it begins in this column.
func (r *yamlReader) sibling(column int) bool {
	next := r.begin()
	if next > column {
		r.fail(r.line, r.at, "this line begins in column %d, but those that it belongs to begin in column %d; indent it like them", next+1, column+1)
	}
	return next == column
}

// key reads a key and its colon, which are next.
func (r *yamlReader) key() (m Member, ok bool) {
	start := r.at
	if r.refuse(false) {
		return Member{}, false
	}
	if c := r.text[r.at]; c == '"' || c == '\'' {
		m.Key = r.quoted(-1).Text // it has one line
	} else {
		end := colon(r.text, r.at)
		m.Key = strings.TrimRight(r.text[r.at:end], " \t")
		r.at += len(m.Key)
		switch m.Key {
		case "":
			r.failKey(start)
		case "<<":
			r.fail(start, r.at, `"<<" merges maps, which is not allowed here; write the keys themselves`)
		}
	}
	if r.failed != nil {
		return Member{}, false
	}
	m.KeySpan = textdoc.Span{Start: start, End: r.at}
	for r.text[r.at] != ':' {
		r.at++
	}
	r.at++
	return m, true
}

// failKey stops reading at a colon that has nothing before it.
func (r *yamlReader) failKey(at int) {
	r.fail(at, at+1, `a key is missing before this colon; write KEY: VALUE, with "" for an empty key`)
}

// keyAhead reports whether a key and its colon are next.
func (r *yamlReader) keyAhead() bool {
	if r.done() {
		return false
	}
	switch c := r.text[r.at]; c {
	case '"', '\'':
		end := closing(r.text, r.at)
		if end < 0 || strings.ContainsAny(r.text[r.at:end], "\n\r") {
			return false
		}
		for end < len(r.text) && (r.text[end] == ' ' || r.text[end] == '\t') {
			end++
		}
		return end < len(r.text) && r.text[end] == ':' && (end+1 == len(r.text) || white(r.text[end+1]))
	case '{', '[':
		return false
	}
	return colon(r.text, r.at) >= 0
}

// colon returns where the colon is that ends a key without quotes, or −1.
func colon(text string, at int) int {
	for i := at; i < len(text) && text[i] != '\n' && text[i] != '\r'; i++ {
		switch {
		case text[i] == ':' && (i+1 == len(text) || white(text[i+1])):
			return i
		case text[i] == '#' && i > at && white(text[i-1]):
			return -1
		}
	}
	return -1
}

// refused has what can't begin a text, and why.
var refused = map[byte]string{
	'&': `"&" begins an anchor, which is not allowed here; put the text in quotes, or write the value where it is needed`,
	'*': `"*" begins an alias, which is not allowed here; put the text in quotes, or write the value itself`,
	'!': `"!" begins a tag, which is not allowed here; put the text in quotes, or leave the tag out`,
	'%': `"%" begins a directive, which is not allowed here; put the text in quotes`,
	'@': `a text can't begin with "@"; put it in quotes`,
	'`': "a text can't begin with \"`\"; put it in quotes",
	',': `there is nothing before this comma; remove it, or put the text in quotes`,
	']': `there is no "[" for this "]"; remove it, or put the text in quotes`,
	'}': `there is no "{" for this "}"; remove it, or put the text in quotes`,
	'#': `a text can't begin with "#"; put it in quotes, or write a blank before it if it is a comment`,
	'|': `a block of text can't stand in brackets; put the text in quotes`,
	'>': `a block of text can't stand in brackets; put the text in quotes`,
}

// refuse fails when what is next is a part of YAML that has no place here.
// flow says that brackets are around it.
func (r *yamlReader) refuse(flow bool) bool {
	why := refused[r.text[r.at]]
	alone := white(r.peek(1)) || flow && strings.IndexByte(",[]{}", r.peek(1)) >= 0
	switch c := r.text[r.at]; {
	case c == '-' && alone:
		why = `a list in brackets has no dashes; write [a, b]`
	case c == '?' && alone:
		why = `"?" begins a key that is not a text, which is not allowed here; write KEY: VALUE`
	}
	if why == "" {
		return false
	}
	r.fail(r.at, r.at+1, "%s", why)
	return true
}
