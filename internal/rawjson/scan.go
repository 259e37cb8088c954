package rawjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Check returns an error unless b is one JSON value that follows I-JSON (RFC 7493): valid
// UTF-8 without lone surrogates, no name twice in an object. It may be nested at most
// 10,000 deep.
func Check(b []byte) error {
	_, err := Scan(b, nil)
	return err
}

// Measure is Check, and returns how deep b is nested: 1 is an object or array with
// none inside. With an error, depth is how deep b goes up to the error.
func Measure(b []byte) (depth int, err error) { return Scan(b, nil) }

// Depth returns how deep b is nested, like Measure.
func Depth(b []byte) int {
	depth, _ := Scan(b, nil) // it is valid
	return depth
}

// Scan is Measure, and hands each member of the object b to member when its value is over, in
// order; none when b is not an object. With an error, the members before it have been handed over.
// An error that wraps [io.ErrUnexpectedEOF] says that b ends early.
//
// The name is without quotes and escapes, and may be used until member returns. The value aliases b
// and has no white space around it. member may be nil.
func Scan(b []byte, member func(name, value []byte)) (depth int, err error) {
	d := decoders.Get().(*jsontext.Decoder)
	d.Reset(bytes.NewBuffer(b)) // which it reads in place
	defer func() {
		if d.Reset(&nothing); len(b) <= maxKept && depth <= maxKeptDepth {
			decoders.Put(d)
		}
	}()
	var name []byte
	for begin, end := 0, 0; ; begin = end {
		// Token by token: ReadValue would need Go's stack for what is nested.
		if _, err := d.ReadToken(); err != nil {
			return depth, wrong(err, len(b))
		}
		level := d.StackDepth()
		depth = max(depth, level)
		if level > 1 {
			continue
		}
		end = int(d.InputOffset())
		if level == 0 {
			if end = skipSpace(b, end); end < len(b) {
				return depth, fmt.Errorf("there is more after the JSON value, at byte %d", end)
			}
			return depth, nil
		}
		switch kind, n := d.StackIndex(1); {
		case kind != '{' || n == 0 || member == nil:
		case n%2 == 1:
			quoted := bytes.TrimLeft(b[begin:end], ", \t\r\n")
			name = unescape(quoted[1 : len(quoted)-1])
		default:
			member(name, bytes.TrimLeft(b[begin:end], ": \t\r\n"))
		}
	}
}

// decoders are used again, because everything that passes through is scanned. A decoder keeps what it
// has needed for the names of objects, one for each level, so those are not kept that needed much.
var decoders = sync.Pool{New: func() any { return jsontext.NewDecoder(&nothing) }}

const (
	maxKept      = 16 << 10 // bytes of a value
	maxKeptDepth = 16       // levels
)

var nothing bytes.Buffer

// wrong says what is wrong with JSON of so many bytes, and where.
func wrong(err error, length int) error {
	var e *jsontext.SyntacticError
	switch {
	case !errors.As(err, &e) || e.Err == io.ErrUnexpectedEOF: // or io.EOF, when there is nothing
		return fmt.Errorf("it ends before the value does, at byte %d: %w", length, io.ErrUnexpectedEOF)
	case e.Err == jsontext.ErrDuplicateName:
		return fmt.Errorf("the name %.80q is there twice, at byte %d", e.JSONPointer.LastToken(), e.ByteOffset)
	default:
		return fmt.Errorf("%v, at byte %d", e.Err, e.ByteOffset)
	}
}
