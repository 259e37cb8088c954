package wire

import "github.com/mcp-editord/mcp-editord/internal/rawjson"

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
