package editorapi

// Kind classifies the daemon's own errors (editor protocol, section 6).
type Kind string

// The kinds and, with [Kind.Code], their codes.
const (
	KindServerNotFound         Kind = "serverNotFound"
	KindServerNotReady         Kind = "serverNotReady"
	KindServerGone             Kind = "serverGone"
	KindTimeout                Kind = "timeout"
	KindCancelled              Kind = "cancelled"
	KindCapabilityNotSupported Kind = "capabilityNotSupported"
	KindTooLarge               Kind = "tooLarge"
	KindInvalidParams          Kind = "invalidParams"
	KindInternal               Kind = "internal"
)

// Error is an error of the daemon's own. Message is one sentence that a person can act on.
type Error struct {
	Kind    Kind   `json:"kind"`
	Server  string `json:"server,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Message string `json:"-"`
}

func (e *Error) Error() string { return e.Message }

// Code returns the code of JSON-RPC or LSP that goes with k.
func (k Kind) Code() int32 {
	switch k {
	case KindServerNotFound, KindInvalidParams:
		return -32602 // InvalidParams
	case KindCancelled:
		return -32800 // RequestCancelled
	case KindInternal:
		return -32603 // InternalError
	default:
		return -32803 // RequestFailed
	}
}
