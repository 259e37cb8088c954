package editorapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// maxCommandPart is how many characters of a name go into the id of a command.
const maxCommandPart = 128

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

// A command is one tool or prompt as an LSP command (editor protocol, section 5).
type command struct {
	commandKey
	id         string
	definition json.RawMessage // MCP's Tool or Prompt
}

// A commandTable is what the commands are at one time. It does not change.
type commandTable struct {
	byID  map[string]*command
	byKey map[commandKey]*command
	ids   []string // sorted
}

// find returns the command of a tool or prompt, nil when it has no name.
func (t *commandTable) find(kind commandKind, server string, definition json.RawMessage) *command {
	return t.byKey[commandKey{kind, server, rawjson.String(definition, "name")}]
}

// newCommandTable gives every tool and prompt an id. Those that were in the table
// before keep theirs, so that an id that somebody holds never turns into another tool. In what
// is new an exact name comes before one that has to be changed, and then the
// order of server and name decides.
func newCommandTable(catalogs []ServerCatalog, before *commandTable) *commandTable {
	t := &commandTable{byID: map[string]*command{}, byKey: map[commandKey]*command{}}
	for _, c := range catalogs {
		t.collect(kindTool, c.Server.Name, c.Tools)
		t.collect(kindPrompt, c.Server.Name, c.Prompts)
	}
	var fresh []*command
	for key, c := range t.byKey {
		if old := before.byKey[key]; old != nil {
			t.assign(c, old.id)
		} else {
			fresh = append(fresh, c)
		}
	}
	slices.SortFunc(fresh, func(a, b *command) int {
		return cmp.Or(cmp.Compare(a.server, b.server), cmp.Compare(a.name, b.name), cmp.Compare(a.kind, b.kind))
	})
	var rest []*command
	for _, c := range fresh {
		if id, exact := c.plainID(); !exact || !t.assign(c, id) {
			rest = append(rest, c)
		}
	}
	for _, c := range rest {
		plain, _ := c.plainID()
		hash := c.hash()
		for length := 8; !t.assign(c, plain+"-"+hash[:length]); length += 8 {
		}
	}
	t.ids = slices.Sorted(maps.Keys(t.byID))
	return t
}

// collect takes in the tools or prompts of a server. One without a name cannot be
// called, and of two with the same name the server sees only one.
func (t *commandTable) collect(kind commandKind, server string, definitions []json.RawMessage) {
	for _, definition := range definitions {
		key := commandKey{kind, server, rawjson.String(definition, "name")}
		if key.name != "" && t.byKey[key] == nil {
			t.byKey[key] = &command{commandKey: key, definition: definition}
		}
	}
}

// assign gives c an id, unless it is taken.
func (t *commandTable) assign(c *command, id string) bool {
	if t.byID[id] != nil {
		return false
	}
	c.id = id
	t.byID[id] = c
	return true
}

// plainID returns the id without a suffix, and whether it shows the names as they are.
func (k commandKey) plainID() (id string, exact bool) {
	server, name := commandPart(k.server), commandPart(k.name)
	return "mcp." + string(k.kind) + "." + server + "." + name, server == k.server && name == k.name
}

// hash depends on what the command stands for and on nothing else.
func (k commandKey) hash() string {
	sum := sha256.Sum256([]byte(k.server + "\x00" + string(k.kind) + "\x00" + k.name))
	return hex.EncodeToString(sum[:])
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

// A commandIndex keeps the commandTable of one session.
type commandIndex struct {
	dirty atomic.Bool // the catalogue has changed since the table was made

	mu    sync.Mutex // guards table; held while the backend is asked for the catalogue
	table *commandTable
}

// changed tells that the table is out of date. It takes no lock: the backend may
// call it with locks of its own held.
func (x *commandIndex) changed() { x.dirty.Store(true) }

// refresh reads the catalogue, with what server has even when it is not ready
// unless server is "", and returns it with the table made of it.
func (x *commandIndex) refresh(ctx context.Context, a Attachment, server string) ([]ServerCatalog, *commandTable, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.dirty.Store(false)
	catalogs, err := a.Catalog(ctx, "")
	if err == nil && server != "" {
		var one []ServerCatalog
		one, err = a.Catalog(ctx, server)
		catalogs = slices.DeleteFunc(slices.Clone(catalogs), func(c ServerCatalog) bool { return c.Server.Name == server })
		catalogs = append(catalogs, one...)
	}
	if err != nil {
		x.dirty.Store(true)
		return nil, nil, err
	}
	x.table = newCommandTable(catalogs, x.table)
	return catalogs, x.table, nil
}

// lookup returns the command of an id, nil when there is none.
func (x *commandIndex) lookup(ctx context.Context, a Attachment, id string) (*command, error) {
	return x.search(ctx, a, func(t *commandTable) *command { return t.byID[id] })
}

// named returns the command of a tool or prompt, nil when there is none.
func (x *commandIndex) named(ctx context.Context, a Attachment, key commandKey) (*command, error) {
	return x.search(ctx, a, func(t *commandTable) *command { return t.byKey[key] })
}

// search looks in the table there is, and in a fresh one if that is out of date
// or does not have it.
func (x *commandIndex) search(ctx context.Context, a Attachment, in func(*commandTable) *command) (*command, error) {
	if !x.dirty.Load() {
		x.mu.Lock()
		c := in(x.table)
		x.mu.Unlock()
		if c != nil {
			return c, nil
		}
	}
	_, table, err := x.refresh(ctx, a, "")
	if err != nil {
		return nil, err
	}
	return in(table), nil
}
