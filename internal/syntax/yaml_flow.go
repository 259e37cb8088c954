package syntax

// inline reads a node without indentation of its own: in quotes, in brackets, or a plain scalar. flow says that brackets
// are around it.
func (r *yamlReader) inline(parent int, flow bool) *Node {
	switch r.text[r.at] {
	case '"', '\'':
		return r.quoted(parent)
	case '{':
		return r.flowMap()
	case '[':
		return r.flowList()
	}
	if r.refuse(flow) {
		return r.node(Null)
	}
	return r.plain(parent, flow)
}

// nested is inline for what is in brackets.
func (r *yamlReader) nested() *Node {
	defer r.leave()
	if !r.enter() {
		return r.node(Null)
	}
	return r.inline(-1, true)
}

// flowList reads a list in brackets.
func (r *yamlReader) flowList() *Node {
	n := r.node(List)
	for r.more(n, ']') {
		item := r.nested()
		n.Items = append(n.Items, item)
		r.next()
		if !r.done() && r.text[r.at] == ':' {
			r.fail(item.Start, r.at+1, "a list has no keys; write {KEY: VALUE} for a map in it")
		}
	}
	return n
}

// flowMap reads a map in braces.
func (r *yamlReader) flowMap() *Node {
	n := r.node(Map)
	keys := map[string]bool{}
	for r.more(n, '}') {
		var m Member
		if c := r.text[r.at]; c == '{' || c == '[' {
			r.fail(r.at, r.at+1, "a list or a map can't be a key; write a text before the colon")
			return n
		}
		key := r.nested()
		m.Key, m.KeySpan = key.Text, key.Span
		if key.Start == key.End {
			r.failKey(key.Start)
		}
		if key.Plain && m.Key == "<<" {
			r.fail(key.Start, key.End, `"<<" merges maps, which is not allowed here; write the keys themselves`)
		}
		written := key.End
		if r.next(); !r.done() && r.text[r.at] == ':' {
			r.at++
			written = r.at
			if r.next(); !r.done() && r.text[r.at] != ',' && r.text[r.at] != '}' {
				m.Value = r.nested()
			}
		}
		if m.Value == nil {
			m.Value = r.nothing(written)
		}
		r.add(n, keys, m)
	}
	return n
}

// more goes to the next item of a node in brackets, over the bracket that opens it or a comma. It reports false
// behind the bracket that closes it.
func (r *yamlReader) more(n *Node, close byte) bool {
	first := r.at == n.Start
	if first {
		r.at++
	}
	r.next()
	if !r.done() && !first && r.text[r.at] != close {
		if r.text[r.at] != ',' {
			r.fail(r.at, r.at+1, `a comma or "%c" is missing before this`, close)
			return false
		}
		r.at++
		r.next()
	}
	if r.done() {
		r.fail(n.Start, n.Start+1, `there is no "%c" for this "%c"; write it behind the last value`, close, r.text[n.Start])
		return false
	}
	if r.text[r.at] == close {
		r.at++
		n.End = r.at
		return false
	}
	return true
}
