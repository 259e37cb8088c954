package config

import (
	"reflect"
	"testing"
)

// Decisions are bound to digests: a later version must find the same ones.
func TestDigestsOfEarlierVersions(t *testing.T) {
	for _, test := range []struct {
		name, text string
		source     Source
		want       string
	}{
		{"stdio", `{"servers": {"a": {"command": "c", "args": ["x"], "env": {"A": "1"}, "cwd": "/d", "envFile": ".env", "roots": "none", "sampling": "deny"}}}`, userSource, "430c726d49872b25daec5bf35b3afb9e53a3a7e11ec5807e73d49d316a5f78ec"},
		{"remote", `{"servers": {"a": {"url": "https://h/mcp", "headers": {"H": "${env:T}"}}}}`, folderSource, "5e713356ce325055e1416db511724bd80426b33099adf046afc344858846a2d6"},
		{"every setting", `{"inputs": [{"id": "i", "default": "d"}], "servers": {"a": {"type": "sse", "url": "https://h/${input:i}", "scope": "session",
			"protocol": "2025-06-18", "samplingLimit": "1/s", "elicitationLimit": "2/h", "tools": {"t": {"bind": {"p": "v"}}}}}}`, folderSource, "109e9d3fe4a72793dffb6c4fb139471ad8d76cb3f022c16c49d0a411ae23ecfe"},
		{"empty oauth", `{"servers": {"a": {"url": "https://h/mcp", "oauth": {}}}}`, folderSource, "8b6e432dd6cb5806d61aed96dc7055452fe69fba87aabda9ba8cf5141f33d553"},
		{"client", `{"servers": {"a": {"url": "https://h/mcp", "oauth": {"clientId": "i", "clientSecret": "s", "scopes": ["a", "b"]}}}}`, folderSource, "73d6a85fa6934b4bb461f0a24e4001251db94b038565fce6dfe8c7eb9e445243"},
		{"metadata", `{"servers": {"a": {"url": "https://h/mcp", "oauth": {"clientMetadataUrl": "https://c/m", "scopes": []}}}}`, folderSource, "0fc2fdee5542b70b0be49491dbb8450cc92d9c8c5f8f1dc710e2c08e5a19a4cb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := ParseFile([]byte(test.text), test.source)
			if len(file.Servers) != 1 || len(file.Problems) > 0 {
				t.Fatalf("problems %+v", file.Problems)
			}
			if got := file.Servers[0].Digest; got != test.want {
				t.Errorf("got %s", got)
			}
		})
	}
}

// Definitions that an earlier version kept are shown beside what has changed.
func TestRecordsOfEarlierVersions(t *testing.T) {
	records, ok := decode([]byte(`{"version": 1, "approvals": [{"digest": "d", "decision": "allow", "definition": {
		"source": "s", "oauth": {"clientId": "c", "redirectPort": 8080, "enterprise": {"issuer": "i", "clientId": "e"}}}}]}`))
	want := OAuth{ClientID: "c", RedirectPort: 8080, Enterprise: &Enterprise{Issuer: "i", ClientID: "e"}}
	if !ok || !reflect.DeepEqual(records[0].Definition.OAuth, &want) {
		t.Errorf("got %+v", records)
	}
}
