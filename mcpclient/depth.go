package mcpclient

import (
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// tooDeep is how deep something is nested that is over [rawjson.MaxDepth]: editors may not be
// able to read it. It is the Extra of a message of a wire. Params are then left out;
// a result is there, because one item of a list is not the whole of it.
type tooDeep int

// deeper returns how deep b is nested, 0 when that is not too deep.
func deeper(b []byte) tooDeep {
	if depth := rawjson.Depth(b); depth > rawjson.MaxDepth {
		return tooDeep(depth)
	}
	return 0
}

func (d tooDeep) Error() string {
	return fmt.Sprintf("it is nested %d deep, which is over the limit of %d", int(d), rawjson.MaxDepth)
}

// invalid is the error of a request whose answer is nested too deep.
func (d tooDeep) invalid() *Error {
	return errorf(KindInvalidResult, "depth", "the server's answer cannot be passed on: %v; ask it for less", d)
}

// refuseDeep refuses a message of the server that is nested too deep. It returns false for
// any other. It runs on the goroutine of the reader.
func (s *session) refuseDeep(r *jsonrpc.Request) bool {
	deep, ok := r.Extra.(tooDeep)
	if !ok {
		return false
	}
	if n := s.counts.deep.Add(1); worthALine(n) {
		s.log.say("refused %q: %v (%d messages so far)", clip(r.Method), deep, n)
	}
	if r.IsCall() && !s.modern.Load() {
		s.respond(r.ID, nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the params cannot be passed on: " + deep.Error()})
	}
	return true
}
