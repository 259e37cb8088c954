//go:build linux || darwin

package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// visitOf attaches an editor for a moment, until a server is in a state, and returns what it says meanwhile.
func visitOf(t *testing.T, d *Daemon, folder, state string) []string {
	t.Helper()
	s := newScreen()
	a := attachWith(t, d, s, editorapi.AttachParams{Folders: opened(folder), AutoStart: true, DynamicCommands: true})
	s.await(t, state)
	a.(*editor).told(t.Context()) // the failure was said before that
	a.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said
}

// The failure of a server is told once, however often editors attach and daemons start. A new one is told, and the same one after
// the server has been ready.
func TestFailuresOfServersAreToldOnce(t *testing.T) {
	d, folder := newTestDaemon(t, time.Millisecond)
	program := filepath.Join(folder, "server")
	configure := func(command string) {
		t.Helper()
		writeFile(t, d.opts.Paths.Config, fmt.Sprintf(`{"servers":{"fake":{"command":%q}}}`, command))
		for servers := d.store.User().Servers; len(servers) == 0 || servers[0].Command != command; servers = d.store.User().Servers {
			runtime.Gosched()
		}
	}
	expect := func(step, state string, told int, of string) {
		t.Helper()
		said := visitOf(t, d, folder, state)
		if len(said) != told || told > 0 && !strings.Contains(said[0], of) {
			t.Fatalf("%s: it says %q", step, said)
		}
		d.awaitConnections(t, 0)
	}
	configure(program)
	expect("the first time", "failed", 1, program)
	expect("the second time", "failed", 0, "")

	<-d.keepingTold.Again()
	again := startDaemon(t, d.opts.Paths, nothingLeft)
	if said := visitOf(t, again, folder, "failed"); len(said) > 0 {
		t.Errorf("a new daemon says %q", said)
	}

	configure(program + "2")
	expect("another failure", "failed", 1, program+"2")
	configure(program)
	expect("the first one again", "failed", 0, "")

	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nexport %s\nexec '%s' -test.run='^TestFakeServerProcess$'\n", strings.Replace(fakeserver.Script{Plain: true}.Environ(), "=", "='", 1)+"'", exe)
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	expect("it is well", "ready", 0, "")
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	expect("it fails once more", "failed", 1, program)
}

// attachShowing attaches an editor, with a plugin or without one.
func attachShowing(t *testing.T, d *Daemon, folder string, plugin, autoStart bool) (*screen, *editor) {
	t.Helper()
	s := newScreen()
	return s, attachWith(t, d, s, editorapi.AttachParams{
		Folders: opened(folder), AutoStart: autoStart, DynamicCommands: true, Capabilities: editorapi.Capabilities{MCP: plugin},
	}).(*editor)
}

// All editors that are there when a server fails are told. Those with a plugin learn of later attaches from the state: it counts as
// told once one has been there for long enough to say it.
func TestFailureIsToldInEveryEditor(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	d.own(t)
	one, _ := attachShowing(t, d, folder, false, false)
	two, _ := attachShowing(t, d, folder, false, false)
	plugin, e := attachShowing(t, d, folder, true, false)
	does(t, e.StartServer("fake"))
	for _, s := range []*screen{one, two} {
		s.until(t, "it is told", func() bool { return len(s.said) == 1 })
	}
	if plugin.await(t, "failed").Error.Told {
		t.Error("a plugin that was there does not say it")
	}
	later, _ := attachShowing(t, d, folder, true, true)
	if !later.await(t, "failed").Error.Told {
		t.Error("a plugin that comes later says it again")
	}
}

// An editor whose servers have a head start is told why one has failed before the answer to initialize.
func TestFailureOfAHeadStartIsTold(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	d.own(t)
	for _, want := range []int{1, 0} {
		s := newScreen()
		a := attachWith(t, d, s, editorapi.AttachParams{Folders: opened(folder), AutoStart: true})
		s.await(t, "failed")
		if len(s.said) != want {
			t.Errorf("it says %q", s.said)
		}
		a.Close()
	}
}

// What a plugin has shown counts as told only if it was there for long enough.
func TestFailureThatAPluginTells(t *testing.T) {
	for _, tt := range []struct {
		name        string
		stays, told bool
	}{{"it stays", true, true}, {"it leaves at once", false, false}} {
		t.Run(tt.name, func(t *testing.T) {
			d, folder := newTestDaemon(t, time.Hour)
			d.own(t)
			first, e := attachShowing(t, d, folder, true, true)
			if first.await(t, "failed").Error.Told {
				t.Error("it was told before anybody was there")
			}
			c := e.connection("fake")
			if !tt.stays {
				e.Close()
			}
			d.mu.Lock()
			why := c.status.Err.Message
			d.mu.Unlock()
			c.toldIn(e, why) // as after toldTime
			later, _ := attachShowing(t, d, folder, true, true)
			if got := later.await(t, "failed").Error.Told; got != tt.told {
				t.Errorf("told is %t later", got)
			}
		})
	}
}

// The errors of a file are told once, until it has none.
func TestProblemsOfAFileAreToldOnce(t *testing.T) {
	d, folder := newTestDaemon(t, time.Hour)
	attach := func(text string) []string {
		t.Helper()
		writeFile(t, filepath.Join(folder, ".mcp.json"), text)
		s := newScreen()
		a := attachScreen(t, d, folder, s, fakeserver.Script{Plain: true}, editorapi.Capabilities{})
		a.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.said
	}
	for i, tt := range []struct {
		text string
		told string // what it says begins with; "" for nothing
	}{
		{`{"servers": 1}`, "line 1: "}, {`{"servers": 1}`, ""}, {"{\n\"servers\": 1}", "line 2: "}, {`{"servers": 1}`, ""}, {`{}`, ""}, {`{"servers": 1}`, "line 1: "},
		{strings.Repeat(" ", 2<<20), "the file is larger than"},
	} {
		said := attach(tt.text)
		if tt.told == "" && len(said) > 0 || tt.told != "" && (len(said) != 1 || !strings.HasPrefix(said[0], filepath.Join(folder, ".mcp.json")+": "+tt.told)) {
			t.Errorf("%d. %.20s: it says %q", i, tt.text, said)
		}
	}
	attach(`{"servers": 1}`)
	terminal := newScreen()
	attachWith(t, d, terminal, editorapi.AttachParams{Folders: opened(folder)})
	terminal.until(t, "a command of the terminal says it each time", func() bool { return len(terminal.said) == 1 })
}
