package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// A demo is the demonstration: its steps, and what they pass on to one another.
type demo struct {
	stage *stage
	out   *transcript

	first, second *editor
	daemon        int // the process
	server        int // the process
}

func (d *demo) run(ctx context.Context) error {
	begin := time.Now()
	for _, step := range []struct {
		title string
		show  func(context.Context) error
	}{
		{"An editor attaches. No daemon runs yet, so one is started.", d.attach},
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
		if err := step.show(ctx); err != nil {
			return err
		}
	}
	d.out.printf("\nEvery step was checked. All of it took %.1f s.\n", time.Since(begin).Seconds())
	return nil
}

// expect returns an error unless ok.
func expect(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func (d *demo) attach(ctx context.Context) (err error) {
	if d.first, err = d.stage.attach(ctx, "demo editor", d.out); err != nil {
		return err
	}
	var status editorapi.Status
	if err := d.first.request(ctx, "editord/status", struct{}{}, &status); err != nil {
		return err
	}
	d.daemon = status.PID
	d.out.note("The daemon is process %d and listens on %s.", status.PID, status.Socket)
	return expect(running(status.PID) && status.Socket == d.stage.socket, "the daemon's status is wrong: %+v", status)
}

// workspaceReady waits until the server is ready, and prints its states.
func workspaceReady(ctx context.Context, e *editor) (server editorapi.Server, err error) {
	err = e.await(ctx, "editord/serverChanged", func(params json.RawMessage) (any, bool) {
		server = editorapi.Server{}
		if err := json.Unmarshal(params, &server); err != nil {
			return err.Error(), false
		}
		shown := map[string]any{"name": server.Name, "state": server.State}
		if server.PID != 0 {
			shown["pid"] = server.PID
		}
		return shown, server.State == "ready" || server.State == "failed"
	})
	if err == nil && server.State != "ready" {
		err = fmt.Errorf("the server failed: %+v", server.Error)
	}
	return server, err
}

func (d *demo) commands(ctx context.Context) error {
	server, err := workspaceReady(ctx, d.first)
	if err != nil {
		return err
	}
	d.server = server.PID
	// Its tools are listed once it is ready.
	err = d.first.await(ctx, "editord/catalogChanged", func(params json.RawMessage) (any, bool) {
		return params, bytes.Contains(params, []byte(`"tools"`))
	})
	if err != nil {
		return err
	}
	d.out.sent("editord/catalog", struct{}{})
	var catalog struct {
		Servers []struct {
			Tools   []struct{ Command string }
			Prompts []struct{ Command string }
		}
	}
	if err := d.first.request(ctx, "editord/catalog", struct{}{}, &catalog); err != nil {
		return err
	}
	var commands []string
	for _, s := range catalog.Servers {
		for _, c := range slices.Concat(s.Tools, s.Prompts) {
			d.out.note("%s", c.Command)
			commands = append(commands, c.Command)
		}
	}
	for _, name := range []string{"find_files", "search_text", "list_roots", "ask_user", "ask_model"} {
		if !slices.Contains(commands, "mcp.tool.workspace."+name) {
			return fmt.Errorf("the tool %q has no command", name)
		}
	}
	return nil
}

func (d *demo) findFiles(ctx context.Context) error {
	var found struct{ Files []string }
	if _, err := d.first.tool(ctx, "find_files", map[string]any{"pattern": "*.go"}, "", &found); err != nil {
		return err
	}
	want := []string{filepath.Join(d.stage.workspace, "main.go"), filepath.Join(d.stage.workspace, "packages", "orders", "order.go")}
	slices.Sort(found.Files)
	return expect(slices.Equal(found.Files, want), "found the files %q, want %q", found.Files, want)
}

func (d *demo) askUser(ctx context.Context) error {
	var said struct{ Action, Answer string }
	arguments := map[string]any{"question": "Which coffee?", "choices": []string{"espresso", "filter"}}
	if _, err := d.first.tool(ctx, "ask_user", arguments, "", &said); err != nil {
		return err
	}
	return expect(said.Action == "accept" && said.Answer == "espresso", "the tool returned the wrong answer: %+v", said)
}

func (d *demo) askModel(ctx context.Context) error {
	var said struct{ Text, Model string }
	if _, err := d.first.tool(ctx, "ask_model", map[string]any{"prompt": "What colour is the sky?"}, "", &said); err != nil {
		return err
	}
	return expect(said.Text == "Blue." && said.Model == "demo-model", "the tool returned the wrong answer: %+v", said)
}

func (d *demo) search(ctx context.Context) error {
	var found struct {
		Matches []struct {
			File string
			Line int
		}
	}
	progress, err := d.first.tool(ctx, "search_text", map[string]any{"query": "TODO"}, "the search", &found)
	if err != nil {
		return err
	}
	return errors.Join(
		expect(progress >= 3, "the search reported progress %d times, want its begin, its end and something between", progress),
		expect(len(found.Matches) == 1 && found.Matches[0].Line == 3, "found the wrong lines: %+v", found.Matches),
	)
}

// roots asks the server which folders it knows.
func (d *demo) roots(ctx context.Context) (paths []string, err error) {
	var list struct{ Roots []struct{ Path string } }
	_, err = d.first.tool(ctx, "list_roots", map[string]any{}, "", &list)
	for _, root := range list.Roots {
		d.out.note("root %s", root.Path)
		paths = append(paths, root.Path)
	}
	return paths, err
}

func (d *demo) newFolder(ctx context.Context) error {
	before, err := d.roots(ctx)
	if err != nil {
		return err
	}
	added := filepath.Join(d.stage.workspace, "packages", "billing")
	d.out.run("mkdir " + added)
	if err := os.Mkdir(added, 0o700); err != nil {
		return err
	}
	var after []string
	for !slices.Contains(after, added) {
		// The server sends this whenever it has asked for its roots again.
		err := d.first.await(ctx, "mcp/notifications/resources/list_changed", func(params json.RawMessage) (any, bool) {
			return params, true
		})
		if err != nil {
			return err
		}
		if after, err = d.roots(ctx); err != nil {
			return err
		}
	}
	return errors.Join(
		expect(len(before) == 2 && !slices.Contains(before, added), "the roots before it are %q", before),
		expect(len(after) == 3, "the roots after it are %q", after),
	)
}

func (d *demo) share(ctx context.Context) (err error) {
	if d.second, err = d.stage.attach(ctx, "another editor", d.out); err != nil {
		return err
	}
	server, err := workspaceReady(ctx, d.second)
	if err != nil {
		return err
	}
	return expect(server.PID == d.server, "the second editor is served by process %d, not by %d", server.PID, d.server)
}

func (d *demo) stop(ctx context.Context) error {
	for _, e := range []*editor{d.first, d.second} {
		d.out.sent("shutdown", nil)
		if err := e.close(ctx); err != nil {
			return fmt.Errorf("leaving the daemon: %w", err)
		}
	}
	d.out.run("mcp-editord stop")
	out, err := d.stage.command(ctx, "stop").CombinedOutput()
	if err != nil {
		return fmt.Errorf("stopping the daemon: %w: %s", err, bytes.TrimSpace(out))
	}
	d.out.note("%s", out)
	_, err = os.Stat(d.stage.socket)
	return errors.Join(
		expect(errors.Is(err, os.ErrNotExist), "the socket is still there"),
		expect(!running(d.server), "the server, process %d, still runs", d.server),
		expect(endsSoon(d.daemon), "the daemon, process %d, still runs", d.daemon),
	)
}
