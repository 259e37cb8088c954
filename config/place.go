package config

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// Where returns the directory that d, a stdio server, runs in, and its command; it makes a
// relative one absolute. The file decides both: Where puts in only the variables of the
// folder. The folder is the one that the file belongs to, whatever others the
// editor has. For a server of the user's it is the folder that it enters, as [Set.In] has found.
// dir is "" for a directory of the server's own.
func (d Definition) Where() (dir, command string) {
	folder := cmp.Or(d.Source.Folder, d.Enters)
	if dir = under(folder, folder, d.Cwd); dir == "" {
		dir = d.Source.Folder
	}
	command = d.Command
	if strings.ContainsFunc(command, isSeparator) {
		command = under(folder, cmp.Or(dir, folder), command)
	} else {
		command = inFolder(folder, command)
	}
	return dir, command
}

// under makes path, from a file of folder, absolute against dir. A path that begins with
// a variable without a value yet may be absolute, and stays.
func under(folder, dir, path string) string {
	path = inFolder(folder, path)
	switch {
	case path == "" || filepath.IsAbs(path) || strings.HasPrefix(path, "${"):
		return path
	case strings.Contains(path, "${"): // its value may have slashes of its own: nothing to tidy up yet
		return dir + string(filepath.Separator) + path
	}
	return filepath.Join(dir, path)
}

// beside makes path, from the file of d, absolute against the directory of that file, as [under]
// does. Where no file defines d, it stays.
func (d Definition) beside(path string) string {
	file, err := fileuri.ToPath(d.Source.URI)
	if err != nil {
		return path
	}
	return under(d.Source.Folder, filepath.Dir(file), path)
}

// inFolder returns text with the variables of the folder put in. All others stay.
func inFolder(folder, text string) string {
	known := Vars{Folder: folder}
	return expandText(text, func(name string) string {
		if value, ok := known.value(name, nil); ok {
			return value
		}
		return "${" + name + "}"
	})
}

// entersFolder reports whether d, a server that is not from a workspace file, would run in the
// opened folder, or run or read something from it: whether its cwd, command or envFile leads
// there, or a variable of its environment that decides more than what d itself reads. Arguments
// go to a program that the user chose, and are no reason to ask.
func (d Definition) entersFolder() bool {
	if d.Source.Folder != "" || d.Transport != Stdio {
		return false
	}
	if leadsToFolder(d.Cwd) || leadsToFolder(d.EnvFile) || leadsToFolder(d.Command) ||
		relative(d.Cwd) || d.Cwd == "" && relative(d.Command) && strings.ContainsFunc(d.Command, isSeparator) ||
		relative(d.EnvFile) && d.Source.URI == SourceEditor { // in a file, it is relative to the file
		return true
	}
	return len(d.envOfFolder()) > 0
}

// envOfFolder returns the dangerous variables of the environment that lead to the workspace folder.
func (d Definition) envOfFolder() map[string]string {
	of := map[string]string{}
	for name, value := range d.Env {
		if leadsToFolder(value) && dangerous(name) != "" {
			of[name] = value
		}
	}
	return of
}

// relative reports whether path is relative whatever the values of its variables.
func relative(path string) bool {
	return path != "" && !filepath.IsAbs(path) && !strings.HasPrefix(path, "${")
}

// leadsToFolder reports whether text has a variable that is, or may be, the workspace folder.
func leadsToFolder(text string) bool {
	leads := usesFolder(text)
	for _, name := range []string{"PWD", "OLDPWD", "INIT_CWD", "PROJECT_CWD"} {
		leads = leads || strings.Contains(text, "${env:"+name+"}")
	}
	return leads
}

// FollowsFolder reports whether another first workspace folder changes the program that d
// starts, or what it sends to the URL. A definition of a workspace file always keeps to the
// folder of the file.
func (d Definition) FollowsFolder() bool {
	return d.Source.Folder == "" && (d.variables().folder || d.entersFolder())
}

// In notes which servers of the user's enter folder, the first one of the workspace; real is its
// path without symbolic links. Each of these servers needs a decision about that. A set without
// folders needs no call.
func (s *Set) In(folder, real string) {
	for i, d := range s.Servers {
		if d.entersFolder() {
			d.Enters = folder
			d.Asks = d.folderDigest(real)
			s.Servers[i] = d
		}
	}
}

// folderDigest binds the decision about a server that enters a folder: it covers the folder
// and everything by which the server enters it. Add members at the end with omitempty.
func (d Definition) folderDigest(real string) string {
	return hashOf(struct {
		Kind    string            `json:"kind"`
		URI     string            `json:"uri"`
		Name    string            `json:"name"`
		Command string            `json:"command,omitempty"`
		Cwd     string            `json:"cwd,omitempty"`
		EnvFile string            `json:"envFile,omitempty"`
		Env     map[string]string `json:"env,omitempty"`
		Folder  string            `json:"folder"`
	}{"folder", d.Source.URI, d.Name, d.Command, d.Cwd, d.EnvFile, d.envOfFolder(), real})
}
