package editorapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

const (
	maxCommandPart = 128 // characters of a name that go into the id of a command
	commandHash    = 16  // hexadecimal digits of a hash in an id: 64 bits
)

type commandKind string

const (
	kindTool   commandKind = "tool"
	kindPrompt commandKind = "prompt"
)

// commandKey is what a command stands for.
type commandKey struct {
	kind         commandKind
	server, name string
}

// id is a pure function of k: no other tool changes it, so an id that you bound to a key stays
// with its tool. It is mcp.KIND.SERVER.NAME where that can be read in one way only. All others end
// in a hash: names with a dot, names with characters that an id cannot have, names that are too
// long, and names that look as if they had a hash.
func (k commandKey) id() string {
	id := k.prefix() + commandPart(k.name)
	if isPlain(k.server) && isPlain(k.name) && !hasHash(k.name) {
		return id
	}
	return id + "-" + k.hash()
}

// prefix begins all ids of a server. Ids of other servers may begin with it too.
func (k commandKey) prefix() string {
	return "mcp." + string(k.kind) + "." + commandPart(k.server) + "."
}

// hash has enough bits that nobody finds a name with the hash of another. The length keeps server
// and name apart, whatever is in them.
func (k commandKey) hash() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s%s", k.kind, len(k.server), k.server, k.name))
	return hex.EncodeToString(sum[:commandHash/2])
}

// hasHash reports whether name ends as if id had added a hash.
func hasHash(name string) bool {
	i := len(name) - commandHash
	return i > 0 && name[i-1] == '-' && strings.Trim(name[i:], "0123456789abcdef") == ""
}

// isPlain reports whether an id can have name as it is, ending at the next dot.
func isPlain(name string) bool {
	return commandPart(name) == name && !strings.Contains(name, ".")
}

// commandPart makes a name fit into an id: editors have menus, key maps and
// command lines in which other characters mean something.
func commandPart(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '.', r == '-':
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), maxCommandPart)]
}

// A command is one tool or prompt as an LSP command (editor protocol, section 5).
type command struct {
	commandKey
	id         string
	definition json.RawMessage // MCP's Tool or Prompt
}

// A commandTable has the commands of one moment. It does not change.
type commandTable struct {
	byID map[string]*command
	ids  []string // sorted
}

// newCommandTable makes the commands of catalogs, which are in the order of the configuration: the
// user's servers come before those of a project, and would keep an id if two hashes were equal.
func newCommandTable(catalogs []ServerCatalog) *commandTable {
	t := &commandTable{byID: map[string]*command{}}
	for _, c := range catalogs {
		t.collect(kindTool, c.Server.Name, c.Tools)
		t.collect(kindPrompt, c.Server.Name, c.Prompts)
	}
	t.ids = slices.Sorted(maps.Keys(t.byID))
	return t
}

// collect adds the tools or prompts of a server. It skips one without a name, which nobody can call.
func (t *commandTable) collect(kind commandKind, server string, definitions []json.RawMessage) {
	for _, definition := range definitions {
		key := keyOf(kind, server, definition)
		if key.name != "" {
			t.add(&command{key, key.id(), definition})
		}
	}
}

// add adds c unless its id is taken. If two tools have the same name, a call reaches only one.
func (t *commandTable) add(c *command) {
	if t.byID[c.id] == nil {
		t.byID[c.id] = c
	}
}

// find returns the command of a tool or prompt, nil when it has none.
func (t *commandTable) find(key commandKey) *command {
	if c := t.byID[key.id()]; c != nil && c.commandKey == key {
		return c
	}
	return nil
}

// keyOf returns the key of MCP's Tool or Prompt.
func keyOf(kind commandKind, server string, definition json.RawMessage) commandKey {
	return commandKey{kind, server, rawjson.String(definition, "name")}
}

// A commandIndex keeps the commandTable of one session.
type commandIndex struct {
	dirty atomic.Bool // the catalog has changed since the table was made

	mu    sync.Mutex // guards table; held while the backend is asked for the catalog
	table *commandTable
}

// changed marks the table as out of date. It takes no lock: the backend may call it with locks of
// its own held.
func (x *commandIndex) changed() { x.dirty.Store(true) }

// refresh reads the catalog and returns the table made from it.
func (x *commandIndex) refresh(ctx context.Context, a Attachment) (*commandTable, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.dirty.Store(false)
	catalogs, err := a.Catalog(ctx, "")
	if err != nil {
		x.dirty.Store(true)
		return nil, err
	}
	x.table = newCommandTable(catalogs)
	return x.table, nil
}

// lookup returns the command of an id, nil when there is none.
func (x *commandIndex) lookup(ctx context.Context, a Attachment, id string) (*command, error) {
	return x.search(ctx, a, func(t *commandTable) *command { return t.byID[id] })
}

// named returns the command of a tool or prompt, nil when there is none.
func (x *commandIndex) named(ctx context.Context, a Attachment, key commandKey) (*command, error) {
	return x.search(ctx, a, func(t *commandTable) *command { return t.find(key) })
}

// search looks in the table, and in a fresh one if the table is out of date or has no such
// command.
func (x *commandIndex) search(ctx context.Context, a Attachment, in func(*commandTable) *command) (*command, error) {
	if !x.dirty.Load() {
		x.mu.Lock()
		c := in(x.table)
		x.mu.Unlock()
		if c != nil {
			return c, nil
		}
	}
	table, err := x.refresh(ctx, a)
	if err != nil {
		return nil, err
	}
	return in(table), nil
}
