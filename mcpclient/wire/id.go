package wire

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// An ID names a request: "Requests MUST include a string or integer ID" (MCP
// 2025-11-25, Base Protocol, Requests). Equal ids compare equal, however they were
// spelled. The zero ID is that of a notification.
type ID struct {
	text string // canonical JSON
}

// NumberID returns n as an ID.
func NumberID(n int64) ID { return ID{strconv.FormatInt(n, 10)} }

// ParseID returns the ID that raw spells in JSON. ok is false for anything but a string or an
// integer; 1.0 and 1e3 are no integers.
func ParseID(raw []byte) (id ID, ok bool) {
	switch {
	case len(raw) == 0:
		return ID{}, false
	case raw[0] == '"':
		text, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return ID{}, false
		}
		if bytes.IndexByte(raw, '\\') < 0 {
			return ID{string(raw)}, true
		}
		canonical, err := jsontext.AppendQuote(nil, text)
		return ID{string(canonical)}, err == nil
	case string(raw) == "-0":
		return ID{"0"}, true
	}
	digits := bytes.TrimPrefix(raw, []byte("-"))
	if len(digits) == 0 || digits[0] == '0' && len(digits) > 1 || len(bytes.Trim(digits, "0123456789")) > 0 {
		return ID{}, false
	}
	return ID{string(raw)}, true
}

// IsValid reports whether id names a request.
func (id ID) IsValid() bool { return id.text != "" }

// Number returns the number that id is. "1" is not 1.
func (id ID) Number() (int64, bool) {
	n, err := strconv.ParseInt(id.text, 10, 64)
	return n, err == nil
}

// String returns id as JSON, null for the zero ID.
func (id ID) String() string {
	if !id.IsValid() {
		return "null"
	}
	return id.text
}
