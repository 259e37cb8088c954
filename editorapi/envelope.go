package editorapi

import (
	"bytes"
	"fmt"
	"strconv"

	"go.lsp.dev/jsonrpc2"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// maxNesting is how deep a frame may be nested: what is passed on, and the message around it.
const maxNesting = rawjson.MaxDepth + 16

// A message is a frame cut into the members that JSON-RPC 2.0 knows, as the frame has them; those
// that are absent are nil, and so are all when the frame is no object.
type message struct {
	frame                                        []byte
	depth                                        int
	version, id, method, params, result, failure []byte
}

// cut checks that frame is JSON, and cuts it.
func cut(frame []byte) (message, error) {
	m := message{frame: frame}
	var err error
	m.depth, err = rawjson.Scan(frame, func(name, value []byte) {
		switch string(name) {
		case "jsonrpc":
			m.version = value
		case "id":
			m.id = value
		case "method":
			m.method = value
		case "params":
			m.params = value
		case "result":
			m.result = value
		case "error":
			m.failure = value
		}
	})
	return m, err
}

// isRequest reports whether m is a request with an object for params, nothing unusual about it and
// nothing wrong.
func (m *message) isRequest() bool {
	return string(m.version) == `"2.0"` && m.depth <= maxNesting && m.result == nil && m.failure == nil &&
		rawjson.IsObject(m.params) && isID(m.id) && len(m.method) > 0 && m.method[0] == '"' && bytes.IndexByte(m.method, '\\') < 0
}

// inspect looks for what is wrong with a message. It returns what to hand on, or else what to answer; neither for an answer of
// the peer that nobody waits for. problem says what is wrong with the message, "" when nothing is.
//
// JSON-RPC 2.0, sections 4 and 5. It allows batches, fractional ids and null ids, which are no part
// of LSP 3.18 (Base Protocol).
func (m *message) inspect() (pass, answer []byte, problem string) {
	view, err := jsonrpc2.ScanMessageView(m.frame)
	if m.method == nil && (m.result != nil || m.failure != nil) {
		return m.inspectAnswer(err)
	}
	switch {
	case !rawjson.IsObject(m.frame):
		problem = "a message must be a JSON object, and LSP has no batches"
	case m.id != nil && !isID(m.id):
		problem = "the id of a request must be a 64-bit integer or a string"
	case string(m.version) != `"2.0"`:
		problem = `the member "jsonrpc" of a message must be "2.0"`
	case err != nil:
		problem = "a message must have a method that is a string, or a result, or an error"
	case m.params != nil && !isParams(m.params):
		problem = "the params of a message must be an object or an array"
	case (view.IDRaw == nil) != (m.id == nil) || (view.Params == nil) != (m.params == nil || string(m.params) == "null"):
		problem = "the names of a message's members must be written without escapes"
	case m.depth > maxNesting:
		problem = tooDeep(m.depth)
		if m.id == nil {
			return nil, nil, problem
		}
		return nil, errorAnswer(m.id, jsonrpc2.InvalidParams, problem, encodeOwn(errorf(KindInvalidParams, "params", ""))...), problem
	default:
		return m.frame, nil, ""
	}
	return nil, errorAnswer(m.id, jsonrpc2.InvalidRequest, problem), problem
}

func tooDeep(depth int) string {
	return fmt.Sprintf("the message is nested %d deep, and at most %d levels can be passed on; send it flatter", depth, rawjson.MaxDepth)
}

// isParams accepts null too: there are clients that write it for "none".
func isParams(raw []byte) bool {
	return raw[0] == '{' || raw[0] == '[' || string(raw) == "null"
}

// inspectAnswer is inspect for answers; err is jsonrpc2's objection. An invalid answer that says
// which request it belongs to becomes an error, so that nobody waits for ever.
func (m *message) inspectAnswer(err error) (pass, answer []byte, problem string) {
	switch {
	case err != nil:
		problem = "an answer is not valid JSON-RPC"
	case m.depth > maxNesting:
		problem = tooDeep(m.depth)
	default:
		return m.frame, nil, ""
	}
	if !isID(m.id) {
		return nil, nil, problem
	}
	return errorAnswer(m.id, jsonrpc2.InternalError, problem), nil, problem
}

// errorAnswer encodes an error answer to a message. id is as the message had it and may be
// anything: a scalar is echoed, all else becomes null. data may be absent.
func errorAnswer(id []byte, code jsonrpc2.Code, message string, data ...byte) []byte {
	if len(id) == 0 || id[0] == '{' || id[0] == '[' {
		id = []byte("null")
	}
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(b, `,"error":{"code":`...)
	b = strconv.AppendInt(b, int64(code), 10)
	b = append(b, `,"message":`...)
	b = append(b, rawjson.Quote(message)...)
	if len(data) > 0 {
		b = append(b, `,"data":`...)
		b = append(b, data...)
	}
	return append(b, "}}"...)
}

// parseID reads an id or a progress token, which is valid JSON: an integer or a string (LSP 3.18,
// Base Protocol). Integers are int32 there; larger ones are accepted.
func parseID(raw []byte) (jsonrpc2.ID, bool) {
	if s, ok := rawjson.Text(raw); ok {
		return jsonrpc2.NewStringID(s), true
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return jsonrpc2.NewNumberID(n), err == nil
}

func isID(raw []byte) bool {
	_, ok := parseID(raw)
	return ok
}

// maxNumber is how many bytes an id has at most that is a number.
const maxNumber = len("-9223372036854775808")

// appendID is the reverse of parseID.
func appendID(b []byte, id jsonrpc2.ID) []byte {
	if s, ok := id.StringValue(); ok {
		return append(b, rawjson.Quote(s)...)
	}
	n, _ := id.Number()
	return strconv.AppendInt(b, n, 10)
}
