package editorapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

const (
	maxCommandPart = 128 // characters of a name that go into the id of a command
	commandHash    = 16  // hexadecimal digits of a hash in an id: 64 bits
)

// commandKey is what a command stands for.
type commandKey struct {
	kind         calldoc.Kind // calldoc.Tool or calldoc.Prompt
	server, name string
}

// id is a pure function of k: no other tool changes it, so an id that you bound to a key stays
// with its tool. It is mcp.KIND.SERVER.NAME where that can be read in one way only. All others end
// in a hash: names with a dot, names with characters that an id cannot have, names that are too
// long, and names that look as if they had a hash.
func (k commandKey) id() string {
	id := k.prefix() + commandPart(k.name)
	if k.plain() {
		return id
	}
	return id + "-" + k.hash()
}

// plain reports whether the id of k has no hash.
func (k commandKey) plain() bool {
	return isPlain(k.server) && isPlain(k.name) && !hasHash(k.name)
}

// prefix begins all ids of a server. Ids of other servers may begin with it too.
func (k commandKey) prefix() string {
	return "mcp." + k.kind.Noun() + "." + commandPart(k.server) + "."
}

// hash has enough bits that nobody finds a name with the hash of another. The length keeps server
// and name apart, whatever is in them.
func (k commandKey) hash() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s%s", k.kind.Noun(), len(k.server), k.server, k.name))
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

// readOnly reports whether the server says of a tool that it changes nothing (MCP, ToolAnnotations,
// readOnlyHint: "If true, the tool does not modify its environment. Default: false").
func (c *command) readOnly() bool {
	return string(rawjson.Path(c.definition, "annotations", "readOnlyHint")) == "true"
}

// keyOf returns the key of MCP's Tool or Prompt.
func keyOf(kind calldoc.Kind, server string, definition json.RawMessage) commandKey {
	return commandKey{kind, server, rawjson.String(definition, "name")}
}

// onlyServer returns the only server that can have a command with this id; "" for an id with a hash,
// which does not say where the name of the server ends.
func onlyServer(id string) string {
	for _, kind := range []calldoc.Kind{calldoc.Tool, calldoc.Prompt} {
		if rest, ok := strings.CutPrefix(id, "mcp."+kind.Noun()+"."); ok {
			if server, name, _ := strings.Cut(rest, "."); (commandKey{kind, server, name}).plain() {
				return server
			}
		}
	}
	return ""
}

// offered returns a tool or prompt, nil when no server offers it now.
func (s *session) offered(key commandKey) *command {
	for _, o := range s.attachment.Offers(key.server) {
		if c := o.find(key); c != nil {
			return c
		}
	}
	return nil
}

// command returns the command of an id, nil when there is none.
func (s *session) command(id string) *command {
	for _, o := range s.attachment.Offers(onlyServer(id)) {
		if c := o.byID[id]; c != nil {
			return c
		}
	}
	return nil
}
