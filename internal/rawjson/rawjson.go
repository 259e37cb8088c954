// Package rawjson reads and changes single members of raw JSON and leaves every
// other byte as it is: unknown members, the order of members and the spelling of
// numbers survive.
//
// All functions but [Check] and [Measure] expect valid JSON.
package rawjson

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// lenient is for our own input and for input that has passed [Check], which refuses duplicate
// names.
var lenient = jsontext.AllowDuplicateNames(true)

// MaxDepth is how deep a value may be nested that comes from elsewhere and is passed
// on. An editor that reads only 1000 levels, like Neovim, can read it with everything
// that is put around it on the way.
const MaxDepth = 500

// Check returns an error unless b is one JSON value that follows I-JSON (RFC 7493): valid
// UTF-8 without lone surrogates, no name twice in an object. It may be nested at most
// 10,000 deep.
func Check(b []byte) error {
	_, err := Measure(b)
	return err
}

// Measure is Check, and returns how deep b is nested: 1 is an object or array with
// none inside. With an error, depth is how deep b goes up to the error.
func Measure(b []byte) (depth int, err error) {
	r := read(b)
	defer r.done()
	d := &r.decoder
	for open := true; open; open = d.StackDepth() > 0 {
		if _, err := d.ReadToken(); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return depth, err
		}
		depth = max(depth, d.StackDepth())
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return depth, fmt.Errorf("there is more after the JSON value, at byte %d", d.InputOffset())
	}
	return depth, nil
}

// Depth returns how deep b is nested, like Measure.
func Depth(b []byte) int {
	depth, _ := Measure(b) // it is valid
	return depth
}

// IsObject reports whether b is an object.
func IsObject(b []byte) bool { return jsontext.Value(b).Kind() == '{' }

// IsAbsent reports whether a member that [Get] returned is missing or null. Both mean the same in
// LSP and MCP.
func IsAbsent(b []byte) bool { return b == nil || string(b) == "null" }

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
	v := Get(b, name)
	if jsontext.Value(v).Kind() != '"' {
		return ""
	}
	s, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(s)
}

// Int returns the member name of the object b when it is an integer.
func Int(b []byte, name string) (int64, bool) {
	n, err := strconv.ParseInt(string(Get(b, name)), 10, 64)
	return n, err == nil
}

// Quote returns s as a JSON string. It replaces bytes that are not UTF-8.
func Quote(s string) []byte {
	b, _ := jsontext.AppendQuote(nil, s) // an error only reports such a replacement
	return b
}

// Set returns a copy of the object b in which the member name has this value, in
// its old place or as the last member. An empty b counts as an empty object.
func Set(b []byte, name string, value []byte) []byte {
	if len(bytes.TrimSpace(b)) == 0 {
		b = []byte("{}")
	}
	start, end, old := find(b, name)
	if old != nil {
		return splice(b, start, end, value)
	}
	close := bytes.LastIndexByte(b, '}')
	member := make([]byte, 0, len(name)+len(value)+4)
	if len(bytes.TrimSpace(b[bytes.IndexByte(b, '{')+1:close])) > 0 {
		member = append(member, ',')
	}
	member = append(member, Quote(name)...)
	member = append(member, ':')
	member = append(member, value...)
	return splice(b, close, close, member)
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

// Delete returns a copy of the object b without the member name.
func Delete(b []byte, name string) []byte {
	out := []byte{'{'}
	for key, value := range Members(b) {
		if key == name {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, Quote(key)...)
		out = append(out, ':')
		out = append(out, value...)
	}
	return append(out, '}')
}

// Members yields the members of the object b in their order. The values alias b.
func Members(b []byte) func(yield func(name string, value []byte) bool) {
	return func(yield func(string, []byte) bool) {
		r := read(b, lenient)
		defer r.done()
		d := &r.decoder
		if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
			return
		}
		for d.PeekKind() == '"' {
			t, err := d.ReadToken()
			if err != nil {
				return
			}
			name := t.String()
			start, end, err := skip(d, b)
			if err != nil || !yield(name, b[start:end]) {
				return
			}
		}
	}
}

// Elements yields the elements of the array b. They alias b.
func Elements(b []byte) func(yield func(value []byte) bool) {
	return func(yield func([]byte) bool) {
		r := read(b, lenient)
		defer r.done()
		d := &r.decoder
		if t, err := d.ReadToken(); err != nil || t.Kind() != '[' {
			return
		}
		for k := d.PeekKind(); k != ']' && k != 0; k = d.PeekKind() {
			start, end, err := skip(d, b)
			if err != nil || !yield(b[start:end]) {
				return
			}
		}
	}
}

// OneLine returns b without line breaks: b itself when it has none, else a
// compact copy. Numbers and strings keep their spelling.
func OneLine(b []byte) []byte {
	if bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(b, '\r') < 0 {
		return b
	}
	v := jsontext.Value(bytes.Clone(b))
	if err := v.Compact(lenient); err != nil {
		return b
	}
	return v
}

// find returns where the value of the member name begins and ends in the object b.
func find(b []byte, name string) (start, end int, value []byte) {
	r := read(b, lenient)
	defer r.done()
	d := &r.decoder
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return 0, 0, nil
	}
	for d.PeekKind() == '"' {
		t, err := d.ReadToken()
		if err != nil {
			return 0, 0, nil
		}
		found := t.String() == name
		start, end, err := skip(d, b)
		if err != nil {
			return 0, 0, nil
		}
		if found {
			return start, end, b[start:end]
		}
	}
	return 0, 0, nil
}

// A reader reads one value. Readers are reused, because everything that passes through
// is read, and much of it more than once.
type reader struct {
	decoder jsontext.Decoder
	buffer  bytes.Buffer
}

var readers = sync.Pool{New: func() any { return new(reader) }}

// read returns a reader of b, which must not change before done.
func read(b []byte, options ...jsontext.Options) *reader {
	r := readers.Get().(*reader)
	r.buffer = *bytes.NewBuffer(b)
	r.decoder.Reset(&r.buffer, options...)
	return r
}

// done gives r back, and r lets go of what it has read.
func (r *reader) done() {
	r.buffer = bytes.Buffer{}
	r.decoder.Reset(&r.buffer)
	readers.Put(r)
}

// skip passes over the next value and returns its place in b.
func skip(d *jsontext.Decoder, b []byte) (start, end int, err error) {
	from := int(d.InputOffset())
	if err := d.SkipValue(); err != nil {
		return 0, 0, err
	}
	end = int(d.InputOffset())
	// Between the last token and the value there is white space and one ':' or ','.
	for from < end && bytes.IndexByte([]byte(" \t\r\n:,"), b[from]) >= 0 {
		from++
	}
	return from, end, nil
}

// splice returns a copy of b with b[start:end] replaced.
func splice(b []byte, start, end int, with []byte) []byte {
	out := make([]byte, 0, len(b)-(end-start)+len(with))
	out = append(out, b[:start]...)
	out = append(out, with...)
	return append(out, b[end:]...)
}
