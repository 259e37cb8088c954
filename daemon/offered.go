package daemon

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// said is what a server says of itself when it becomes ready.
type said struct {
	ProtocolVersion string          `json:"protocolVersion,omitzero"`
	ServerInfo      json.RawMessage `json:"serverInfo,omitzero"`   // MCP's Implementation; nil for none
	Capabilities    json.RawMessage `json:"capabilities,omitzero"` // MCP's ServerCapabilities; nil for none
	Instructions    string          `json:"instructions,omitzero"`
}

// fill fills in what the view of a server lacks.
func (s *said) fill(v *editorapi.Server) {
	v.ProtocolVersion = cmp.Or(v.ProtocolVersion, s.ProtocolVersion)
	v.Instructions = cmp.Or(v.Instructions, s.Instructions)
	if v.ServerInfo == nil {
		v.ServerInfo = s.ServerInfo
	}
	if v.Capabilities == nil {
		v.Capabilities = s.Capabilities
	}
}

// offered is what a server offered when it last ran, and what it said of itself. It does not change.
type offered struct {
	said
	lists *mcpclient.Lists
}

// kindsIn returns which of lists are not empty, by the names that editors know.
func kindsIn(lists *mcpclient.Lists) []string {
	empty := func(kind wire.ListKind) bool { return len(lists.Of(kind)) == 0 }
	return editorKinds(slices.DeleteFunc(wire.ListKinds(), empty))
}

// size returns about how many bytes o takes.
func (o *offered) size() int {
	n := len(o.ProtocolVersion) + len(o.ServerInfo) + len(o.Capabilities) + len(o.Instructions)
	for _, kind := range wire.ListKinds() {
		for _, item := range o.lists.Of(kind) {
			n += len(item) + sliceSize
		}
	}
	return n
}

// sliceSize is how many bytes an item takes beside its own.
const sliceSize = 24

// keptFile is the file of a server.
type keptFile struct {
	Format int    `json:"format"`
	Server string `json:"server"`
	said          // nothing of one that was tried in vain

	Lists map[wire.ListKind][]json.RawMessage `json:",inline"`
}

// keptFormat is the version of the files. Files of another one count as damaged.
const keptFormat = 1

// keptName names the file for what a server offered: by its name, its definition and, where these
// decide what it offers, the folders that e has open.
func keptName(def config.Definition, e *editor) string {
	return hashOf(append([]string{def.Name, def.Digest}, e.deciding(def)...)...)
}

// encodeKept returns the content of the file of a server. offers is nil for one that was tried in vain. A
// list that it declares and that could not be read yet stays as it was before; before may be nil.
func encodeKept(server string, offers, before *offered) []byte {
	file := keptFile{Format: keptFormat, Server: server}
	if offers != nil {
		file.said, file.Lists = offers.said, map[wire.ListKind][]json.RawMessage{}
		for _, kind := range wire.ListKinds() {
			items := offers.lists.Of(kind)
			if items == nil && before != nil && offers.declares(kind) {
				items = before.lists.Of(kind)
			}
			file.Lists[kind] = items
		}
	}
	// The items were checked when they were read.
	b, _ := jsonv2.Marshal(file, jsonv2.Deterministic(true), jsontext.PreserveRawStrings(true))
	return b
}

// declares reports whether the server says that it has the list.
func (s *said) declares(kind wire.ListKind) bool {
	return !rawjson.IsAbsent(rawjson.Get(s.Capabilities, kind.Capability()))
}

// decodeKept is the reverse of encodeKept. A server that was tried in vain has offered nil.
func decodeKept(b []byte) (*offered, error) {
	var file keptFile
	if err := jsonv2.Unmarshal(b, &file); err != nil {
		return nil, err
	}
	if file.Format != keptFormat {
		return nil, fmt.Errorf("its format is %d and not %d", file.Format, keptFormat)
	}
	if file.ProtocolVersion == "" {
		return nil, nil
	}
	return &offered{file.said, mcpclient.NewLists(file.Lists)}, nil
}
