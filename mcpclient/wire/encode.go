package wire

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// envelopeSize is more than params and results get around them: names, brackets and the id of one
// of our calls.
const envelopeSize = 128

// Encode returns m as one line with its end. See [Append].
func Encode(m Message) ([]byte, error) { return Append(nil, m) }

// Append appends m to b as one line with its end. Params, result and the parts of an error go in as
// they are. It fails for parts that are not valid JSON or would make two lines.
func Append(b []byte, m Message) ([]byte, error) {
	from := len(b)
	switch m := m.(type) {
	case *Request:
		b = appendRequest(b, m)
	case *Response:
		b = appendResponse(b, m)
	}
	if bytes.IndexByte(b[from:], '\n') >= 0 {
		return nil, Errorf(KindInvalidParams, "", "the message to the server is not valid JSON")
	}
	return append(b, '\n'), nil
}

func appendRequest(line []byte, r *Request) []byte {
	params := rawjson.OneLine(r.Params)
	line = slices.Grow(line, len(params)+len(r.Method)+len(r.ID.text)+envelopeSize)
	line = append(line, `{"jsonrpc":"2.0","method":`...)
	line = appendQuoted(line, r.Method)
	if len(params) > 0 {
		line = append(line, `,"params":`...)
		line = append(line, params...)
	}
	if r.IsCall() {
		line = append(line, `,"id":`...)
		line = append(line, r.ID.text...)
	}
	return append(line, '}')
}

func appendResponse(line []byte, r *Response) []byte {
	result := rawjson.OneLine(r.Result)
	line = slices.Grow(line, len(result)+len(r.ID.text)+envelopeSize)
	line = append(line, `{"jsonrpc":"2.0","id":`...)
	line = append(line, r.ID.String()...)
	if r.Error != nil {
		line = append(line, `,"error":`...)
		line = appendError(line, r.Error)
		return append(line, '}')
	}
	line = append(line, `,"result":`...)
	line = append(line, result...)
	return append(line, '}')
}

// appendError appends e as an error object, with [CodeInternalError] when it is not of
// [KindRPC].
func appendError(line []byte, e *Error) []byte {
	code := e.Code
	if e.Kind != KindRPC {
		code = CodeInternalError
	}
	line = append(line, `{"code":`...)
	line = strconv.AppendInt(line, code, 10)
	line = append(line, `,"message":`...)
	line = appendQuoted(line, e.Message)
	if e.Data != nil {
		line = append(line, `,"data":`...)
		line = append(line, rawjson.OneLine(e.Data)...)
	}
	return append(line, '}')
}

// appendQuoted appends s as a JSON string. It replaces what is not UTF-8.
func appendQuoted(line []byte, s string) []byte {
	line, _ = jsontext.AppendQuote(line, s) // an error only says what was replaced
	return line
}
