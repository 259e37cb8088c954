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

// installed is what install prints with --json.
type installed struct {
	Path    string `json:"path"`
	Action  string `json:"action"`           // installed, replaced, removed or absent
	Version string `json:"version"`          // of this program, and so of the plugin
	Before  string `json:"before,omitempty"` // version that was there before
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
		if *uninstall {
			err = result.remove()
		} else {
			err = result.install(neovim.Plugin())
		}
		if err != nil {
			return err
		}
		return a.print(result.String(), result)
	}
	return cmd
}

// String says what was done, for people.
func (i installed) String() string {
	switch i.Action {
	case "removed":
		return "removed " + i.Path
	case "absent":
		return "there is no plugin at " + i.Path
	case "replaced":
		return fmt.Sprintf("replaced version %s with %s at %s; restart Neovim", i.Before, i.Version, i.Path)
	}
	return fmt.Sprintf("installed version %s at %s; in Neovim run :Mcp or :help mcp-editord", i.Version, i.Path)
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

// install puts plugin at i.Path, in place of what install put there before. At every moment i.Path
// holds the old plugin, nothing, or the new one; never a part of one.
func (i *installed) install(plugin fs.FS) error {
	if err := i.look(); err != nil {
		return err
	}
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
	fresh := filepath.Join(work, "new")
	if err = os.CopyFS(fresh, plugin); err == nil {
		err = os.WriteFile(filepath.Join(fresh, installMark), []byte(i.Version), 0o644)
	}
	i.Action = "installed"
	if err == nil && i.Before != "" {
		i.Action = "replaced"
		err = os.Rename(i.Path, filepath.Join(work, "old"))
	}
	if err == nil {
		err = os.Rename(fresh, i.Path)
	}
	if err != nil {
		return fmt.Errorf("installing the plugin: %w", err)
	}
	return nil
}

// remove removes what install put at i.Path.
func (i *installed) remove() error {
	if err := i.look(); err != nil {
		return err
	}
	i.Action = "removed"
	if i.Before == "" {
		i.Action = "absent"
		return nil
	}
	if err := os.RemoveAll(i.Path); err != nil {
		return fmt.Errorf("removing the plugin: %w", err)
	}
	return nil
}

// look finds out which version is at i.Path, if any. It fails if what is there is not from install.
func (i *installed) look() error {
	info, err := os.Lstat(i.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	mark, _ := os.ReadFile(filepath.Join(i.Path, installMark))
	if err != nil || !info.IsDir() || len(mark) == 0 {
		return fmt.Errorf("%q was not installed by mcp-editord; move it away, or name another directory with --dir", i.Path)
	}
	i.Before = string(mark)
	return nil
}
