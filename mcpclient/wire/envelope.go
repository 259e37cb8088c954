package wire

import "bytes"

// An envelope has the members of a message that JSON-RPC 2.0 knows, as the frame has
// them; those that are absent are nil.
type envelope struct {
	version, id, method, params, result, failure []byte
}

// read finds the members in frame, and reports whether it has come to the end of an
// object. Inside values it looks only at strings and brackets, so that even a frame that
// is not valid JSON shows which call it answers. If a member is there twice, which is not
// valid either, the last one counts.
func (e *envelope) read(frame []byte) bool {
	i := skipSpace(frame, 0)
	if !at(frame, i, '{') {
		return false
	}
	i = skipSpace(frame, i+1)
	for !at(frame, i, '}') {
		if !at(frame, i, '"') {
			return false
		}
		end := skipString(frame, i)
		colon := skipSpace(frame, end)
		if !at(frame, colon, ':') {
			return false
		}
		start := skipSpace(frame, colon+1)
		over := skipValue(frame, start)
		if over == start || over > len(frame) {
			return false
		}
		e.set(frame[i:end], frame[start:over])
		i = skipSpace(frame, over)
		switch {
		case at(frame, i, ','):
			i = skipSpace(frame, i+1)
		case !at(frame, i, '}'):
			return false
		}
	}
	return skipSpace(frame, i+1) == len(frame)
}

func (e *envelope) set(name, value []byte) {
	switch string(name) {
	case `"jsonrpc"`:
		e.version = value
	case `"id"`:
		e.id = value
	case `"method"`:
		e.method = value
	case `"params"`:
		e.params = value
	case `"result"`:
		e.result = value
	case `"error"`:
		e.failure = value
	}
}

// at reports whether b[i] is there and is c.
func at(b []byte, i int, c byte) bool { return i < len(b) && b[i] == c }

// skipSpace returns where white space that begins at i ends.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns where the value that begins at i ends: beyond the end of b when
// it does not end, i when there is none.
func skipValue(b []byte, i int) int {
	switch {
	case i >= len(b):
		return i
	case b[i] == '"':
		return skipString(b, i)
	case b[i] == '{' || b[i] == '[':
		return skipNested(b, i)
	}
	n := bytes.IndexAny(b[i:], ",}] \t\r\n")
	if n < 0 {
		n = len(b) - i
	}
	return i + n
}

// skipString returns where the string that begins at i ends.
func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			break
		}
		escapes := n
		for escapes > 0 && b[i+escapes-1] == '\\' {
			escapes--
		}
		i += n
		if (n-escapes)%2 == 0 {
			return i + 1
		}
	}
	return len(b) + 1
}

// skipNested returns where the object or array that begins at i ends.
func skipNested(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(b) + 1
}
