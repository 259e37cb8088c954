package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/extensions/vscode"
)

// vscodePrograms are the command lines of VS Code and of editors built on it, in the order of the
// search.
var vscodePrograms = []string{"code", "code-insiders", "codium", "cursor", "windsurf", "code-server"}

// vscodeGrace is how long an interrupted VS Code may take to end.
const vscodeGrace = 2 * time.Second

// installedExtension is what install vscode prints with --json.
type installedExtension struct {
	Program string `json:"program"`          // the command line of VS Code
	Action  string `json:"action"`           // installed, replaced, removed or absent
	Version string `json:"version"`          // of this program; the extension has its numbers
	Before  string `json:"before,omitempty"` // version of the extension that was there
}

func (a *app) installVSCodeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vscode",
		Short: "Install the VS Code extension, which carries this program",
	}
	code := cmd.Flags().String("code", "", "command line of VS Code (default the first in PATH of "+strings.Join(vscodePrograms, ", ")+")")
	uninstall := cmd.Flags().Bool("uninstall", false, "remove the extension")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		program, err := findVSCode(*code)
		if err != nil {
			return err
		}
		result := installedExtension{Program: program, Version: a.version}
		err = untilInterrupted(cmd.Context(), func(ctx context.Context) error {
			if *uninstall {
				return result.remove(ctx)
			}
			return result.install(ctx, a.extension)
		})
		if err != nil {
			return err
		}
		return a.print(result.String(), result)
	}
	return cmd
}

// findVSCode returns the path of the program with this name. For "" it takes the first of
// vscodePrograms in PATH.
func findVSCode(name string) (string, error) {
	names := vscodePrograms
	if name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("none of %s is in PATH; in VS Code run the command \"Shell Command: Install 'code' command in PATH\", or name its command line with --code",
		strings.Join(names, ", "))
}

// String says what was done, for people.
func (i installedExtension) String() string {
	switch i.Action {
	case "removed":
		return fmt.Sprintf("removed version %s from %s", i.Before, i.Program)
	case "absent":
		return "the extension is not installed in " + i.Program
	case "replaced":
		return fmt.Sprintf("replaced version %s with %s in %s; reload open windows", i.Before, i.Version, i.Program)
	}
	return fmt.Sprintf("installed version %s in %s; in VS Code run Editord: Run Tool…", i.Version, i.Program)
}

// install makes VS Code install the extension with this program in it.
func (i *installedExtension) install(ctx context.Context, extension []byte) error {
	if extension == nil {
		return errors.New("this mcp-editord was built without the VS Code extension; build it with `make build`, which needs Node, " +
			"or install dist/mcp-editord.vsix, which `make vsix` writes")
	}
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("looking for this program: %w", err)
	}
	if err := i.look(ctx); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "mcp-editord-")
	if err != nil {
		return fmt.Errorf("installing the extension: %w", err)
	}
	defer os.RemoveAll(work)
	file := filepath.Join(work, "mcp-editord.vsix")
	if err := writeVSIX(file, extension, binary); err != nil {
		return fmt.Errorf("writing the extension: %w", err)
	}
	// Without --force, VS Code asks before it goes back to an older version.
	if _, err := i.run(ctx, "--install-extension", file, "--force"); err != nil {
		return err
	}
	i.Action = "installed"
	if i.Before != "" {
		i.Action = "replaced"
	}
	return nil
}

// remove makes VS Code remove the extension, if it is installed.
func (i *installedExtension) remove(ctx context.Context) error {
	if err := i.look(ctx); err != nil {
		return err
	}
	if i.Before == "" {
		i.Action = "absent"
		return nil
	}
	i.Action = "removed"
	_, err := i.run(ctx, "--uninstall-extension", vscode.ID)
	return err
}

// look asks VS Code which version of the extension is installed. VS Code prints one extension a
// line, as publisher.name@version.
func (i *installedExtension) look(ctx context.Context) error {
	out, err := i.run(ctx, "--list-extensions", "--show-versions")
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		id, version, _ := strings.Cut(strings.TrimSpace(line), "@")
		if strings.EqualFold(id, vscode.ID) {
			i.Before = version
		}
	}
	return nil
}

// run runs VS Code and returns its output. When VS Code fails, the error has the output.
func (i *installedExtension) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, i.Program, args...)
	cmd.WaitDelay = vscodeGrace
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("running %s %s: %w: %s", i.Program, args[0], err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}
