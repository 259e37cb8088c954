//go:build linux || darwin

package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// newTestCatalogs returns catalogs in a directory of their own, and the log of what they say.
func newTestCatalogs(t *testing.T) (*catalogs, *eventLog) {
	t.Helper()
	log := &eventLog{changed: make(chan struct{})}
	k := newCatalogs(filepath.Join(t.TempDir(), "catalogs"), zap.New(log))
	t.Cleanup(k.close)
	return k, log
}

// offers makes what a server offers of its tools.
func offers(tools ...string) *offered {
	items := []json.RawMessage{}
	for _, tool := range tools {
		items = append(items, json.RawMessage(tool))
	}
	return &offered{said{ProtocolVersion: "2025-11-25", Capabilities: json.RawMessage(`{"tools":{},"prompts":{}}`)},
		mcpclient.NewLists(map[wire.ListKind][]json.RawMessage{wire.ListTools: items})}
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// Fault catalog-damaged: a file that is damaged, huge, or no file is as if it were not there, and goes.
func TestDamagedCatalogs(t *testing.T) {
	whole := string(encodeKept("s", offers(`{"name":"t"}`), nil))
	if o, err := decodeKept([]byte(whole)); err != nil || o == nil {
		t.Fatalf("an undamaged file is %v, %v", o, err)
	}
	for name, content := range map[string]string{
		"empty":                  "",
		"half written":           whole[:len(whole)/2],
		"not JSON":               strings.Repeat("\x00", 100),
		"no object":              "[]",
		"of a later version":     strings.Replace(whole, `"format":1`, `"format":2`, 1),
		"of no version":          `{}`,
		"a list that is not one": strings.Replace(whole, `"tools":[`, `"tools":{},"x":[`, 1),
		"not UTF-8":              strings.Replace(whole, `"t"`, "\"\xff\"", 1),
		"huge":                   whole + strings.Repeat(" ", maxKept),
	} {
		t.Run(name, func(t *testing.T) {
			k, _ := newTestCatalogs(t)
			if err := os.MkdirAll(k.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(k.path("x"), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := k.read("x"); got.tried || got.offers != nil {
				t.Errorf("it says %+v", got)
			}
			if !missing(k.path("x")) {
				t.Error("it is still there")
			}
		})
	}
	t.Run("a pipe", func(t *testing.T) {
		k, _ := newTestCatalogs(t)
		if err := errors.Join(os.MkdirAll(k.dir, 0o700), syscall.Mkfifo(k.path("x"), 0o600)); err != nil {
			t.Fatal(err)
		}
		if got := k.read("x"); got.tried || !missing(k.path("x")) {
			t.Errorf("it says %+v", got)
		}
	})
}

// What is kept comes back as it was, but for white space.
func TestCatalogsAreKept(t *testing.T) {
	k, _ := newTestCatalogs(t)
	tools := []string{`{"name":"t","n":1.0E+2}`, `{"name":"\u0074<>&"}`}
	content := keptContent{name: "x", server: "s", offers: offers(tools...)}
	if !k.keep(content) {
		t.Error("it was not written")
	}
	got := k.read("x")
	for i, tool := range got.offers.lists.Of(wire.ListTools) {
		if string(tool) != tools[i] {
			t.Errorf("the tool is %s, was %s", tool, tools[i])
		}
	}
	if k.keep(keptContent{name: "x", server: "s"}) || k.read("x").offers == nil {
		t.Error("a start in vain has changed what is known")
	}
	if !k.keep(keptContent{name: "y", server: "s"}) {
		t.Error("a start in vain is not noted")
	}
	if got := k.read("y"); !got.tried || got.offers != nil {
		t.Errorf("of a server that was tried in vain, the file says %+v", got)
	}

	// A list that is declared and not read yet stays; one that is empty does not.
	unread := offers(`{"name":"new"}`)
	unread.lists = mcpclient.NewLists(map[wire.ListKind][]json.RawMessage{wire.ListPrompts: {}})
	k.keep(keptContent{name: "x", server: "s", offers: unread})
	if got := k.read("x").offers.lists.Of(wire.ListTools); len(got) != 2 {
		t.Errorf("a list that was not read is kept as %s", got)
	}
	k.keep(keptContent{name: "x", server: "s", offers: offers()})
	if got := k.read("x").offers.lists.Of(wire.ListTools); len(got) != 0 {
		t.Errorf("an empty list is kept as %s", got)
	}
}

// There are at most so many files of at most so many bytes.
func TestCatalogsAreBounded(t *testing.T) {
	k, log := newTestCatalogs(t)
	k.keep(keptContent{name: "large", server: "s", offers: offers(`{"name":"t"}`)})
	large := offers(`"` + strings.Repeat("x", maxKept) + `"`)
	if k.keep(keptContent{name: "large", server: "s", offers: large}) || !missing(k.path("large")) {
		t.Error("a catalog that is too large is kept, or the one before it")
	}
	if said := strings.Join(log.last(), "\n"); !strings.Contains(said, "too large to be kept") {
		t.Errorf("the log says\n%s", said)
	}

	const extra = 3
	now := time.Now()
	for i := range maxKeptFiles + extra {
		path := k.path(fmt.Sprint(i))
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, now, now.Add(time.Duration(i-1000)*time.Minute))); err != nil {
			t.Fatal(err)
		}
	}
	k.prune()
	for i := range maxKeptFiles + extra {
		if gone := missing(k.path(fmt.Sprint(i))); gone != (i < extra) {
			t.Errorf("file %d is gone: %v", i, gone)
		}
	}
}

// Fault disk-full: what cannot be written is not kept, and says so; nothing else happens.
func TestCatalogsThatCannotBeWritten(t *testing.T) {
	k, log := newTestCatalogs(t)
	if err := os.WriteFile(k.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if k.keep(keptContent{name: "x", server: "s", offers: offers()}) {
		t.Error("it was written")
	}
	if said := strings.Join(log.last(), "\n"); !strings.Contains(said, "keeping what the server offers") {
		t.Errorf("the log says\n%s", said)
	}
}
