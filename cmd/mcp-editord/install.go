package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/extensions/neovim"
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
	name := a.getenv("NVIM_APPNAME")
	if name == "" {
		name = "nvim"
	}
	data := a.getenv("XDG_DATA_HOME")
	switch {
	case runtime.GOOS == "windows":
		name += "-data"
		if data == "" {
			data = a.getenv("LOCALAPPDATA")
		}
	case data == "" && a.getenv("HOME") != "":
		data = filepath.Join(a.getenv("HOME"), ".local", "share")
	}
	if !filepath.IsAbs(data) {
		return "", errors.New("the data directory of Neovim is unknown; name the directory of the plugin with --dir")
	}
	return filepath.Join(data, name, "site", "pack", "mcp-editord", "start", "mcp-editord.nvim"), nil
}

// install puts plugin at i.Path, in place of what install put there before. At every moment i.Path
// holds the old plugin, nothing, or the new one; never a part of one.
func (i *installed) install(plugin fs.FS) error {
	there, err := i.look()
	if err != nil {
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
	fresh, old := filepath.Join(work, "new"), filepath.Join(work, "old")
	if err := i.write(fresh, plugin); err != nil {
		return fmt.Errorf("installing the plugin: %w", err)
	}
	i.Action = "installed"
	if there {
		i.Action = "replaced"
		if err := os.Rename(i.Path, old); err != nil {
			return fmt.Errorf("moving the old plugin aside: %w", err)
		}
	}
	if err := os.Rename(fresh, i.Path); err != nil {
		err = fmt.Errorf("moving the plugin into place: %w", err)
		if there {
			err = errors.Join(err, os.Rename(old, i.Path))
		}
		return err
	}
	return nil
}

// remove removes what install put at i.Path.
func (i *installed) remove() error {
	i.Action = "removed"
	there, err := i.look()
	if err != nil {
		return err
	}
	if !there {
		i.Action = "absent"
		return nil
	}
	if err := os.RemoveAll(i.Path); err != nil {
		return fmt.Errorf("removing the plugin: %w", err)
	}
	return nil
}

// look reports whether something is at i.Path. It fails if that is not from install.
func (i *installed) look() (bool, error) {
	info, err := os.Lstat(i.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking for the plugin: %w", err)
	}
	mark, err := os.ReadFile(filepath.Join(i.Path, installMark))
	if err != nil || !info.IsDir() {
		return false, fmt.Errorf("%q was not installed by mcp-editord; move it away, or name another directory with --dir", i.Path)
	}
	i.Before = string(mark)
	return true, nil
}

// write writes the plugin and the mark that it is ours.
func (i *installed) write(dir string, plugin fs.FS) error {
	if err := os.CopyFS(dir, plugin); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, installMark), []byte(i.Version), 0o644)
}
