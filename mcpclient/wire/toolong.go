package wire

import (
	"bytes"
	"fmt"
	"regexp"
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

// member matches a member that is short: there is neither nesting nor an escape in it.
const member = `"[^"\\]*"\s*:\s*(?:"[^"\\]*"|[-+.0-9A-Za-z]+)\s*`

// idMember matches a member id.
const idMember = `"id"\s*:\s*(-?[0-9]+|"[^"\\]*")\s*`

var (
	// response matches the beginning of a response, up to its result or error.
	response = regexp.MustCompile(`^\s*\{\s*(?:` + member + `,\s*)*"(?:result|error)"\s*:`)

	idBefore = regexp.MustCompile(idMember + `,`)

	// idNearEnd matches an id when nothing but short members follow it. The brace is that of the
	// outermost object, and there are neither braces nor escapes between it and the id, so the id is
	// its member.
	idNearEnd = regexp.MustCompile(`,\s*` + idMember + `(?:,\s*` + member + `)*\}\s*$`)
)

// Answers returns the id of the call that the frame answers. The frame is a response when result or
// error is among its first members. Its id is there or among the last ones.
func (t *TooLong) Answers() (ID, bool) {
	beginning := response.Find(t.Head)
	if beginning == nil {
		return ID{}, false
	}
	match := idBefore.FindSubmatch(beginning)
	if match == nil {
		match = idNearEnd.FindSubmatch(t.Tail)
	}
	if match == nil {
		return ID{}, false
	}
	return ParseID(match[1])
}
