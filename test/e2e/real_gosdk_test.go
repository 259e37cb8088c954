//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// How the server does over HTTP: by itself, or with the sessions of the legacy era, in
// which alone it can send requests there.
const (
	stateless = "-stateless=true"
	stateful  = "-stateless=false"
)

// helpful is an editor that answers every question.
func helpful(folder string) fakeeditor.Options {
	o := in(everyCapability, folder)
	o.Answers = map[string]fakeeditor.Answer{
		"mcp/sampling/createMessage": func(json.RawMessage) (any, error) {
			return object{"role": "assistant", "model": "m", "content": object{"type": "text", "text": "the model's words"}}, nil
		},
		"mcp/elicitation/create": func(json.RawMessage) (any, error) {
			return object{"action": "accept", "content": object{"name": "Ada", "username": "ada", "color": "green", "ok": true, "context": "c"}}, nil
		},
	}
	return o
}

// The server is built with the SDK that the daemon uses.
func TestGoSDKVersionsAgree(t *testing.T) {
	t.Parallel()
	version := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`modelcontextprotocol/go-sdk (v\S+)`).FindSubmatch(b)
		if found == nil {
			t.Fatalf("%s does not name go-sdk", path)
		}
		return string(found[1])
	}
	if own, servers := version(filepath.Join("..", "..", "go.mod")), version(filepath.Join("servers", "go.mod")); own != servers {
		t.Errorf("the daemon has go-sdk %s, its tests talk to %s", own, servers)
	}
}
