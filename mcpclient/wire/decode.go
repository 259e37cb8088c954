package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// MaxBatch is how many messages one batch may have.
const MaxBatch = 1000

// ErrNoID is the error of an error response without an id: nobody waits for it.
var ErrNoID = errors.New("the response has no id")

// errNoMessage is the error of JSON that is not a message.
var errNoMessage = errors.New("it is not a JSON-RPC 2.0 message")

// Each hands the messages of one frame to take, in their order, and all else to refuse. A
// frame is one message or a batch of them.
func Each(frame []byte, take func(Message), refuse func(part []byte, why error)) {
	frame = bytes.TrimSpace(frame)
	if len(frame) == 0 {
		return
	}
	each := func(part []byte) {
		if msg, err := Decode(part); err != nil {
			refuse(part, err)
		} else {
			take(msg)
		}
	}
	if frame[0] != '[' {
		each(frame)
		return
	}
	// A batch (JSON-RPC 2.0, section 6; MCP 2025-03-26, Base Protocol, Batching).
	if err := rawjson.Check(frame); err != nil {
		refuse(frame, err)
		return
	}
	n := 0
	for range rawjson.Elements(frame) {
		n++
	}
	if n == 0 || n > MaxBatch {
		refuse(frame, fmt.Errorf("a batch must have 1 to %d messages", MaxBatch))
		return
	}
	for element := range rawjson.Elements(frame) {
		each(element)
	}
}

// Decode returns the message of one frame. Its params and result alias the frame. A response that is not valid JSON throughout
// becomes one with an error of [KindInvalidResult], so that its call need not wait for
// the time limit. [TooDeep] marks what is nested too deep.
func Decode(frame []byte) (Message, error) {
	var e envelope
	depth, invalid := rawjson.Scan(frame, e.set)
	if invalid != nil && !e.read(frame) || string(e.version) != `"2.0"` {
		return nil, cmp.Or(invalid, errNoMessage)
	}
	deepIn := func(part []byte) TooDeep {
		if depth <= rawjson.MaxDepth || part == nil {
			return 0
		}
		return Deeper(part)
	}
	var id ID
	if e.id != nil && string(e.id) != "null" {
		var ok bool
		if id, ok = ParseID(e.id); !ok {
			return nil, fmt.Errorf("the id %.40s is neither a string nor an integer", e.id)
		}
	}
	switch {
	case e.method != nil && e.result == nil && e.failure == nil:
		return e.request(id, deepIn(e.params), invalid)
	case e.method == nil && (e.result == nil) != (e.failure == nil):
		return e.response(id, deepIn(e.result), deepIn(e.failure), invalid)
	default:
		return nil, cmp.Or(invalid, errNoMessage)
	}
}

func (e *envelope) request(id ID, deep TooDeep, invalid error) (Message, error) {
	if invalid != nil && deep == 0 {
		return nil, invalid
	}
	method, ok := rawjson.Text(e.method)
	switch {
	case !ok:
		return nil, errors.New("the method is not a string")
	case deep > 0:
		return &Request{ID: id, Method: method, Deep: deep}, nil
	case string(e.params) == "null":
		return &Request{ID: id, Method: method}, nil // some servers write null for none
	default:
		return &Request{ID: id, Method: method, Params: e.params}, nil
	}
}

func (e *envelope) response(id ID, deepResult, deepError TooDeep, invalid error) (Message, error) {
	switch {
	case !id.IsValid() && invalid == nil && e.failure != nil:
		return nil, ErrNoID
	case !id.IsValid():
		return nil, cmp.Or(invalid, errors.New("the response has no id"))
	case invalid != nil && deepResult > 0, deepError > 0:
		return &Response{ID: id, Error: max(deepResult, deepError).Invalid()}, nil
	case invalid != nil:
		return &Response{ID: id, Error: Errorf(KindInvalidResult, "", "the server's answer is not valid JSON: %v", invalid)}, nil
	case e.failure == nil:
		return &Response{ID: id, Result: e.result, Deep: deepResult}, nil
	}
	failure, err := parseError(e.failure)
	if err != nil {
		return nil, err
	}
	return &Response{ID: id, Error: failure}, nil
}

// ErrorOf returns the JSON-RPC error in body, nil when body is not one. Its id does not
// matter: a server that refuses a request unread does not know it.
func ErrorOf(body []byte) *Error {
	if depth, err := rawjson.Measure(body); err != nil || depth > rawjson.MaxDepth || rawjson.String(body, "jsonrpc") != "2.0" {
		return nil
	}
	failure := rawjson.Get(body, "error")
	if rawjson.Get(failure, "code") == nil {
		return nil
	}
	e, _ := parseError(failure)
	return e
}

// parseError reads an error object, which is valid JSON. A code or a message that is
// missing counts as 0 or "".
func parseError(object []byte) (*Error, error) {
	if !rawjson.IsObject(object) {
		return nil, errors.New("the error is not an object")
	}
	e := &Error{Kind: KindRPC, Data: bytes.Clone(rawjson.Get(object, "data"))}
	if code := rawjson.Get(object, "code"); code != nil {
		// Editors have 32 bits for it (LSP 3.17, Base Types).
		var n int32
		if json.Unmarshal(code, &n) != nil || string(code) == "null" {
			return nil, errors.New("the code of the error is not a 32-bit integer")
		}
		e.Code = int64(n)
	}
	if message := rawjson.Get(object, "message"); message != nil {
		var ok bool
		if e.Message, ok = rawjson.Text(message); !ok {
			return nil, errors.New("the message of the error is not a string")
		}
	}
	return e, nil
}

// An envelope has the members of a message that JSON-RPC 2.0 knows, as the frame has
// them; those that are absent are nil.
type envelope struct {
	version, id, method, params, result, failure []byte
}

// read finds the members in frame, and reports whether it has come to the end of an
// object. Even a frame that is not valid JSON shows which call it answers. If a member is
// there twice, which is not valid either, the last one counts.
func (e *envelope) read(frame []byte) bool {
	return rawjson.Walk(frame, func(name, value []byte) bool {
		e.set(name, value)
		return true
	})
}

func (e *envelope) set(name, value []byte) {
	switch string(name) {
	case "jsonrpc":
		e.version = value
	case "id":
		e.id = value
	case "method":
		e.method = value
	case "params":
		e.params = value
	case "result":
		e.result = value
	case "error":
		e.failure = value
	}
}
