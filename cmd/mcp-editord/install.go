package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/extensions/neovim"
	"github.com/mcp-editord/mcp-editord/internal/agentconfig"
)

// installMark is a file that marks a directory as written by install, which may then replace it. It
// holds the version.
const installMark = ".mcp-editord"

// installed is what install prints of a plugin or an extension with --json.
type installed struct {
	Path    string `json:"path,omitempty"`    // of the plugin
	Program string `json:"program,omitempty"` // the command line of VS Code
	Action  string `json:"action"`            // installed, replaced, removed or absent
	Version string `json:"version"`           // of this program; the extension has its numbers
	Before  string `json:"before,omitempty"`  // version that was there before
}

// change puts in place or takes out what before finds a version of, "" if it is not there.
func (i *installed) change(uninstall bool, before func() (string, error), put, takeOut func() error) (err error) {
	if i.Before, err = before(); err != nil {
		return err
	}
	switch {
	case uninstall && i.Before == "":
		i.Action = "absent"
		return nil
	case uninstall:
		i.Action = "removed"
		return takeOut()
	case i.Before == "":
		i.Action = "installed"
	default:
		i.Action = "replaced"
	}
	return put()
}

func (a *app) installCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install an editor's plugin, or the lines that an editor without one needs",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.installNeovimCommand(), a.installVSCodeCommand())
	for _, editor := range linedEditors() {
		cmd.AddCommand(a.installLinesCommand(editor))
	}
	return cmd
}

func (a *app) installNeovimCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "neovim",
		Short: "Install the Neovim plugin, as a package that Neovim loads when it starts",
	}
	dir := cmd.Flags().String("dir", "", "directory of the plugin (default pack/mcp-editord/start/mcp-editord.nvim in Neovim's data directory)")
	uninstall := cmd.Flags().Bool("uninstall", false, "remove the plugin")
	cmd.RunE = func(*cobra.Command, []string) error {
		path, err := a.neovimPlugin(*dir)
		if err != nil {
			return err
		}
		result := installed{Path: path, Version: a.version}
		if err := result.change(*uninstall, result.look, result.put, func() error { return os.RemoveAll(path) }); err != nil {
			return err
		}
		return a.print(map[string]string{
			"removed":   "removed " + path,
			"absent":    "there is no plugin at " + path,
			"replaced":  fmt.Sprintf("replaced version %s with %s at %s; restart Neovim", result.Before, a.version, path),
			"installed": fmt.Sprintf("installed version %s at %s; in Neovim run :Mcp or :help mcp-editord", a.version, path),
		}[result.Action], result)
	}
	return cmd
}

// neovimPlugin returns the directory of the plugin: dir, or else the place where Neovim looks for
// packages, `stdpath('data')/site` (Neovim, starting.txt, "Standard Paths").
func (a *app) neovimPlugin(dir string) (string, error) {
	if dir != "" {
		return filepath.Abs(dir)
	}
	name, usual := cmp.Or(a.getenv("NVIM_APPNAME"), "nvim"), "home/.local/share"
	if runtime.GOOS == "windows" {
		name, usual = name+"-data", "$LOCALAPPDATA"
	}
	data, err := agentconfig.Place("$XDG_DATA_HOME", usual)
	if err != nil {
		return "", errors.New("the data directory of Neovim is unknown; name the directory of the plugin with --dir")
	}
	return filepath.Join(data, name, "site", "pack", "mcp-editord", "start", "mcp-editord.nvim"), nil
}

// look returns the version that is at i.Path, "" if there is none. It fails if what is there is not from install.
func (i *installed) look() (string, error) {
	info, err := os.Lstat(i.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	mark, _ := os.ReadFile(filepath.Join(i.Path, installMark))
	if err != nil || !info.IsDir() || len(mark) == 0 {
		return "", fmt.Errorf("%q was not installed by mcp-editord; move it away, or name another directory with --dir", i.Path)
	}
	return string(mark), nil
}

// put puts the plugin at i.Path, in place of what install put there before. At every moment i.Path
// holds the old plugin, nothing, or the new one; never a part of one.
func (i *installed) put() error {
	parent := filepath.Dir(i.Path)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("installing the plugin: %w", err)
	}
	// The name begins with a dot, so Neovim does not load what a crash leaves behind.
	work, err := os.MkdirTemp(parent, ".mcp-editord-")
	if err != nil {
		return fmt.Errorf("installing the plugin: %w", err)
	}
	defer os.RemoveAll(work)
	fresh, old := filepath.Join(work, "new"), filepath.Join(work, "old")
	if err = os.CopyFS(fresh, neovim.Plugin()); err == nil {
		err = os.WriteFile(filepath.Join(fresh, installMark), []byte(i.Version), 0o644)
	}
	if err == nil && i.Before != "" {
		err = os.Rename(i.Path, old)
	}
	if err == nil {
		if err = os.Rename(fresh, i.Path); err != nil && i.Before != "" {
			err = errors.Join(err, os.Rename(old, i.Path))
		}
	}
	if err != nil {
		return fmt.Errorf("installing the plugin: %w", err)
	}
	return nil
}
