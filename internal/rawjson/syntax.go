package rawjson

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// A syntaxError says what is wrong with JSON, and where.
type syntaxError struct {
	what   string
	offset int   // of the byte that is wrong; 0 is the first
	err    error // io.ErrUnexpectedEOF when b ends early
}

func (e *syntaxError) Error() string { return fmt.Sprintf("%s, at byte %d", e.what, e.offset) }
func (e *syntaxError) Unwrap() error { return e.err }

// early returns the error of a value that does not end in b.
func early(b []byte) error {
	return &syntaxError{what: "it ends before the value does", offset: len(b), err: io.ErrUnexpectedEOF}
}

// unexpected returns the error of b[i], where something else must be. If there is no b[i], b ends
// early.
func unexpected(b []byte, i int, instead string) error {
	if i >= len(b) {
		return early(b)
	}
	return &syntaxError{what: fmt.Sprintf("there is %s instead of %s", character(b[i:]), instead), offset: i}
}

// character names the first character of b.
func character(b []byte) string {
	if r, size := utf8.DecodeRune(b); r != utf8.RuneError || size > 1 {
		return fmt.Sprintf("%q", r)
	}
	return fmt.Sprintf("the byte 0x%02x", b[0])
}
