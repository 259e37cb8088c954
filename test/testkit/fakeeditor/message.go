package fakeeditor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
)

// A Message is one message of the conversation.
type Message struct {
	Sent   bool            // by the editor, else received
	Raw    json.RawMessage // as it was on the wire
	ID     json.RawMessage // nil for notifications
	Method string          // "" for answers
	Params json.RawMessage
	Result json.RawMessage // as it was on the wire; nil in error answers
	Error  *RPCError
}

// RPCError is an error answer. An answer function returns one to send it.
type RPCError struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *RPCError) Error() string {
	return fmt.Sprintf("error %d: %s %s", e.Code, e.Message, e.Data)
}

// Kind returns data.kind, "" when there is none.
func (e *RPCError) Kind() string { return e.data().Kind }

// Detail returns data.detail, "" when there is none.
func (e *RPCError) Detail() string { return e.data().Detail }

func (e *RPCError) data() (data struct{ Kind, Detail string }) {
	_ = json.Unmarshal(e.Data, &data) // data of another shape has neither
	return data
}

// maxShown is how many bytes of a message a failure shows.
const maxShown = 1000

// String shows m as one line of the conversation.
func (m Message) String() string {
	arrow := "<--"
	if m.Sent {
		arrow = "-->"
	}
	raw := string(m.Raw)
	if len(raw) > maxShown {
		raw = raw[:maxShown] + fmt.Sprintf("… (%d bytes)", len(m.Raw))
	}
	return arrow + " " + raw
}

// parse reads the envelope of a message.
func parse(raw []byte) (Message, error) {
	var envelope struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   *RPCError       `json:"error"`
	}
	err := json.Unmarshal(raw, &envelope)
	if err == nil && envelope.JSONRPC != "2.0" {
		err = fmt.Errorf("the member jsonrpc is %q", envelope.JSONRPC)
	}
	return Message{
		Raw: raw, ID: envelope.ID, Method: envelope.Method,
		Params: envelope.Params, Result: envelope.Result, Error: envelope.Error,
	}, err
}

// readFrame reads one message with its header (LSP 3.18, Base Protocol). It shares nothing with
// the daemon's reader, so that a mistake in either of the two shows.
func readFrame(r *bufio.Reader) ([]byte, error) {
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return nil, fmt.Errorf("reading a header: %w", err)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	return body, nil
}

// Frame returns body with its header.
func Frame(body []byte) []byte {
	return append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)
}

// encode is like json.Marshal, but keeps <, > and &.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
