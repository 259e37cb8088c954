package rawjson

import "bytes"

// What is here goes over JSON without a check. It looks only at strings and brackets, and so finds
// its way also in much that is not valid.

// Walk hands the members of the object b to member, in order, until that returns false. It reports
// whether it has come to the end of an object, with nothing after it but white space.
//
// b need not be valid, and need not end: Walk hands over what comes before the place where it loses
// its way. The name is as b spells it, without its quotes. It and the value alias b. A name that is
// there twice is handed over twice.
func Walk(b []byte, member func(name, value []byte) (more bool)) (ended bool) {
	return walk(b, func(name []byte, start, end int) bool { return member(name, b[start:end]) })
}

// walk is Walk, and hands over where a value begins and ends.
func walk(b []byte, member func(name []byte, start, end int) (more bool)) (ended bool) {
	i := skipSpace(b, 0)
	if !at(b, i, '{') {
		return false
	}
	i = skipSpace(b, i+1)
	for !at(b, i, '}') {
		if !at(b, i, '"') {
			return false
		}
		nameEnd := skipString(b, i)
		colon := skipSpace(b, nameEnd)
		if !at(b, colon, ':') {
			return false
		}
		start := skipSpace(b, colon+1)
		end := skipValue(b, start)
		if end == start || end > len(b) || !member(b[i+1:nameEnd-1], start, end) {
			return false
		}
		if i = skipSeparator(b, end, '}'); i < 0 {
			return false
		}
	}
	return skipSpace(b, i+1) == len(b)
}

// skipSeparator returns where the next member or element after one that ends at i begins, or where
// the bracket is that closes them; -1 if neither follows.
func skipSeparator(b []byte, i int, closing byte) int {
	i = skipSpace(b, i)
	switch {
	case at(b, i, ','):
		return skipSpace(b, i+1)
	case at(b, i, closing):
		return i
	}
	return -1
}

// at reports whether b[i] is there and is c. i is not negative.
func at(b []byte, i int, c byte) bool { return uint(i) < uint(len(b)) && b[i] == c }

// skipSpace returns where white space that begins at i ends.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
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
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return i
		}
		i++
	}
	return i
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
