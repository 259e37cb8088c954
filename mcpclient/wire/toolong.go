package wire

import (
	"bytes"
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"
)

// tooLongParts is how many bytes to keep of the beginning and of the end of a frame over the
// limit.
const tooLongParts = 512

// A TooLong stands for a frame over the limit, or over the memory that was left, which
// was skipped.
type TooLong struct {
	Head, Tail []byte // at most 512 bytes of each
	Size       int64  // in bytes
}

// NewTooLong begins with the two parts of a frame that have been read.
func NewTooLong(a, b []byte) *TooLong {
	beginning := a
	if len(beginning) == 0 {
		beginning = b
	}
	t := &TooLong{Head: bytes.Clone(beginning[:min(len(beginning), tooLongParts)])}
	t.Add(a)
	t.Add(b)
	return t
}

// Add takes the next part of the frame.
func (t *TooLong) Add(part []byte) {
	t.Size += int64(len(part))
	t.Tail = append(t.Tail, part[max(0, len(part)-tooLongParts):]...)
	t.Tail = append(t.Tail[:0], t.Tail[max(0, len(t.Tail)-tooLongParts):]...)
}

func (t *TooLong) Error() string { return fmt.Sprintf("a line of %d bytes", t.Size) }

// idNearEnd matches a member id of the outermost object when nothing but short
// members without nesting follow it. The brace is that of the outermost object, and there
// are neither braces nor escapes between it and the id, so the id is its member.
var idNearEnd = regexp.MustCompile(`,\s*"id"\s*:\s*(-?[0-9]+|"[^"\\]*")\s*(?:,\s*"[^"\\]*"\s*:\s*(?:"[^"\\]*"|[-+.0-9A-Za-z]+)\s*)*\}\s*$`)

// Answers returns the id of the call that the frame answers. The frame is a response when result or
// error is among its first members. Its id is there or among the last ones.
func (t *TooLong) Answers() (ID, bool) {
	var id []byte
	response := false
	d := jsontext.NewDecoder(bytes.NewBuffer(t.Head), jsontext.AllowDuplicateNames(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return ID{}, false
	}
	for !response {
		name, err := d.ReadToken()
		if err != nil || name.Kind() != '"' {
			return ID{}, false
		}
		switch name.String() {
		case "method", "params":
			return ID{}, false
		case "result", "error":
			response = true
			continue
		case "id":
			value, err := d.ReadValue()
			if err != nil {
				return ID{}, false
			}
			id = bytes.Clone(value)
			continue
		}
		if d.SkipValue() != nil {
			return ID{}, false
		}
	}
	if id == nil {
		match := idNearEnd.FindSubmatch(t.Tail)
		if match == nil {
			return ID{}, false
		}
		id = match[1]
	}
	return ParseID(id)
}
