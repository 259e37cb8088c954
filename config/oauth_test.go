package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

func TestSignsIn(t *testing.T) {
	for _, test := range []struct {
		name string
		d    Definition
		want bool
	}{
		{"http", Definition{Transport: HTTP}, true},
		{"sse", Definition{Transport: SSE, Headers: map[string]string{"X-Authorization": "a"}}, true},
		{"stdio", Definition{Transport: Stdio}, false},
		{"a token", Definition{Transport: HTTP, Headers: map[string]string{"Authorization": "Bearer t"}}, false},
		{"a token in other case", Definition{Transport: SSE, Headers: map[string]string{"aUTHORIZATION": ""}}, false},
	} {
		if got := test.d.SignsIn(); got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

// The spellings of other programs mean the same.
func TestSpellingsOfOAuth(t *testing.T) {
	for _, test := range []struct {
		name, entry string
		want        *OAuth
	}{
		{"nothing", `"oauth": null, "auth": null`, nil},
		{"an empty one", `"oauth": {}`, &OAuth{}},
		{"the default grant", `"oauth": {"grant": "authorization_code"}`, &OAuth{}},
		{"port of Claude Code", `"oauth": {"clientId": "c", "callbackPort": 8080}`, &OAuth{ClientID: "c", RedirectPort: 8080}},
		{"the same port twice", `"oauth": {"redirectPort": 8080, "callbackPort": 8080}`, &OAuth{RedirectPort: 8080}},
		{"scopes of Claude Code", `"oauth": {"scopes": "read  write"}`, &OAuth{Scopes: []string{"read", "write"}}},
		{"no scopes", `"oauth": {"scopes": []}`, &OAuth{Scopes: []string{}}},
		{"Cursor", `"auth": {"CLIENT_ID": "c", "CLIENT_SECRET": "s", "scopes": ["a"]}`, &OAuth{ClientID: "c", ClientSecret: "s", Scopes: []string{"a"}}},
		{"URLs with variables", `"oauth": {"clientId": "c", "issuer": "${env:I}", "enterprise": {"issuer": "${env:E}", "clientId": "e"}}`,
			&OAuth{ClientID: "c", Issuer: "${env:I}", Enterprise: &Enterprise{Issuer: "${env:E}", ClientID: "e"}}},
		{"a document with a variable", `"oauth": {"clientMetadataUrl": "${env:M}", "privateKeyFile": "k"}`, &OAuth{ClientMetadataURL: "${env:M}", PrivateKeyFile: "k"}},
		{"a bound client that is the user", `"oauth": {"clientId": "c", "privateKeyFile": "k", "keyId": "i", "issuer": "http://[::1]:8080/a", "grant": "client_credentials"}`,
			&OAuth{ClientID: "c", PrivateKeyFile: "k", KeyID: "i", Issuer: "http://[::1]:8080/a", Grant: GrantClientCredentials}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := one(t, `{"servers": {"s": {"url": "https://h/", `+test.entry+`}}}`).OAuth; !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestProblemsOfOAuth(t *testing.T) {
	const (
		both  = "remove one of them"
		added = "add the clientId"
		url   = `{"servers": {"a": {"url": "http://h", `
	)
	for _, test := range []struct {
		name, entry string
		column      int // from the begin of entry
		severity    string
		message     string
	}{
		{"issuer without TLS", `"oauth": {"clientId": "c", "issuer": "http://login.example.com"}}`, 37, "error", "https: URL, or an http: URL of this machine"},
		{"issuer without host", `"oauth": {"clientId": "c", "issuer": "https:///a"}}`, 37, "error", "https: URL"},
		{"issuer of another scheme", `"oauth": {"clientId": "c", "issuer": "file://localhost/a"}}`, 37, "error", "https: URL"},
		{"issuer with a query", `"oauth": {"clientId": "c", "issuer": "https://h/?s3cret"}}`, 37, "error", "query"},
		{"issuer with a fragment", `"oauth": {"clientId": "c", "issuer": "https://h/#"}}`, 37, "error", "fragment"},
		{"issuer with a user", `"oauth": {"clientId": "c", "issuer": "https://s3cret@h/"}}`, 37, "error", "user"},
		{"document without TLS", `"oauth": {"clientMetadataUrl": "http://localhost/c"}}`, 31, "error", "https: URL with a path"},
		{"document at the root", `"oauth": {"clientMetadataUrl": "https://h/"}}`, 31, "error", "with a path"},
		{"document with dots", `"oauth": {"clientMetadataUrl": "https://h/a/%2e%2e/b"}}`, 31, "error", ".."},
		{"document with a fragment", `"oauth": {"clientMetadataUrl": "https://h/a#b"}}`, 31, "error", "fragment"},
		{"document with a user", `"oauth": {"clientMetadataUrl": "https://s3cret@h/a"}}`, 31, "error", "user"},
		{"client and document", `"oauth": {"clientId": "c", "clientMetadataUrl": "https://h/a"}}`, 9, "error", both},
		{"secret and document", `"oauth": {"clientSecret": "s3cret", "clientMetadataUrl": "https://h/a"}}`, 9, "error", both},
		{"secret without client", `"oauth": {"clientSecret": "s3cret"}}`, 9, "error", added},
		{"Cursor's secret without client", `"auth": {"CLIENT_SECRET": "s3cret"}}`, 8, "error", added},
		{"key without client", `"oauth": {"privateKeyFile": "k"}}`, 9, "error", added},
		{"secret and key", `"oauth": {"clientId": "c", "clientSecret": "s3cret", "privateKeyFile": "k"}}`, 9, "error", both},
		{"key id without key", `"oauth": {"keyId": "k"}}`, 10, "warning", `there is no "privateKeyFile"`},
		{"the client itself without client", `"oauth": {"grant": "client_credentials"}}`, 9, "error", added},
		{"the client itself without secret", `"oauth": {"grant": "client_credentials", "clientId": "c"}}`, 9, "error", "without a clientSecret or a privateKeyFile"},
		{"the client itself at an enterprise", `"oauth": {"grant": "client_credentials", "clientId": "c", "clientSecret": "s3cret", "enterprise": {"issuer": "https://h", "clientId": "e"}}}`, 9, "error", both},
		{"the client itself with a port", `"oauth": {"grant": "client_credentials", "clientId": "c", "clientSecret": "s3cret", "redirectPort": 8080}}`, 84, "warning", "has no effect: nobody signs in"},
		{"unknown grant", `"oauth": {"grant": "password"}}`, 19, "error", `"authorization_code" or "client_credentials"`},
		{"port of the system", `"oauth": {"redirectPort": 1023}}`, 26, "error", "from 1024 to 65535"},
		{"port that is none", `"oauth": {"redirectPort": 65536}}`, 26, "error", "from 1024 to 65535"},
		{"port as a text", `"oauth": {"callbackPort": "8080"}}`, 26, "error", "from 1024 to 65535"},
		{"port that is an object", `"oauth": {"redirectPort": {}}}`, 26, "error", "from 1024 to 65535"},
		{"half a port", `"oauth": {"redirectPort": 8080.5}}`, 26, "error", "from 1024 to 65535"},
		{"two ports", `"oauth": {"redirectPort": 8080, "callbackPort": 8081}}`, 32, "warning", `"redirectPort" counts`},
		{"enterprise without client", `"oauth": {"enterprise": {"issuer": "https://h"}}}`, 24, "error", "an issuer and a clientId"},
		{"enterprise without issuer", `"oauth": {"enterprise": {"clientId": "c"}}}`, 24, "error", "an issuer and a clientId"},
		{"enterprise without TLS", `"oauth": {"enterprise": {"clientId": "c", "issuer": "http://h"}}}`, 52, "error", "https: URL"},
		{"unknown key of enterprise", `"oauth": {"enterprise": {"issuer": "https://h", "clientId": "c", "tenant": "t"}}}`, 65, "warning", `unknown key "tenant"`},
		{"scopes", `"oauth": {"scopes": 1}}`, 20, "error", "list of strings"},
		{"client that is no text", `"oauth": {"clientId": 1, "issuer": "https://h"}}`, 22, "error", "must be a string"},
		{"unknown key", `"oauth": {"authServerMetadataUrl": "https://h"}}`, 10, "warning", `unknown key "authServerMetadataUrl"`},
		{"both spellings", `"oauth": {}, "auth": {}}`, 13, "warning", `"oauth" counts`},
		{"auth of other programs", `"auth": "s3cret"}`, 0, "warning", `use "oauth": {…} instead`},
		{"a token too", `"oauth": {}, "headers": {"authorization": "s3cret"}}`, 0, "warning", "the header Authorization is sent instead"},
		{"a token too, Cursor", `"auth": {}, "headers": {"Authorization": "s3cret"}}`, 0, "warning", "the header Authorization is sent instead"},
		{"of a stdio server", `"type": "stdio", "command": "c", "auth": {}}`, 33, "warning", "this is a stdio server"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := url + test.entry + "}}"
			if strings.Contains(test.name, "stdio") {
				text = strings.Replace(text, `"url"`, `"cwd"`, 1)
			}
			file := ParseFile([]byte(text), userSource)
			left := []string{"a"}
			if test.severity == "error" {
				left = nil
			}
			hasProblem(t, file, left, fmt.Sprintf("1:%d", len(url)+1+test.column), test.severity, test.message)
		})
	}
}

// A key lies beside the file that names it, in a question as when the server starts.
func TestPrivateKeyFile(t *testing.T) {
	folder := t.TempDir()
	of := func(name, workspace string) Source {
		return Source{URI: fileuri.FromPath(filepath.Join(folder, filepath.FromSlash(name))), Folder: workspace}
	}
	for _, test := range []struct {
		name          string
		source        Source
		path          string
		shown, opened string
	}{
		{"of the user", of("mcp.json", ""), "key.pem", "key.pem", "key.pem"},
		{"of a workspace", of(".vscode/mcp.json", folder), "../key.pem", "key.pem", "key.pem"},
		{"below the folder", of(".vscode/mcp.json", folder), "${workspaceFolder}/key.pem", "key.pem", "key.pem"},
		{"with a variable", of(".mcp.json", folder), "${env:REL}/key.pem", "${env:REL}/key.pem", "sub/key.pem"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := Definition{Name: "s", Source: test.source, Transport: HTTP, URL: "https://h", OAuth: &OAuth{ClientID: "c", PrivateKeyFile: test.path}}
			want := filepath.Join(folder, test.shown)
			if strings.HasPrefix(test.shown, "${") {
				want = test.shown
			}
			if got := d.Shown().OAuth.PrivateKeyFile; got != want {
				t.Errorf("shown is %q", got)
			}
			got, err := d.Expand(testVars)
			if err != nil || got.OAuth.PrivateKeyFile != filepath.Join(folder, filepath.FromSlash(test.opened)) {
				t.Errorf("got %+v, %v", got.OAuth, err)
			}
		})
	}
}
