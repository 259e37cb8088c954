package daemon

import (
	"encoding/json"
	"strconv"
	"strings"
)

// appendJSON appends e as [json.Marshal] encodes it, byte for byte. It allocates nothing for names of
// visible ASCII, because every call of a tool has an entry.
func (e *AuditEntry) appendJSON(b []byte) []byte {
	b = appendJSONString(append(b, `{"time":`...), e.Time)
	b = appendJSONString(append(b, `,"event":`...), e.Event)
	b = appendJSONString(append(b, `,"server":`...), e.Server)
	if e.What != "" {
		b = appendJSONString(append(b, `,"what":`...), e.What)
	}
	b = appendJSONString(append(b, `,"editor":{"name":`...), e.Editor.Name)
	b = strconv.AppendInt(append(b, `,"id":`...), int64(e.Editor.ID), 10)
	b = appendJSONString(append(b, `},"outcome":`...), e.Outcome)
	b = strconv.AppendInt(append(b, `,"ms":`...), e.MS, 10)
	b = strconv.AppendInt(append(b, `,"bytesIn":`...), int64(e.BytesIn), 10)
	b = strconv.AppendInt(append(b, `,"bytesOut":`...), int64(e.BytesOut), 10)
	if e.Lost != 0 {
		b = strconv.AppendInt(append(b, `,"lost":`...), int64(e.Lost), 10)
	}
	return append(b, '}')
}

// appendJSONString appends s as [json.Marshal] encodes it.
func appendJSONString(b []byte, s string) []byte {
	special := func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\<>&`, r) }
	if strings.ContainsFunc(s, special) {
		quoted, _ := json.Marshal(s) // a string is always JSON
		return append(b, quoted...)
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
