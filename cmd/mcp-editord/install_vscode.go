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
		result := installed{Program: program, Version: a.version}
		err = untilInterrupted(cmd.Context(), func(ctx context.Context) error {
			return result.change(*uninstall,
				func() (string, error) { return extensionIn(ctx, program) },
				func() error { return installExtension(ctx, program, a.extension) },
				func() error { _, err := runVSCode(ctx, program, "--uninstall-extension", vscode.ID); return err })
		})
		if err != nil {
			return err
		}
		return a.print(map[string]string{
			"removed":   fmt.Sprintf("removed version %s from %s", result.Before, program),
			"absent":    "the extension is not installed in " + program,
			"replaced":  fmt.Sprintf("replaced version %s with %s in %s; reload open windows", result.Before, a.version, program),
			"installed": fmt.Sprintf("installed version %s in %s; in VS Code run Editord: Run Tool…", a.version, program),
		}[result.Action], result)
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

// installExtension makes VS Code install the extension with this program in it.
func installExtension(ctx context.Context, program string, extension []byte) error {
	if extension == nil {
		return errors.New("this mcp-editord was built without the VS Code extension; build it with `make build`, which needs Node, " +
			"or install dist/mcp-editord.vsix, which `make vsix` writes")
	}
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("looking for this program: %w", err)
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
	_, err = runVSCode(ctx, program, "--install-extension", file, "--force")
	return err
}

// extensionIn asks VS Code which version of the extension is installed, "" for none. VS Code prints one extension a
// line, as publisher.name@version.
func extensionIn(ctx context.Context, program string) (found string, err error) {
	out, err := runVSCode(ctx, program, "--list-extensions", "--show-versions")
	for line := range strings.Lines(out) {
		id, version, _ := strings.Cut(strings.TrimSpace(line), "@")
		if strings.EqualFold(id, vscode.ID) {
			found = version
		}
	}
	return found, err
}

// runVSCode runs VS Code and returns its output. When VS Code fails, the error has the output.
func runVSCode(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = vscodeGrace
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("running %s %s: %w: %s", program, args[0], err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}
