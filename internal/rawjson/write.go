package rawjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Quote returns s as a JSON string. It replaces bytes that are not UTF-8.
func Quote(s string) []byte {
	b, _ := jsontext.AppendQuote(nil, s) // an error only reports such a replacement
	return b
}

// Set returns a copy of the object b in which the member name has this value, in
// its old place or as the last member. An empty b counts as an empty object.
func Set(b []byte, name string, value []byte) []byte {
	if len(bytes.TrimSpace(b)) == 0 {
		out := make([]byte, 0, memberRoom+len(name)+len(value))
		return append(appendMember(append(out, '{'), name, value), '}')
	}
	start, end, old := find(b, name)
	if old != nil {
		return splice(b, start, end, value)
	}
	close := bytes.LastIndexByte(b, '}')
	out := make([]byte, 0, len(b)+memberRoom+len(name)+len(value))
	out = append(out, b[:close]...)
	if len(bytes.TrimSpace(b[bytes.IndexByte(b, '{')+1:close])) > 0 {
		out = append(out, ',')
	}
	return append(appendMember(out, name, value), b[close:]...)
}

// memberRoom is how many bytes a member has beside its value and a name without escapes: with a comma
// before it, or with the brackets of an object around it.
const memberRoom = len(`{"":}`)

// appendMember appends a member to the beginning of an object.
func appendMember(out []byte, name string, value []byte) []byte {
	out, _ = jsontext.AppendQuote(out, name) // as in Quote
	out = append(out, ':')
	return append(out, value...)
}

// Array returns an array of values.
func Array[T ~[]byte](values []T) []byte {
	size := len("[]")
	for _, v := range values {
		size += len(v) + len(",")
	}
	out := append(make([]byte, 0, size), '[')
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

// SetPath is Set in nested objects. It makes the objects that are missing, or are not objects.
func SetPath(b []byte, value []byte, names ...string) []byte {
	if len(names) > 1 {
		inner := Get(b, names[0])
		if !IsObject(inner) {
			inner = nil
		}
		value = SetPath(inner, value, names[1:]...)
	}
	return Set(b, names[0], value)
}

// Union returns the object a with what b has beside it. What both have is that of a, unless both are
// objects: then it is their Union. nil stands for nothing. It is a itself, byte for byte, when b has
// nothing beside it.
func Union(a, b []byte) []byte {
	if a == nil {
		return b
	}
	if !IsObject(a) {
		return a
	}
	for name, value := range Members(b) {
		had := Get(a, name)
		if both := Union(had, value); had == nil || !bytes.Equal(had, both) {
			a = Set(a, name, both)
		}
	}
	return a
}

// Delete returns a copy of the object b without the member name: b itself when it has none.
func Delete(b []byte, name string) []byte {
	if Get(b, name) == nil {
		return b
	}
	out := []byte{'{'}
	for key, value := range Members(b) {
		if key == name {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = appendMember(out, key, value)
	}
	return append(out, '}')
}

// Compact returns a copy of b without white space between its tokens. Numbers and strings keep
// their spelling.
func Compact(b []byte) []byte {
	v := jsontext.Value(bytes.Clone(b))
	if err := v.Compact(jsontext.AllowDuplicateNames(true)); err != nil {
		return b
	}
	return v
}

// OneLine returns b without line breaks: b itself when it has none, else a
// compact copy. Numbers and strings keep their spelling.
func OneLine(b []byte) []byte {
	if bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(b, '\r') < 0 {
		return b
	}
	return Compact(b)
}

// splice returns a copy of b with b[start:end] replaced.
func splice(b []byte, start, end int, with []byte) []byte {
	out := make([]byte, 0, len(b)-(end-start)+len(with))
	out = append(out, b[:start]...)
	out = append(out, with...)
	return append(out, b[end:]...)
}
