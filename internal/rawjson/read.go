package rawjson

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Get returns the value of the member name of the object b, or nil when there is none. The
// value aliases b.
func Get(b []byte, name string) []byte {
	_, _, value := find(b, name)
	return value
}

// Path follows names through nested objects.
func Path(b []byte, names ...string) []byte {
	for _, name := range names {
		if b = Get(b, name); b == nil {
			return nil
		}
	}
	return b
}

// String returns the member name of the object b when it is a string, else "".
func String(b []byte, name string) string {
	s, _ := Text(Get(b, name))
	return s
}

// Text returns the string that v is; ok is false when v is something else.
func Text(v []byte) (s string, ok bool) {
	if len(v) < 2 || v[0] != '"' {
		return "", false
	}
	return string(unescape(v[1 : len(v)-1])), true
}

// Bare returns the string that v is, and any other value as it stands.
func Bare(v []byte) string {
	if text, ok := Text(v); ok {
		return text
	}
	return string(v)
}

// Int returns the member name of the object b when it is an integer.
func Int(b []byte, name string) (int64, bool) {
	n, err := strconv.ParseInt(string(Get(b, name)), 10, 64)
	return n, err == nil
}

// Members yields the members of the object b in their order. The values alias b.
func Members(b []byte) func(yield func(name string, value []byte) bool) {
	return func(yield func(string, []byte) bool) {
		Walk(b, func(name, value []byte) bool { return yield(string(unescape(name)), value) })
	}
}

// Elements yields the elements of the array b. They alias b.
func Elements(b []byte) func(yield func(value []byte) bool) {
	return func(yield func([]byte) bool) {
		i := skipSpace(b, 0)
		if !at(b, i, '[') {
			return
		}
		for i = skipSpace(b, i+1); i >= 0 && !at(b, i, ']'); {
			end := skipValue(b, i)
			if end == i || end > len(b) || !yield(b[i:end]) {
				return
			}
			i = skipSeparator(b, end, ']')
		}
	}
}

// find returns where the value of the member name begins and ends in the object b.
func find(b []byte, name string) (start, end int, value []byte) {
	walk(b, func(spelled []byte, from, to int) bool {
		if string(unescape(spelled)) == name {
			start, end, value = from, to, b[from:to]
		}
		return value == nil
	})
	return start, end, value
}

// unescape returns the string that is spelled like this between quotes: spelled itself when it has no
// escapes.
func unescape(spelled []byte) []byte {
	if bytes.IndexByte(spelled, '\\') < 0 {
		return spelled
	}
	quoted := append(append(append(make([]byte, 0, len(spelled)+2), '"'), spelled...), '"')
	unquoted, _ := jsontext.AppendUnquote(quoted[:0:0], quoted) // it is valid
	return unquoted
}
