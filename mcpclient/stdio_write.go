package mcpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"go.lsp.dev/jsonrpc2"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// outgoing is one message on its way to the server.
type outgoing struct {
	line []byte
	done chan error // gets what became of it; has room for it
}

// Write sends msg. When ctx ends while the server is slow to read, Write returns
// at once; a message of which a part is written goes out whole nevertheless. A
// server that takes nothing for 10 s is killed, and Read tells so. After the end of
// the wire the error is an [Error] of [KindGone], or the one that Read returns.
func (w *stdioWire) Write(ctx context.Context, msg jsonrpc.Message) error {
	line, err := encode(msg)
	if err != nil {
		return err
	}
	o := outgoing{line: line, done: make(chan error, 1)}
	select {
	case w.out <- o:
	case <-w.failed:
		return w.gone()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-o.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// gone is the error of a write to a wire that has ended.
func (w *stdioWire) gone() error {
	if e, ok := errors.AsType[*Error](w.failure()); ok {
		return e
	}
	return errorf(KindGone, "", "the connection to the server is closed")
}

// writeAll writes the messages one after the other until the wire has ended.
func (w *stdioWire) writeAll() {
	defer close(w.writerDone)
	for {
		select {
		case o := <-w.out:
			o.done <- w.writeLine(o.line)
		case <-w.failed:
			return
		}
	}
}

// writeLine writes one line, however slowly the server reads, as long as it does.
func (w *stdioWire) writeLine(line []byte) error {
	for {
		_ = w.stdin.SetWriteDeadline(time.Now().Add(w.limits.stall))
		n, err := w.stdin.Write(line)
		line = line[n:]
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return w.gone() // it has closed its input or ended: Read says which
		case n == 0:
			w.fail(&Error{
				Kind:    KindUnresponsive,
				Message: fmt.Sprintf("the server has not read its input for %v, so it was stopped: restart it", w.limits.stall),
				Stderr:  w.lastErr.Last(maxErrorLines),
			})
			w.proc.Kill()
			return w.gone()
		}
	}
}

// encode returns msg as one line. Params, result and the parts of an error go in as they are.
func encode(msg jsonrpc.Message) ([]byte, error) {
	var line []byte
	switch msg := msg.(type) {
	case *jsonrpc.Request:
		params := jsonrpc2.RawMessage(rawjson.OneLine(msg.Params))
		if msg.IsCall() {
			line = jsonrpc2.AppendCall(nil, wireID(msg.ID), msg.Method, params)
		} else {
			line = jsonrpc2.AppendNotification(nil, msg.Method, params)
		}
	case *jsonrpc.Response:
		if msg.Error == nil {
			line = jsonrpc2.AppendResponse(nil, wireID(msg.ID), jsonrpc2.RawMessage(rawjson.OneLine(msg.Result)), nil)
		} else {
			line = appendError(nil, msg.ID, msg.Error)
		}
	default:
		return nil, fmt.Errorf("encoding a message: %T is none", msg)
	}
	if bytes.IndexByte(line, '\n') >= 0 {
		return nil, errorf(KindInvalidParams, "", "the message to the server is not valid JSON")
	}
	return append(line, '\n'), nil
}

// wireID returns the id that the go-sdk holds, for the messages of jsonrpc2.
func wireID(id jsonrpc.ID) jsonrpc2.ID {
	switch v := id.Raw().(type) {
	case int64:
		return jsonrpc2.NewNumberID(v)
	case string:
		return jsonrpc2.NewStringID(v)
	default:
		return jsonrpc2.ID{}
	}
}

// appendError appends the response with an error, -32603 for one that is no
// [jsonrpc.Error]. The function of jsonrpc2 would cut the code to 32 bits.
func appendError(line []byte, id jsonrpc.ID, failure error) []byte {
	e, ok := errors.AsType[*jsonrpc.Error](failure)
	if !ok {
		e = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: failure.Error()}
	}
	line = append(line, `{"jsonrpc":"2.0","id":`...)
	switch v := id.Raw().(type) {
	case int64:
		line = strconv.AppendInt(line, v, 10)
	case string:
		line = append(line, rawjson.Quote(v)...)
	default:
		line = append(line, "null"...)
	}
	line = append(line, `,"error":{"code":`...)
	line = strconv.AppendInt(line, e.Code, 10)
	line = append(line, `,"message":`...)
	line = append(line, rawjson.Quote(e.Message)...)
	if e.Data != nil {
		line = append(line, `,"data":`...)
		line = append(line, rawjson.OneLine(e.Data)...)
	}
	return append(line, "}}"...)
}
