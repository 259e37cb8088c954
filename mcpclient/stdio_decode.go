package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"go.lsp.dev/jsonrpc2"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

const (
	// maxBadRun is how many frames in a row may be no messages, before the server
	// is taken for something else.
	maxBadRun = 100

	// maxBatch is how many messages one batch may have.
	maxBatch = 1000

	// maxSafeInteger bounds the ids that are numbers (RFC 7493, section 2.2); the
	// go-sdk makes an id of a float64.
	maxSafeInteger = 1<<53 - 1
)

// eachMessage hands the messages of one frame to take, in their order, and what is
// none to refuse. A frame is one message or a batch of them.
func eachMessage(frame []byte, take func(jsonrpc.Message), refuse func(part []byte, why error)) {
	frame = bytes.TrimSpace(frame)
	if len(frame) == 0 {
		return
	}
	each := func(part []byte) {
		if msg, err := decode(part); err != nil {
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
	if n == 0 || n > maxBatch {
		refuse(frame, fmt.Errorf("a batch has 1 to %d messages", maxBatch))
		return
	}
	for element := range rawjson.Elements(frame) {
		each(element)
	}
}

// take puts the messages of one frame into w.batch and logs what is none.
func (w *stdioWire) take(frame []byte) {
	eachMessage(frame, func(msg jsonrpc.Message) {
		w.badRun = 0
		w.batch = append(w.batch, msg)
	}, w.refuse)
}

// refuse logs a frame that is no message. Too many in a row end the wire.
func (w *stdioWire) refuse(frame []byte, why error) {
	if errors.Is(why, errNoID) {
		w.badRun = 0
		w.log.Line(LogDaemon, "skipped an error that answers no request: "+clipText(frame))
		return
	}
	w.noise.Add(1)
	w.log.Line(LogStdout, clipText(frame))
	if w.badRun == 0 {
		w.bad = clipText(frame[:min(len(frame), 200)])
		if frame[0] == '{' || frame[0] == '[' {
			w.log.Line(LogDaemon, "skipped a message that is not valid: "+why.Error())
		}
	}
	w.badRun++
	if w.badRun > maxBadRun {
		w.fail(&Error{
			Kind: KindNotMCP,
			Message: fmt.Sprintf("the server wrote %d lines that are not MCP, the first of them %q: check that the command runs an MCP server on stdio",
				w.badRun, w.bad),
			Detail: w.bad,
			Stderr: w.lastErr.Last(maxErrorLines),
		})
		w.proc.Kill()
	}
}

// errNoID is the error of an error response without an id: nobody waits for it.
var errNoID = errors.New("the response has no id")

// decode returns the message of one frame. Its params, result and error are
// copies of the bytes as they came. A response that is not valid JSON throughout
// is returned as one whose error is an [Error] of [KindInvalidResult], so that
// its call need not wait for the time limit. What is nested too deep is marked with
// [tooDeep].
func decode(frame []byte) (jsonrpc.Message, error) {
	depth, invalid := rawjson.Measure(frame)
	deepIn := func(part []byte) tooDeep {
		if depth <= rawjson.MaxDepth {
			return 0
		}
		return deeper(part)
	}
	view, err := jsonrpc2.ScanMessageView(frame)
	if err != nil {
		return nil, errors.Join(invalid, err)
	}
	response := view.Kind == jsonrpc2.MessageViewResponseResult || view.Kind == jsonrpc2.MessageViewResponseError
	deep := deepIn(view.Params)
	if invalid != nil && !response && deep == 0 {
		return nil, invalid
	}
	var id jsonrpc.ID
	if view.ID.IsValid() {
		var ok bool
		if id, ok = makeID(view.IDRaw); !ok {
			return nil, fmt.Errorf("the id %.40s cannot be given back exactly", view.IDRaw)
		}
	}
	switch {
	case !response:
		method, ok := view.MethodString()
		if !ok {
			return nil, errors.New("the method is no string")
		}
		if deep > 0 {
			return &jsonrpc.Request{ID: id, Method: method, Extra: deep}, nil
		}
		return &jsonrpc.Request{ID: id, Method: method, Params: bytes.Clone(view.Params)}, nil
	case !id.IsValid() && invalid == nil && view.Kind == jsonrpc2.MessageViewResponseError:
		return nil, errNoID
	case !id.IsValid():
		return nil, errors.Join(invalid, errors.New("the response has no id"))
	case invalid != nil && max(deepIn(view.Result), deepIn(view.ErrorRaw)) > 0, deepIn(view.ErrorRaw) > 0:
		return &jsonrpc.Response{ID: id, Error: max(deepIn(view.Result), deepIn(view.ErrorRaw)).invalid()}, nil
	case invalid != nil:
		return &jsonrpc.Response{ID: id, Error: errorf(KindInvalidResult, "", "the server's answer is not valid JSON: %v", invalid)}, nil
	case view.Kind == jsonrpc2.MessageViewResponseError:
		message, ok := view.Error.MessageString()
		if !ok && view.Error.MessageRaw != nil {
			return nil, errors.New("the message of the error is no string")
		}
		return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{
			Code:    int64(view.Error.Code),
			Message: message,
			Data:    bytes.Clone(rawjson.Get(view.ErrorRaw, "data")),
		}}, nil
	default:
		r := &jsonrpc.Response{ID: id, Result: bytes.Clone(view.Result)}
		if deep := deepIn(r.Result); deep > 0 {
			r.Extra = deep
		}
		return r, nil
	}
}

// makeID returns the id that raw spells: a string, or an integer that a float64
// holds exactly.
func makeID(raw []byte) (jsonrpc.ID, bool) {
	var value any
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil && -maxSafeInteger <= n && n <= maxSafeInteger {
		value = float64(n)
	} else if s := ""; json.Unmarshal(raw, &s) == nil && raw[0] == '"' {
		value = s
	} else {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(value)
	return id, err == nil
}
