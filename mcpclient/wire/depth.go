package wire

import (
	"fmt"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// TooDeep is how deep something is nested, if that is over [rawjson.MaxDepth]: editors may not be
// able to read it. Otherwise it is 0.
type TooDeep int

// Deeper returns how deep b is nested when that is too deep.
func Deeper(b []byte) TooDeep {
	if depth := rawjson.Depth(b); depth > rawjson.MaxDepth {
		return TooDeep(depth)
	}
	return 0
}

func (d TooDeep) Error() string {
	return fmt.Sprintf("it is nested %d deep, which is over the limit of %d", int(d), rawjson.MaxDepth)
}

// Invalid is the error of a request whose answer is nested too deep.
func (d TooDeep) Invalid() *Error {
	return Errorf(KindInvalidResult, "depth", "the server's answer cannot be passed on: %v; ask it for less", d)
}
