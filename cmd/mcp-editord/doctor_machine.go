package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/ipc"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// This file has the checks that need no daemon.

// machine checks the program and the places of the daemon. It makes none of them.
func (x *checkup) machine(ctx context.Context) {
	program, _ := os.Executable()
	x.OK("program", x.version+", "+program)

	const open = "others could read your secrets, or decide what runs"
	if _, err := os.Lstat(x.paths.StateDir); errors.Is(err, fs.ErrNotExist) {
		x.OK("state", x.paths.StateDir+", not there yet")
	} else if err := ipc.EnsureStateDir(x.paths.StateDir); err != nil {
		x.Fail("state", err.Error(), open, "")
	} else {
		x.OK("state", x.paths.StateDir)
	}

	conn, err := ipc.Dial(ctx, x.paths)
	_, there := os.Lstat(x.paths.Socket)
	switch {
	case err == nil:
		conn.Close()
		x.OK("socket", conn.RemoteAddr().String())
	case errors.Is(err, ipc.ErrNotRunning) && there == nil:
		x.Warn("socket", x.paths.Socket+" is that of a daemon that was killed",
			"servers of it may be left until the next daemon ends them", "mcp-editord start")
	case errors.Is(err, ipc.ErrNotRunning):
		x.OK("socket", x.paths.Socket+", no daemon ran")
	default:
		x.Fail("socket", err.Error(), "your editors cannot reach the daemon", "")
	}

	switch info, err := os.Stat(x.paths.Config); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		x.Fail("file", err.Error(), "your servers are not known", "")
	case info.Mode().Perm()&0o022 != 0:
		x.Warn("file", fmt.Sprintf("others may write to %s, which has mode %04o", x.paths.Config, info.Mode().Perm()),
			open, "chmod go-w "+safetext.ShellWord(x.paths.Config))
	default:
		x.OK("file", x.paths.Config)
	}
}

// launchers are programs that start servers, by themselves or for others.
var launchers = []struct {
	name     string
	programs []string // that need it
	args     []string // that print its version
	least    [2]int   // the first version that servers can be expected to run with
	site     string   // has it
}{
	{"node", []string{"node", "npx", "npm", "pnpm", "yarn"}, []string{"--version"}, [2]int{18, 0}, "https://nodejs.org"},
	{"uv", []string{"uv", "uvx"}, []string{"--version"}, [2]int{0, 4}, "https://docs.astral.sh/uv"},
	{"docker", []string{"docker"}, []string{"version", "--format", "{{.Server.Version}}"}, [2]int{20, 10}, "https://docs.docker.com/engine"},
}

// launcherPatience is how long a launcher may take to say its version.
const launcherPatience = 5 * time.Second

// launch checks the launchers that programs need, or all that are there where it is not known which programs are used.
func (x *checkup) launch(ctx context.Context, programs []string, known bool) {
	for _, l := range launchers {
		needed := slices.ContainsFunc(programs, func(p string) bool { return slices.Contains(l.programs, p) })
		path, err := exec.LookPath(l.name)
		there := err == nil && filepath.IsAbs(path)
		if known && !needed || !known && !there {
			continue
		}
		if !there {
			x.Warn(l.name, l.name+" is not in your PATH",
				"servers that start with it do not run from here", "install it from "+l.site)
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, launcherPatience)
		said, err := exec.CommandContext(ctx, path, l.args...).CombinedOutput()
		cancel()
		version, old := versionIn(string(said), l.least)
		switch {
		case err != nil || version == "":
			x.Warn(l.name, fmt.Sprintf("%s does not say its version: %.200q", path, firstLine(string(said))),
				"servers that start with it may not run", "repair or start "+l.name)
		case old:
			x.Warn(l.name, fmt.Sprintf("%s is version %s, older than %d.%d", path, version, l.least[0], l.least[1]),
				"servers of today may not run with it", "install a newer one from "+l.site)
		default:
			x.OK(l.name, version+", "+path)
		}
	}
}

// versionIn returns the first version in a text, "" for none, and whether it comes before least.
func versionIn(text string, least [2]int) (version string, old bool) {
	version = regexp.MustCompile(`\d+\.\d+(\.\d+)*`).FindString(text)
	var is [2]int
	_, _ = fmt.Sscanf(version, "%d.%d", &is[0], &is[1]) // a number that is too large is not old
	return version, slices.Compare(is[:], least[:]) < 0
}
