package editorapi

import (
	"encoding/json"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// Notification is a notification of a server, on its way to the editors that hear of it. It is
// encoded once, however many get it, and only when it is sent. Once relayed, it must not change and
// must not be copied.
type Notification struct {
	Server string
	Method string          // MCP's
	Params json.RawMessage // valid JSON, which passes byte for byte; nil for none

	once  sync.Once
	frame []byte // written under once: what the editors share
	body  []byte // of frame
}

// encode returns n as a sealed frame, and its body. Nobody may change them.
func (n *Notification) encode() (frame, body []byte) {
	n.once.Do(func() {
		method, server := rawjson.Quote(mcpPrefix+n.Method), rawjson.Quote(n.Server)
		b := make([]byte, frameRoom, frameRoom+len(n.Params)+len(method)+len(server)+128)
		b = append(b, `{"jsonrpc":"2.0","method":`...)
		b = append(b, method...)
		b = append(b, `,"params":{"server":`...)
		b = append(b, server...)
		if n.Params != nil {
			b = append(b, `,"params":`...)
			b = append(b, n.Params...)
		}
		b = append(b, "}}"...)
		n.frame, n.body = seal(b), b[frameRoom:]
	})
	return n.frame, n.body
}

// encodeFor is encode for an editor with subscriptions that n is for.
func (n *Notification) encodeFor(subscribed []string) []byte {
	frame, body := n.encode()
	if subscribed == nil {
		return frame
	}
	b := append(newFrame(), body[:len(body)-len("}}")]...)
	b = append(b, `,"subscribed":`...)
	b = append(b, encodeOwn(subscribed)...)
	return seal(append(b, "}}"...))
}

// Relay implements [Editor].
func (s *session) Relay(n *Notification, subscribed []string) error {
	if s.plain() && subscribed == nil && s.peer.ctx.Err() == nil {
		return nil // see tell.go
	}
	return s.relay(n, subscribed)
}

// relay is Relay for any editor.
func (s *session) relay(n *Notification, subscribed []string) error {
	switch {
	case s.peer.ctx.Err() != nil:
		return s.peer.gone
	case !s.peer.out.roomForHints():
		return ErrLeftOut
	}
	return s.peer.sent(s.peer.out.pushSealed(n.encodeFor(subscribed), hint, 0))
}
