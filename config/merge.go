package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// builtinName is the name of the built-in server.
const builtinName = "workspace"

// runs returns d with the command of the built-in server: the daemon's own executable, run as
// `executable workspace-server`. The arguments of d follow.
func (d Definition) runs(executable string) Definition {
	d.Command = executable
	d.Args = append([]string{"workspace-server"}, d.Args...)
	return d
}

// Merge returns what applies to one editor: the user's file, the servers that the editor
// sent, and the files of its folders in their order. Any of them may be nil.
//
// The first definition of a name wins, but one that another client runs ([File.RunBy]) loses to any
// that the daemon runs. The "defaults" of the
// user's file apply to all. An entry "workspace" without command and url is the built-in server
// with the keys that the entry sets. It belongs to its file, so one in a
// workspace file needs approval like any other. The built-in server itself is not in the result: see
// [Set.KeepBuiltin]. Merge leaves out servers of folders when there are
// too many; the servers of the user and of the editor come first and always stay.
func Merge(executable string, user, editor *File, folders []*File) *Set {
	var defaults settings
	if user != nil {
		defaults = user.defaults
	}
	builtin := Definition{Name: builtinName, Source: Source{URI: SourceBuiltin, Trusted: true}, Transport: Stdio, Enabled: true}
	set := &Set{builtin: builtin.runs(executable).complete(defaults), broken: map[string]Problem{}}
	taken := map[string]int{} // by name: the index in set.Servers
	var ours, theirs allotted // those that other clients run take no room from those that the daemon runs
	for _, file := range append([]*File{user, editor}, folders...) {
		if file == nil {
			continue
		}
		set.Problems = append(set.Problems, file.Problems...)
		if file.Broken && len(file.Problems) > 0 {
			set.broken[file.Source.URI] = file.Problems[0]
		}
		set.Inputs = append(set.Inputs, file.Inputs...)
		for _, d := range file.Servers {
			if d.Source.Folder != "" {
				of := &ours
				if d.RunBy != "" {
					of = &theirs
				}
				if !of.add(d) {
					set.Problems = append(set.Problems, Problem{
						URI: file.Source.URI, Severity: severityError,
						Message: fmt.Sprintf("server %s and all servers after it are ignored: the folders of the workspace have more than %d servers or 512 KiB of them", quote(d.Name), maxWorkspace),
					})
					break
				}
			}
			builtin := d.Transport == Stdio && d.Command == ""
			if builtin {
				d = d.runs(executable)
			}
			if builtin || defaults != file.defaults { // else it is complete already
				d = d.complete(defaults)
			}
			i, is := taken[d.Name]
			switch {
			case !is:
				taken[d.Name] = len(set.Servers)
				set.Servers = append(set.Servers, d)
			case set.Servers[i].RunBy != "" && d.RunBy == "":
				set.Shadowed = append(set.Shadowed, set.Servers[i])
				set.Servers[i] = d
			default:
				set.Shadowed = append(set.Shadowed, d)
			}
		}
	}
	return set
}

// KeepBuiltin puts the built-in server before all others, unless something replaces it: a server of
// the user's or of the editor's, or one of a workspace file that allowed reports to be allowed. A server that another
// client runs replaces nothing. One named "workspace" takes the name, allowed or not.
func (s *Set) KeepBuiltin(allowed func(Definition) bool) {
	replaced := slices.ContainsFunc(s.Servers, func(d Definition) bool {
		return d.Name == builtinName || d.RunBy == "" && (d.Source.Folder == "" || allowed(d))
	})
	if !replaced {
		s.Servers = slices.Insert(s.Servers, 0, s.builtin)
	}
}

// allotted counts the servers of workspace files.
type allotted struct{ number, size int }

// add counts d, and reports whether there is room for it.
func (a *allotted) add(d Definition) bool {
	a.number, a.size = a.number+1, a.size+d.size
	return a.number <= maxWorkspace && a.size <= maxWorkspaceServer
}

// RunBy returns f as an editor has it whose own MCP client runs the servers of f: the daemon does
// not. f itself stays as it is.
func (f *File) RunBy(client string) *File {
	theirs := *f
	theirs.Servers = slices.Clone(f.Servers)
	for i := range theirs.Servers {
		theirs.Servers[i].RunBy = client
	}
	return &theirs
}

// Path returns the path of the file in its workspace folder, with slashes; "" for a file of none.
func (s Source) Path() string {
	path, _ := strings.CutPrefix(s.URI, strings.TrimSuffix(fileuri.FromPath(s.Folder), "/")+"/")
	if s.Folder == "" || path == s.URI {
		return ""
	}
	return path
}

// Outdated returns why a definition may not be what its file says now, in a sentence that a person can act on; nil when
// it is.
func (s *Set) Outdated(def Definition) []string {
	p, broken := s.broken[def.Source.URI]
	if !broken {
		return nil
	}
	return []string{fmt.Sprintf("it is as its file was before that broke; mend %s: %s", p.Place(), p.Message)}
}
