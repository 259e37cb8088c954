package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

func (a *app) removeCommand() *cobra.Command {
	return a.looking(a.ofServer("remove SERVER", "Take a server out of the file that defines it"), func(ctx context.Context, s *session, args []string) error {
		place, err := editorapi.MethodRemoveServer.Call(ctx, s.client, editorapi.ServerParams{Server: args[0]})
		if err != nil {
			return err
		}
		return s.print(fmt.Sprintf("server %q was removed from %s; a copy of the file is in the state directory, in backups", args[0], fileuri.Shown(place.Value.URI)), place.Value)
	})
}

// enableCommand is enable or disable.
func (a *app) enableCommand(name, short string, enabled bool) *cobra.Command {
	return a.looking(a.ofServer(name+" SERVER", short), func(ctx context.Context, s *session, args []string) error {
		place, err := editorapi.MethodEnableServer.Call(ctx, s.client, editorapi.EnableServerParams{Server: args[0], Enabled: enabled})
		if err != nil {
			return err
		}
		return s.print(fmt.Sprintf("server %q is %sd in %s", args[0], name, fileuri.Shown(place.Value.URI)), place.Value)
	})
}

func (a *app) editCommand() *cobra.Command {
	return a.looking(&cobra.Command{
		Use:   "edit [SERVER]",
		Short: "Open your configuration, or the file that defines a server, in $VISUAL or $EDITOR",
		Args:  cobra.MaximumNArgs(1), ValidArgsFunction: a.complete(nil, serverNames),
	}, func(ctx context.Context, s *session, args []string) error {
		params := editorapi.ConfigPlaceParams{Server: strings.Join(args, "")}
		place, err := editorapi.MethodConfigPlace.Call(ctx, s.client, params)
		if err != nil {
			return err
		}
		path, err := fileuri.ToPath(place.Value.URI)
		if err != nil {
			return err
		}
		if s.json {
			return s.printRaw(place.Raw)
		}
		editor := strings.Fields(cmp.Or(s.getenv("VISUAL"), s.getenv("EDITOR"), "vi"))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("making the folder of the configuration: %w", err)
		}
		edit := exec.CommandContext(ctx, editor[0], append(editor[1:], atLine(editor[0], path, place.Value.Range)...)...)
		edit.Stdin, edit.Stdout, edit.Stderr = s.stdin, s.stdout, s.stderr
		if err := edit.Run(); err != nil {
			return fmt.Errorf("running %q: %w; set VISUAL or EDITOR to an editor", editor[0], err)
		}
		return nil
	})
}

// atLine returns the arguments that open a file at the line where a place begins, as far as the editor is known.
func atLine(editor, path string, at *editorapi.Range) []string {
	if at == nil {
		return []string{path}
	}
	line := at.Start.Line + 1
	is := func(names string) bool { return slices.Contains(strings.Fields(names), filepath.Base(editor)) }
	switch {
	case is("vi vim nvim view gvim nano emacs emacsclient kak joe micro ne"):
		return []string{fmt.Sprintf("+%d", line), path}
	case is("code codium cursor windsurf code-insiders"):
		return []string{"--wait", "--goto", fmt.Sprintf("%s:%d", path, line)}
	case is("hx helix subl zed"):
		return []string{fmt.Sprintf("%s:%d", path, line)}
	}
	return []string{path}
}
