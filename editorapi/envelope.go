package editorapi

import (
	"encoding/json"
	"fmt"
	"strconv"

	"go.lsp.dev/jsonrpc2"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// maxNesting is how deep a frame may be nested: what is passed on, and the message around it.
const maxNesting = rawjson.MaxDepth + 16

// inspect looks at a frame before jsonrpc2 does, because jsonrpc2 ends the connection over an
// invalid message. It returns what to hand on, or else what to answer; neither for an answer of
// the peer that nobody waits for. problem says what is wrong with the frame, "" when nothing is.
//
// JSON-RPC 2.0, sections 4 and 5. It allows batches, fractional ids and null ids, which are no part
// of LSP 3.18 (Base Protocol).
func inspect(frame []byte) (pass, answer []byte, problem string) {
	depth, err := rawjson.Measure(frame)
	if err != nil {
		return nil, errorAnswer(nil, jsonrpc2.ParseError, "the message is not valid JSON: "+err.Error()), err.Error()
	}
	var version, id, method, params, result, failure []byte // nil also when frame is no object
	for name, value := range rawjson.Members(frame) {
		switch name {
		case "jsonrpc":
			version = value
		case "id":
			id = value
		case "method":
			method = value
		case "params":
			params = value
		case "result":
			result = value
		case "error":
			failure = value
		}
	}
	view, err := jsonrpc2.ScanMessageView(frame)
	if method == nil && (result != nil || failure != nil) {
		return inspectAnswer(frame, id, depth, err)
	}
	switch {
	case !rawjson.IsObject(frame):
		problem = "a message must be a JSON object, and LSP has no batches"
	case id != nil && !isID(id):
		problem = "the id of a request must be a 64-bit integer or a string"
	case string(version) != `"2.0"`:
		problem = `the member "jsonrpc" of a message must be "2.0"`
	case err != nil:
		problem = "a message must have a method that is a string, or a result, or an error"
	case params != nil && !isParams(params):
		problem = "the params of a message must be an object or an array"
	case (view.IDRaw == nil) != (id == nil) || (view.Params == nil) != (params == nil || string(params) == "null"):
		problem = "the names of a message's members must be written without escapes" // jsonrpc2 would not see these members
	case depth > maxNesting:
		problem = tooDeep(depth)
		if id == nil {
			return nil, nil, problem
		}
		return nil, errorAnswer(id, jsonrpc2.InvalidParams, problem, encodeOwn(errorf(KindInvalidParams, "params", ""))...), problem
	default:
		return frame, nil, ""
	}
	return nil, errorAnswer(id, jsonrpc2.InvalidRequest, problem), problem
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
func inspectAnswer(frame, id []byte, depth int, err error) (pass, answer []byte, problem string) {
	switch {
	case err != nil:
		problem = "an answer is not valid JSON-RPC"
	case depth > maxNesting:
		problem = tooDeep(depth)
	default:
		return frame, nil, ""
	}
	if !isID(id) {
		return nil, nil, problem
	}
	return errorAnswer(id, jsonrpc2.InternalError, problem), nil, problem
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

// parseID reads an id or a progress token: an integer or a string (LSP 3.18,
// Base Protocol). Integers are int32 there; larger ones are accepted.
func parseID(raw []byte) (jsonrpc2.ID, bool) {
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		err := json.Unmarshal(raw, &s)
		return jsonrpc2.NewStringID(s), err == nil
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return jsonrpc2.NewNumberID(n), err == nil
}

func isID(raw []byte) bool {
	_, ok := parseID(raw)
	return ok
}

// appendID is the reverse of parseID.
func appendID(b []byte, id jsonrpc2.ID) []byte {
	if s, ok := id.StringValue(); ok {
		return append(b, rawjson.Quote(s)...)
	}
	n, _ := id.Number()
	return strconv.AppendInt(b, n, 10)
}
