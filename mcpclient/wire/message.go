package wire

import "encoding/json"

// A Message is a [*Request] or a [*Response].
type Message interface{ message() }

// A Request is a request or, without an ID, a notification.
type Request struct {
	ID     ID // the zero ID for a notification
	Method string
	Params json.RawMessage // nil when absent

	// Deep is how deep the params of a server's message are nested when that is too deep.
	// They are left out then.
	Deep TooDeep

	// Mirrored are arguments of a tool, by the name of the header in which a wire of
	// Streamable HTTP sends them beside the params. Other wires do not.
	Mirrored map[string]string
}

// IsCall reports whether r is a request that wants an answer.
func (r *Request) IsCall() bool { return r.ID.IsValid() }

// A Response answers a request with a result or an error.
type Response struct {
	ID     ID
	Result json.RawMessage // nil when Error is not
	Error  *Error          // nil when there is a result

	// Deep is how deep the result is nested when that is too deep. The result is still there,
	// because one item of a list is not the whole of it.
	Deep TooDeep
}

func (*Request) message()  {}
func (*Response) message() {}
