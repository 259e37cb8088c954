package mcpserver

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Agents call tools by names of [A-Za-z0-9_-], since the interfaces of models take no others. Most
// models take 64 characters, of which the agent uses some for a prefix of its own: Claude Code for
// mcp__mcp-editord__, for example. Cursor leaves out tools whose name is over 60 with that of the server.
const (
	defaultNameLimit = 48 // characters: leaves 16 for a prefix
	minNameLimit     = 24 // characters: below it, only the hash would be left
)

const (
	nameSeparator = "__"
	nameHash      = 13 // base-36 digits of a hash: 64 bits
)

// naming says how the agent sees the servers of the workspace.
type naming struct {
	single string // the one server of --server, which is shown as it is; "" otherwise
	limit  int    // the longest name, in characters, at least minNameLimit; 0 for the default
	lazy   bool   // tools are found, described and called by other tools
}

// name returns the name under which the agent sees a tool or a prompt.
func (n naming) name(server, own string) string {
	if n.single != "" {
		return own
	}
	limit := n.limit
	if limit == 0 {
		limit = defaultNameLimit
	}
	return agentName(server, own, max(limit, minNameLimit))
}

// agentName is a pure function of the names of a server and of its tool: what else is there changes
// nothing, so that an agent may remember a name, or what it may do with it. It is SERVER__TOOL where
// that is valid, fits, and can be read in one way only: up to the first "__", it is the name of the
// server. All others end in a hash.
func agentName(server, own string, limit int) string {
	a, b := cleanName(server), cleanName(own)
	name := a + nameSeparator + b
	if a == server && b == own && a != "" && b != "" && len(name) <= limit &&
		strings.Index(name, nameSeparator) == len(server) && !hashAtEnd.MatchString(name) {
		return name
	}
	// What there is room for goes to both, half each, and what one of them leaves to the other.
	room := limit - len(nameSeparator) - len("-") - nameHash
	a = a[:min(len(a), max(room/2, room-len(b)))]
	b = b[:min(len(b), room-len(a))]
	return a + nameSeparator + b + "-" + hashOf(server, own)
}

// mayBe reports whether name may be that of a tool or a prompt of a server: see agentName.
func mayBe(name, server string) bool {
	said, _, _ := strings.Cut(name, nameSeparator)
	return said == server || hashAtEnd.MatchString(name) && strings.HasPrefix(cleanName(server), said)
}

// notInName is a character that a name cannot have.
var notInName = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// cleanName replaces each character that a name cannot have.
func cleanName(s string) string { return notInName.ReplaceAllString(s, "_") }

// hashOf has enough bits that nobody finds a name with the hash of another. The length keeps server
// and tool apart, whatever is in them. 64 bits have 13 digits to base 36; the first is 0 to 3.
func hashOf(server, own string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s%s", len(server), server, own))
	digits := strconv.FormatUint(binary.BigEndian.Uint64(sum[:]), 36)
	return strings.Repeat("0", nameHash-len(digits)) + digits
}

// hashAtEnd matches what ends as if agentName had added a hash. Few words after a hyphen do: they would
// have to begin with a digit.
var hashAtEnd = regexp.MustCompile(`-[0-3][0-9a-z]{12}\z`)
