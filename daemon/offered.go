package daemon

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient"
)

// said is what a server says of itself when it becomes ready.
type said struct {
	protocolVersion string
	serverInfo      json.RawMessage // MCP's Implementation; nil for none
	capabilities    json.RawMessage // MCP's ServerCapabilities; nil for none
	instructions    string
}

// fill fills in what the view of a server lacks.
func (s *said) fill(v *editorapi.Server) {
	if v.ProtocolVersion == "" {
		v.ProtocolVersion = s.protocolVersion
	}
	if v.ServerInfo == nil {
		v.ServerInfo = s.serverInfo
	}
	if v.Capabilities == nil {
		v.Capabilities = s.capabilities
	}
	if v.Instructions == "" {
		v.Instructions = s.instructions
	}
}

// offered is what a server offered when it last ran, and what it said of itself. It does not change.
type offered struct {
	said
	lists *mcpclient.Lists
}

// kindsIn returns which of lists are not empty, by the names that editors know.
func kindsIn(lists *mcpclient.Lists) []string {
	var kinds []mcpclient.ListKind
	for _, kind := range listKinds {
		if len(lists.Of(kind)) > 0 {
			kinds = append(kinds, kind)
		}
	}
	return editorKinds(kinds)
}

// size returns about how many bytes o takes.
func (o *offered) size() int {
	n := len(o.protocolVersion) + len(o.serverInfo) + len(o.capabilities) + len(o.instructions)
	for _, kind := range listKinds {
		for _, item := range o.lists.Of(kind) {
			n += len(item) + sliceSize
		}
	}
	return n
}

// listKinds are the lists that are kept. Their names are members of the file, and of MCP's results.
var listKinds = []mcpclient.ListKind{mcpclient.ListTools, mcpclient.ListPrompts, mcpclient.ListResources, mcpclient.ListResourceTemplates}

// keptFormat is the version of the files. Files of another one count as damaged.
const keptFormat = 1

const (
	maxKeptItems = 100_000 // of all lists in a file
	sliceSize    = 24      // bytes that an item takes beside its own
)

// keptName names the file for what a server offered: by its name, its definition and, where these
// decide what it offers, the folders that e has open.
func keptName(def config.Definition, e *editor) string {
	parts := []string{def.Name, def.Digest}
	switch {
	case def.Scope != config.ScopeUser:
		parts = append(parts, e.real...)
	case def.FollowsFolder():
		parts = append(parts, firstOf(e.real)...)
	}
	return hashOf(parts...)
}

// encodeKept returns the content of the file of a server. offers is nil for one that was tried in vain. A
// list that it declares and that could not be read yet stays as it was before; before may be nil.
func encodeKept(server string, offers, before *offered) []byte {
	b := fmt.Appendf(nil, `{"format":%d,"server":%s`, keptFormat, rawjson.Quote(server))
	if offers == nil {
		return append(b, '}')
	}
	member := func(name string, value []byte) {
		if value != nil {
			b = append(append(append(append(b, `,"`...), name...), `":`...), value...)
		}
	}
	member("protocolVersion", rawjson.Quote(offers.protocolVersion))
	member("serverInfo", offers.serverInfo)
	member("capabilities", offers.capabilities)
	member("instructions", rawjson.Quote(offers.instructions))
	for _, kind := range listKinds {
		items := offers.lists.Of(kind)
		if items == nil && before != nil && offers.declares(kind) {
			items = before.lists.Of(kind)
		}
		list := []byte{'['}
		for i, item := range items {
			if i > 0 {
				list = append(list, ',')
			}
			list = append(list, item...)
		}
		member(string(kind), append(list, ']'))
	}
	return append(b, '}')
}

// declares reports whether the server says that it has the list.
func (s *said) declares(kind mcpclient.ListKind) bool {
	if kind == mcpclient.ListResourceTemplates {
		kind = mcpclient.ListResources
	}
	return !rawjson.IsAbsent(rawjson.Get(s.capabilities, string(kind)))
}

// decodeKept is the reverse of encodeKept. What it returns aliases b. A server that was tried in vain
// has offered nil.
func decodeKept(b []byte) (*offered, error) {
	depth, err := rawjson.Measure(b)
	switch {
	case err != nil:
		return nil, err
	case !rawjson.IsObject(b):
		return nil, errors.New("it is no object")
	case depth > rawjson.MaxDepth+2: // items are nested as deep as a message may be
		return nil, fmt.Errorf("it is nested %d deep", depth)
	}
	if format, _ := rawjson.Int(b, "format"); format != keptFormat {
		return nil, fmt.Errorf("its format is %d and not %d", format, keptFormat)
	}
	o := &offered{said: said{
		protocolVersion: rawjson.String(b, "protocolVersion"), instructions: rawjson.String(b, "instructions"),
		serverInfo: rawjson.Get(b, "serverInfo"), capabilities: rawjson.Get(b, "capabilities"),
	}}
	if o.protocolVersion == "" {
		return nil, nil
	}
	for _, value := range []json.RawMessage{o.serverInfo, o.capabilities} {
		if value != nil && !rawjson.IsObject(value) {
			return nil, errors.New("a member of it is no object")
		}
	}
	lists, count := map[mcpclient.ListKind][]json.RawMessage{}, 0
	for _, kind := range listKinds {
		list := rawjson.Get(b, string(kind))
		if len(list) == 0 || list[0] != '[' {
			return nil, fmt.Errorf("it has no list %q", kind)
		}
		lists[kind] = []json.RawMessage{}
		for item := range rawjson.Elements(list) {
			if count++; count > maxKeptItems {
				return nil, fmt.Errorf("its lists have more than %d items", maxKeptItems)
			}
			lists[kind] = append(lists[kind], item)
		}
	}
	o.lists = mcpclient.NewLists(lists)
	return o, nil
}
