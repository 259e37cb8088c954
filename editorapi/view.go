package editorapi

import (
	"encoding/json"
	"reflect"
	"sync"
)

// maxKeptView bounds what a [View] keeps encoded, in bytes of what a server says about itself. A
// larger one is encoded for each editor that is told.
const maxKeptView = 16 << 10

// A View is a [Server] as editors are told of it. It is encoded once, however many are told. It must
// not change and must not be copied.
type View struct {
	Server Server

	once    sync.Once
	encoded json.RawMessage // written under once; nil where it is not kept
}

// NewView returns a view of server.
func NewView(server Server) *View { return &View{Server: server} }

// json returns the encoded server. Nobody may change it.
func (v *View) json() json.RawMessage {
	if s := &v.Server; len(s.ServerInfo)+len(s.Capabilities)+len(s.Instructions) > maxKeptView {
		return encodeOwn(*s)
	}
	v.once.Do(func() { v.encoded = encodeOwn(v.Server) })
	return v.encoded
}

// Tells reports whether v tells of server as it is: an editor that was told of v need not be told
// again.
func (v *View) Tells(server Server) bool { return reflect.DeepEqual(v.Server, server) }
