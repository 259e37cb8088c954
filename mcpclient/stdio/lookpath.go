package stdio

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// LookPath finds the program of a command the way a shell in dir with the
// environment env would: a name with a slash is taken from dir, any other is
// looked up in the PATH of env. Entries of PATH that are not absolute are passed
// over, so that a workspace cannot put a program in the way. The path returned
// is absolute if dir is. The error is a [wire.Error] of [wire.KindSpawn].
func LookPath(command, dir string, env []string) (string, error) {
	if command == "" {
		return "", wire.Errorf(wire.KindSpawn, "", "the server has no command; give it one")
	}
	if strings.ContainsRune(command, filepath.Separator) || strings.ContainsRune(command, '/') {
		path := command
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, command)
		}
		found, err := exec.LookPath(path)
		if err != nil {
			return "", wire.Errorf(wire.KindSpawn, command, "the command \"%s\" cannot be run: \"%s\" is %s", command, path, whyNot(path))
		}
		return found, nil
	}
	var path string
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			path = value // the last one counts, as for os/exec
		}
	}
	var refused string // the first one that is there and cannot be run
	folders := 0
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue
		}
		folders++
		candidate := filepath.Join(folder, command)
		if found, err := exec.LookPath(candidate); err == nil {
			return found, nil
		}
		if _, err := os.Stat(candidate); err == nil && refused == "" {
			refused = candidate
		}
	}
	where := fmt.Sprintf("PATH (%d folders)", folders)
	if refused != "" {
		return "", wire.Errorf(wire.KindSpawn, command, "the command \"%s\" cannot be run: \"%s\" is %s, and there is no other in %s",
			command, refused, whyNot(refused), where)
	}
	return "", wire.Errorf(wire.KindSpawn, command, "the command \"%s\" was not found in %s; install it, or see the folders with mcp-editord doctor", command, where)
}

// whyNot says why the file at path is not a program.
func whyNot(path string) string {
	switch info, err := os.Stat(path); {
	case os.IsNotExist(err):
		return "not there"
	case err != nil:
		return fmt.Sprintf("out of reach (%v)", err)
	case info.IsDir():
		return "a folder"
	default:
		return "not executable"
	}
}
