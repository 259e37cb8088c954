package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// The server chooses the names, and none leads out of the folder, hides, or is longer than a file system takes.
func TestSavedName(t *testing.T) {
	for _, test := range []struct{ name, uri, mimeType, want string }{
		{"of a URI", "file:///a/plan.pdf", "", "plan.pdf"},
		{"without an extension", "notes://plan", "application/pdf", "plan.pdf"},
		{"opaque", "urn:a:b", "", "a_b.bin"},
		{"no URI", "", "image/png", "image.png"},
		{"nothing", "", "", "file.bin"},
		{"folders", "file:///a/../../..", "audio/wav", "audio.wav"},
		{"escaped folders", "file:///%2e%2e%2f%2e%2e%2fpasswd", "", "passwd.bin"},
		{"hidden", "file:///.bashrc", "", "bashrc.bin"},
		{"a backslash", `file:///a\..\b.txt`, "", "a_.._b.txt"},
		{"a type that is a path", "", "../../x", "file.bin"},
		{"control characters", "file:///%1b%5b2J%00.png", "", "2J_.png"},
		{"too long", "file:///" + strings.Repeat("x", 500), "", strings.Repeat("x", maxSaveName) + ".bin"},
	} {
		t.Run(test.name, func(t *testing.T) {
			part := rawjson.Set(rawjson.Set(nil, "uri", rawjson.Quote(test.uri)), "mimeType", rawjson.Quote(test.mimeType))
			if got := savedName(part); got != test.want {
				t.Errorf("it is %q, want %q", got, test.want)
			}
		})
	}
}

// A link in the folder leads nowhere, and a result has a bound.
func TestSaveBounds(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	if err := os.Symlink(outside, filepath.Join(dir, "a.png")); err != nil {
		t.Skip(err)
	}
	part := `{"type":"resource","resource":{"uri":"x:/a.png","blob":"YQ=="}}`
	result := json.RawMessage(`{"content":[` + strings.Repeat(part+",", maxSaved) + part + `]}`)
	paths, err := save(dir, calldoc.Tool, result)
	if err == nil || len(paths) != maxSaved || paths[0] != filepath.Join(dir, "a-2.png") {
		t.Errorf("%d files, the first %q, and %v", len(paths), paths[:1], err)
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("a file was written outside of the folder")
	}
}
