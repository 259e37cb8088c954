package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

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
		return fmt.Errorf("no editor has a server %q; to list the servers of this folder: mcp-editord servers", name)
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
	if c.Server.Error != nil {
		t.note(c.Server.Error.Message)
	}
	t.problems(c.Server)
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
