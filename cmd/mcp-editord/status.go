package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

func (a *app) statusCommand() *cobra.Command {
	var watch bool
	cmd := a.ofServers("status [SERVER]", "Show the daemon, its editors and its servers, or what one server uses")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		// Without folders: looking must not change anything.
		return a.attached(cmd.Context(), ipc.Dial, nil, false, func(ctx context.Context, s *session) error {
			_, screen := ofTerminal(s.stdout)
			before := ""
			return follow(ctx, watch, time.Tick(statusPause), s.client.Done(), func() error {
				status, err := editorapi.MethodStatus.Call(ctx, s.client, editorapi.Nothing{})
				now := string(rawjson.Get(status.Raw, "editors")) + string(rawjson.Get(status.Raw, "servers"))
				switch {
				case err != nil || now == before:
					return err
				case screen && watch: // in the place of the one before
					err = write(s.stdout, "\x1b[H\x1b[2J")
				case before != "" && !s.json:
					err = write(s.stdout, "\n")
				}
				before = now
				switch {
				case err != nil:
					return err
				case len(args) > 0:
					return s.printUses(args[0], status)
				case s.json:
					return s.printRaw(status.Raw)
				}
				return s.printStatus(status.Value)
			})
		})
	}
	cmd.Flags().BoolVar(&watch, "watch", false, "show it again when something has changed, until Ctrl-C")
	return cmd
}

// statusPause is how often the status is looked at: nobody tells of the servers of others.
const statusPause = time.Second

func (s *session) printStatus(status editorapi.Status) error {
	status = withoutYou(status)

	daemon := &table{}
	daemon.row("version", status.Version)
	daemon.row("process", strconv.Itoa(status.PID))
	daemon.row("uptime", time.Duration(status.Uptime*float64(time.Second)).Round(time.Second).String())
	daemon.row("socket", status.Socket)
	daemon.row("configuration", status.Config)
	daemon.row("log", status.LogFile)
	if err := daemon.write(s.stdout, ""); err != nil {
		return err
	}

	editors := &table{}
	for _, e := range status.Editors {
		editors.row(strconv.Itoa(e.ID), e.Name+" "+e.Version, places(e.Folders))
	}
	if err := s.printSection("editors", editors); err != nil {
		return err
	}

	servers := &table{}
	for _, c := range status.Servers {
		var ids []string
		for _, id := range c.Editors {
			ids = append(ids, strconv.Itoa(id))
		}
		pid := "-"
		if c.Server.PID != 0 {
			pid = strconv.Itoa(c.Server.PID)
		}
		servers.row(c.Server.Name, string(c.Server.State), pid, "editors "+cmp.Or(strings.Join(ids, ","), "-"), places(c.Folders))
		servers.troubles(c.Server)
	}
	if err := s.printSection("servers", servers); err != nil {
		return err
	}

	counters := &table{}
	for _, name := range slices.Sorted(maps.Keys(status.Counters)) {
		if n := status.Counters[name]; n != 0 {
			counters.row(name, strconv.FormatInt(n, 10))
		}
	}
	return s.printSection("counters", counters)
}

// withoutYou returns a status without the program that asked for it, and without servers that exist only
// because of programs like it.
func withoutYou(status editorapi.Status) editorapi.Status {
	you := slices.IndexFunc(status.Editors, func(e editorapi.EditorStatus) bool { return e.You })
	if you >= 0 {
		id := status.Editors[you].ID
		status.Editors = slices.Delete(status.Editors, you, you+1)
		for i, c := range status.Servers {
			status.Servers[i].Editors = slices.DeleteFunc(c.Editors, func(of int) bool { return of == id })
		}
	}
	status.Servers = slices.DeleteFunc(status.Servers, func(c editorapi.ServerStatus) bool {
		return c.Server.State == editorapi.ServerStopped && len(c.Editors) == 0
	})
	return status
}

// printSection writes a table under a heading. It writes nothing for an empty table.
func (s *session) printSection(heading string, t *table) error {
	if len(t.rows) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(s.stdout, "\n%s\n", heading); err != nil {
		return err
	}
	return t.write(s.stdout, "  ")
}

// printUses writes what the server of that name uses, for each of its connections.
func (s *session) printUses(name string, status editorapi.Answer[editorapi.Status]) error {
	if s.json {
		of := []json.RawMessage{}
		for c := range rawjson.Elements(rawjson.Get(status.Raw, "servers")) {
			if rawjson.String(rawjson.Get(c, "server"), "name") == name {
				of = append(of, c)
			}
		}
		return s.printJSON(map[string]any{"servers": of})
	}
	all := withoutYou(status.Value)
	found := slices.DeleteFunc(all.Servers, func(c editorapi.ServerStatus) bool { return c.Server.Name != name })
	if len(found) == 0 {
		return notFound("no editor has a server %q; to list the servers of this folder: mcp-editord servers", name)
	}
	for i, c := range found {
		if i > 0 {
			if err := write(s.stdout, "\n"); err != nil {
				return err
			}
		}
		if err := usesTable(c, all.Editors).write(s.stdout, ""); err != nil {
			return err
		}
	}
	return nil
}

// usesTable says what one connection uses.
func usesTable(c editorapi.ServerStatus, editors []editorapi.EditorStatus) *table {
	t := &table{}
	t.row("server", c.Server.Name)
	t.row("state", string(c.Server.State))
	t.troubles(c.Server)
	t.row("source", fileuri.Shown(c.Server.Source))
	for _, e := range editors {
		if slices.Contains(c.Editors, e.ID) {
			t.row("editor "+strconv.Itoa(e.ID), strings.TrimSpace(e.Name+" "+e.Version))
		}
	}
	t.row("folders", cmp.Or(places(c.Folders), "-"))
	if len(c.Command) > 0 {
		words := make([]string, len(c.Command))
		for i, word := range c.Command {
			words[i] = safetext.ShellWord(word)
		}
		t.row("command", strings.Join(words, " "))
		t.row("directory", c.Cwd)
	}
	if c.Server.PID != 0 {
		t.row("process", strconv.Itoa(c.Server.PID))
	}
	if c.Server.ProtocolVersion != "" {
		t.row("protocol", c.Server.ProtocolVersion)
	}
	switch {
	case c.Roots == nil:
		t.row("roots", "not asked for")
	case len(c.Roots.URIs) == 0:
		t.row("roots", "none; asked at "+c.Roots.At)
	default:
		t.row("roots", "asked at "+c.Roots.At)
		for _, uri := range c.Roots.URIs {
			t.note(fileuri.Shown(uri))
		}
	}
	if c.Bound != nil {
		t.row("bound", c.Bound.Tool+": "+strings.Join(c.Bound.Arguments, ", "))
	}
	return t
}
