package main

import (
	"encoding/json"
	"os"

	"github.com/mcp-editord/mcp-editord/test/testkit/place"
)

// newPlace returns a place without a configuration.
func newPlace(binary string) (*place.Place, error) { return place.New("mcp-editord-suite-", binary) }

// configure configures one server. The daemon itself finds out which transport it speaks, and mostly which
// version.
func configure(p *place.Place, url string, a assignment, sc scenario) error {
	definition := map[string]any{"url": url}
	if a.version == oldAuthorization { // the suite's server speaks later ones too
		definition["protocol"] = a.version
	}
	if sc.oauth != nil {
		oauth, err := sc.oauth(p.Dir, a.context)
		if err != nil {
			return err
		}
		definition["oauth"] = oauth
	}
	return define(p, definition)
}

// define writes the configuration, with one server.
func define(p *place.Place, definition map[string]any) error {
	config, err := json.Marshal(map[string]any{"credentials": "memory", "servers": map[string]any{server: definition}})
	if err != nil {
		return err
	}
	return os.WriteFile(p.Config, config, 0o600)
}
