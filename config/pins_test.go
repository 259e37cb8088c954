package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func pinned(name, definition string) PinnedTool {
	return PinnedTool{Name: name, Hash: "hash of " + definition, Definition: json.RawMessage(definition)}
}

func openPins(t *testing.T, dir string) *Pins {
	t.Helper()
	p, err := OpenPins(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A tool is accepted as it was first seen; whatever differs from what was accepted is a change, also for
// the next daemon.
func TestPins(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tools")
	check := func(what, want, server string, tools ...PinnedTool) {
		t.Helper()
		changes, err := openPins(t, dir).Compare(server, tools)
		got := ""
		for _, c := range changes {
			got += c.After.Name + " was " + string(c.Before) + "\n"
		}
		if err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", what, got, err, want)
		}
	}
	old, changed := pinned("a", `{"v":1}`), pinned("a", `{"v":2}`)
	check("first sight", "", "s", old)
	check("again, beside a new one", "", "s", old, pinned("b", `{}`))
	check("changed", "a was {\"v\":1}\n", "s", changed)
	check("still changed", "a was {\"v\":1}\n", "s", changed)
	check("another server", "", "t", changed)
	p := openPins(t, dir)
	if err := p.Deny("s", "digest"); err != nil {
		t.Fatal(err)
	}
	if again := openPins(t, dir); !again.Denied("s", "digest") || again.Denied("s", "other") || again.Denied("t", "digest") {
		t.Error("what was denied is not remembered")
	}
	if err := p.Accept("s", []PinnedTool{changed}); err != nil {
		t.Fatal(err)
	}
	check("accepted", "", "s", changed)
	check("as it was accepted earlier", "", "s", old)
	check("a third", "a was {\"v\":2}\n", "s", pinned("a", `{"v":3}`))
	large := pinned("large", `{"d":"`+strings.Repeat("x", maxPinDefinition)+`"}`)
	check("large", "", "s", large)
	check("large again", "", "s", large)
	check("large changed", "large was \n", "s", pinned("large", `{}`))

	info, err := os.Stat(filepath.Join(dir, "s.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
}

// Fault pins-damaged: a damaged file is moved aside, and its server begins anew.
func TestPinsDamaged(t *testing.T) {
	for _, content := range []string{"", "{", `{"version":2,"tools":{}}`, `{"version":1,"tools":{"a":null}}`} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "s.json"), content)
		p := openPins(t, dir)
		if changes, err := p.Compare("s", []PinnedTool{pinned("a", `{}`)}); len(changes) > 0 || err == nil {
			t.Errorf("%q: %v, %v", content, changes, err)
		}
		if aside, err := os.ReadFile(filepath.Join(dir, "s.json.damaged")); err != nil || string(aside) != content {
			t.Errorf("%q: aside is %q, %v", content, aside, err)
		}
		if changes, err := p.Compare("s", []PinnedTool{pinned("a", `{"v":2}`)}); len(changes) != 1 || err != nil {
			t.Errorf("%q: then %v, %v", content, changes, err)
		}
	}
}

// Fault list-flood: a server that names other tools all the time takes up no more than its room, and
// pushes nothing out that is known.
func TestPinsOfAServerWithoutEnd(t *testing.T) {
	dir := t.TempDir()
	p := openPins(t, dir)
	if changes, err := p.Compare("s", []PinnedTool{pinned("first", `{}`)}); len(changes) > 0 || err != nil {
		t.Fatal(changes, err)
	}
	filler := `{"d":"` + strings.Repeat("<", maxPinDefinition-10) + `"}`
	var many []PinnedTool
	for i := range 2 * maxPinBytes / maxPinDefinition {
		many = append(many, PinnedTool{Name: fmt.Sprint("tool ", i), Hash: "hash", Definition: json.RawMessage(filler)})
	}
	changes, err := p.Compare("s", many)
	if err != nil || len(changes) < len(many)/3 || len(changes) > len(many)*2/3 {
		t.Fatalf("%d of %d tools are held, %v", len(changes), len(many), err)
	}
	last := changes[len(changes)-1]
	if last.Before != nil || last.After.Name != many[len(many)-1].Name {
		t.Errorf("the last one is %s, %s", last.Before, last.After.Name)
	}
	if info, err := os.Stat(filepath.Join(dir, "s.json")); err != nil || info.Size() > maxPinBytes+1<<10 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	if err := p.Accept("s", []PinnedTool{last.After}); err != nil {
		t.Errorf("what a person accepts does not count: %v", err)
	}
	if changes, err := openPins(t, dir).Compare("s", []PinnedTool{pinned("first", `{"v":2}`), last.After, changes[0].After}); err != nil || len(changes) != 2 ||
		changes[0].After.Name != "first" {
		t.Errorf("then these are held: %v, %v", changes, err)
	}
}

// What no file has is known until the daemon ends.
func TestPinsWithoutAFile(t *testing.T) {
	dir := t.TempDir()
	p := openPins(t, dir)
	if err := os.MkdirAll(filepath.Join(dir, "s.json", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if changes, err := p.Compare("s", []PinnedTool{pinned("a", `{"v":1}`)}); err == nil || len(changes) != 0 {
		t.Errorf("at first: %v, %v", changes, err)
	}
	if changes, err := p.Compare("s", []PinnedTool{pinned("a", `{"v":2}`)}); err != nil || len(changes) != 1 {
		t.Errorf("then: %v, %v", changes, err)
	}
}

// The servers are forgotten that were written longest ago.
func TestPinsPruned(t *testing.T) {
	dir := t.TempDir()
	p := openPins(t, dir)
	begun := time.Now().Add(-time.Hour)
	for n := range maxPinFiles {
		path := filepath.Join(dir, fmt.Sprintf("s%d.json", n))
		write(t, path, `{"version":1,"tools":{"a":{"hashes":["x"]}}}`)
		if err := os.Chtimes(path, time.Time{}, begun.Add(time.Duration(-n)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Compare("new", []PinnedTool{pinned("a", `{}`)}); err != nil {
		t.Fatal(err)
	}
	for name, kept := range map[string]bool{"new": true, "s0": true, fmt.Sprintf("s%d", maxPinFiles-2): true, fmt.Sprintf("s%d", maxPinFiles-1): false} {
		if _, err := os.Stat(filepath.Join(dir, name+".json")); (err == nil) != kept {
			t.Errorf("%s: %v", name, err)
		}
	}
}
