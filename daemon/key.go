package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// key decides who shares a connection: editors whose keys for a server are equal. It is made of:
//
//	session    the definition, and the editor itself
//	workspace  the definition, the editor's folders, its abilities
//	user       the definition, the editor's abilities, and its first folder if that decides what runs
//
// Abilities count because a server decides by them what it offers. The start timeout counts because
// a client is made with it. All else that the digest leaves out is read from the editor's own
// definition whenever it is needed.
func key(def config.Definition, e *editor) string {
	who := []string{def.Name, def.Digest, def.StartTimeout.String()}
	switch def.Scope {
	case config.ScopeSession:
		who = append(who, fmt.Sprint(e.id))
	case config.ScopeUser:
		who = append(who, string(clientCapabilities(def, e)))
		if def.FollowsFolder() {
			who = append(who, firstOf(e.real)...)
		}
	default:
		who = append(who, string(clientCapabilities(def, e)))
		who = append(who, e.real...)
	}
	sum := sha256.Sum256([]byte(strings.Join(who, "\x00")))
	return hex.EncodeToString(sum[:])
}

// clientCapabilities returns what a server is told (MCP's ClientCapabilities): always the roots, and
// what this editor declared, that is the questions it can answer and the extensions it knows.
func clientCapabilities(def config.Definition, e *editor) json.RawMessage {
	caps := json.RawMessage(`{"roots":{"listChanged":true}}`)
	if e.caps.Sampling != nil && def.Sampling != config.SamplingDeny {
		caps = rawjson.Set(caps, "sampling", e.caps.Sampling)
	}
	if e.caps.Elicitation != nil {
		caps = rawjson.Set(caps, "elicitation", e.caps.Elicitation)
	}
	if e.caps.Extensions != nil {
		caps = rawjson.Set(caps, "extensions", e.caps.Extensions)
	}
	return caps
}
