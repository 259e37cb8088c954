package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// A demo is the demonstration: its steps, and what they pass on to one another.
type demo struct {
	t     fakeeditor.T
	stage *stage
	out   *transcript

	first, second *editor
	daemon        int // the process
	server        int // the process
}

func (d *demo) run(ctx context.Context) error {
	begin := time.Now()
	err := fakeeditor.Run(func(t fakeeditor.T) {
		d.t = t
		for _, step := range []struct {
			title string
			show  func(context.Context)
		}{
			{"An editor attaches. No daemon runs yet, so one is started.", d.start},
			{"The daemon starts the built-in server. Its tools become commands.", d.commands},
			{"The editor runs a command, which calls a tool.", d.findFiles},
			{"A tool asks the user. The question goes to the editor that made the call.", d.askUser},
			{"A tool asks the editor's model.", d.askModel},
			{"A search reports its progress before it answers.", d.search},
			{"A new package appears on the disk. The server learns of it.", d.newFolder},
			{"Another editor opens the same folder. It shares the server.", d.share},
			{"An agent works in the same folder. It shares the server, and the editor answers for it.", d.agent},
			{"The editors leave and the daemon stops. Nothing is left behind.", d.stop},
		} {
			d.out.step(step.title)
			if step.show(ctx); t.Failed() {
				return
			}
		}
	})
	if err == nil {
		d.out.printf("\nEvery step was checked. All of it took %.1f s.\n", time.Since(begin).Seconds())
	}
	return err
}

// expect fails the demonstration unless ok.
func (d *demo) expect(ok bool, format string, args ...any) {
	if !ok {
		d.t.Errorf(format, args...)
	}
}

func (d *demo) start(ctx context.Context) {
	d.first = d.attach(ctx, "demo editor")
	var status editorapi.Status
	d.first.Call("editord/status", struct{}{}, &status)
	d.daemon = status.PID
	d.out.note("The daemon is process %d and listens on %s.", status.PID, status.Socket)
	d.expect(running(status.PID) && status.Socket == d.stage.Socket, "the daemon's status is wrong: %+v", status)
}

// workspaceReady waits until the server is ready, and prints its states.
func (d *demo) workspaceReady(e *editor) (server editorapi.Server) {
	for server.State != "ready" {
		server = editorapi.Server{}
		if err := json.Unmarshal(e.next("editord/serverChanged"), &server); err != nil {
			e.Fatalf("reading the state of a server: %v", err)
		}
		shown := map[string]any{"name": server.Name, "state": server.State}
		if server.PID != 0 {
			shown["pid"] = server.PID
		}
		if d.out.received("editord/serverChanged", shown); server.State == "failed" {
			e.Fatalf("the server failed: %+v", server.Error)
		}
	}
	return server
}

func (d *demo) commands(context.Context) {
	d.server = d.workspaceReady(d.first).PID
	for listed := false; !listed; { // once it is ready
		params := d.first.next("editord/catalogChanged")
		d.out.received("editord/catalogChanged", params)
		listed = bytes.Contains(params, []byte(`"tools"`))
	}
	d.out.sent("editord/catalog", struct{}{})
	var catalog struct {
		Servers []struct {
			Tools   []struct{ Command string }
			Prompts []struct{ Command string }
		}
	}
	d.first.Call("editord/catalog", struct{}{}, &catalog)
	var commands []string
	for _, s := range catalog.Servers {
		for _, c := range slices.Concat(s.Tools, s.Prompts) {
			d.out.note("%s", c.Command)
			commands = append(commands, c.Command)
		}
	}
	for _, name := range []string{"find_files", "search_text", "list_roots", "ask_user", "ask_model"} {
		d.expect(slices.Contains(commands, "mcp.tool.workspace."+name), "the tool %q has no command", name)
	}
}

func (d *demo) findFiles(context.Context) {
	var found struct{ Files []string }
	d.first.tool("find_files", map[string]any{"pattern": "*.go"}, "", &found)
	want := []string{filepath.Join(d.stage.workspace, "main.go"), filepath.Join(d.stage.workspace, "packages", "orders", "order.go")}
	slices.Sort(found.Files)
	d.expect(slices.Equal(found.Files, want), "found the files %q, want %q", found.Files, want)
}

func (d *demo) askUser(context.Context) {
	var said struct{ Action, Answer string }
	d.first.tool("ask_user", map[string]any{"question": "Which coffee?", "choices": []string{"espresso", "filter"}}, "", &said)
	d.expect(said.Action == "accept" && said.Answer == "espresso", "the tool returned the wrong answer: %+v", said)
}

func (d *demo) askModel(context.Context) {
	var said struct{ Text, Model string }
	d.first.tool("ask_model", map[string]any{"prompt": "What colour is the sky?"}, "", &said)
	d.expect(said.Text == "Blue." && said.Model == "demo-model", "the tool returned the wrong answer: %+v", said)
}

func (d *demo) search(context.Context) {
	var found struct {
		Matches []struct {
			File string
			Line int
		}
	}
	progress := d.first.tool("search_text", map[string]any{"query": "TODO"}, "the search", &found)
	d.expect(progress >= 3, "the search reported progress %d times, want its begin, its end and something between", progress)
	d.expect(len(found.Matches) == 1 && found.Matches[0].Line == 3, "found the wrong lines: %+v", found.Matches)
}

// roots asks the server which folders it knows.
func (d *demo) roots() (paths []string) {
	var list struct{ Roots []struct{ Path string } }
	d.first.tool("list_roots", map[string]any{}, "", &list)
	for _, root := range list.Roots {
		d.out.note("root %s", root.Path)
		paths = append(paths, root.Path)
	}
	return paths
}

func (d *demo) newFolder(context.Context) {
	before := d.roots()
	added := filepath.Join(d.stage.workspace, "packages", "billing")
	d.out.run("mkdir " + added)
	if err := os.Mkdir(added, 0o700); err != nil {
		d.t.Fatalf("making a folder: %v", err)
	}
	var after []string
	for !slices.Contains(after, added) {
		// The server sends this whenever it has asked for its roots again.
		const changed = "mcp/notifications/resources/list_changed"
		d.out.received(changed, d.first.next(changed))
		after = d.roots()
	}
	d.expect(len(before) == 2 && !slices.Contains(before, added), "the roots before it are %q", before)
	d.expect(len(after) == 3, "the roots after it are %q", after)
}

func (d *demo) share(ctx context.Context) {
	d.second = d.attach(ctx, "another editor")
	pid := d.workspaceReady(d.second).PID
	d.expect(pid == d.server, "the second editor is served by process %d, not by %d", pid, d.server)
}

func (d *demo) stop(ctx context.Context) {
	for _, e := range []*editor{d.first, d.second} {
		d.out.sent("shutdown", nil)
		e.Leave()
	}
	d.out.run("mcp-editord stop")
	out, err := d.stage.command(ctx, "stop").CombinedOutput()
	if err != nil {
		d.t.Fatalf("stopping the daemon: %v: %s", err, bytes.TrimSpace(out))
	}
	d.out.note("%s", out)
	_, err = os.Stat(d.stage.Socket)
	d.expect(errors.Is(err, os.ErrNotExist), "the socket is still there")
	d.expect(!running(d.server), "the server, process %d, still runs", d.server)
	d.expect(endsSoon(d.daemon), "the daemon, process %d, still runs", d.daemon)
}
