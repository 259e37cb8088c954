package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/agentconfig"
	"github.com/mcp-editord/mcp-editord/internal/candidate"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// allPrograms stands for every program.
const allPrograms = "all"

// imported returns the servers of other programs. Of two that are the same, the first counts; another one of a name gets
// the name of its program too. The problems say what could not be read or converted.
func (e *editor) imported(from string) ([]candidate.Server, []string, error) {
	var found []candidate.Server
	var problems []string
	var err error
	if !endsIn(importPatience, func() { found, problems, err = e.readPrograms(from) }) {
		return nil, nil, changeFailed(noAnswer(from))
	}
	return found, problems, err
}

// importPatience is how long the disk may take for the files of all programs.
const importPatience = 10 * time.Second

func (e *editor) readPrograms(from string) (found []candidate.Server, problems []string, err error) {
	sources, err := e.sources(from)
	if err != nil {
		return nil, nil, err
	}
	read := 0
	for _, s := range sources {
		servers, err := s.Read()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			problems = append(problems, safetext.Line(err.Error(), maxShownLine))
			continue
		}
		read++
		var inputs []candidate.Input
		if listed, err := json.Marshal(servers.Inputs); err == nil {
			err = json.Unmarshal(listed, &inputs) // those that are not as VS Code has them are left out
			if err != nil {
				problems = append(problems, safetext.Line(fmt.Sprintf("%s: its inputs cannot be read: %v", s.Path, err), maxShownLine))
			}
		}
		for _, name := range servers.Names {
			c, err := candidate.FromEntry(name, servers.Entries[name], inputs)
			if err != nil {
				problems = append(problems, safetext.Line(fmt.Sprintf("%s: server %q is left out: %v", s.Path, name, err), maxShownLine))
				continue
			}
			c.From = s.Path
			if s.Title != "" {
				c.From = s.Title + ", " + s.Path
			}
			same := func(other candidate.Server) bool { return other.Name == c.Name }
			if i := slices.IndexFunc(found, same); i >= 0 {
				if string(found[i].Definition) == string(c.Definition) {
					continue
				}
				if c.Name += "-" + s.Program; slices.ContainsFunc(found, same) {
					problems = append(problems, safetext.Line(fmt.Sprintf("%s: server %q is left out: there are two others of that name; import it with --from", s.Path, name), maxShownLine))
					continue
				}
			}
			found = append(found, c)
		}
	}
	if read == 0 && len(problems) == 0 {
		return nil, nil, invalid("", "from", "there is no file with servers of %s", from)
	}
	return found, problems, nil
}

// sources returns where the servers of a program are, or of all of them, or the file at a path.
func (e *editor) sources(from string) ([]agentconfig.Source, error) {
	e.d.mu.Lock()
	folder := strings.Join(firstOf(e.named), "")
	e.d.mu.Unlock()
	all := agentconfig.Sources(folder)
	if from == allPrograms {
		return all, nil
	}
	of := slices.DeleteFunc(slices.Clone(all), func(s agentconfig.Source) bool { return s.Program != from })
	if len(of) > 0 {
		return of, nil
	}
	if filepath.IsAbs(from) {
		if s, ok := agentconfig.SourceAt(from); ok {
			return []agentconfig.Source{s}, nil
		}
		return nil, invalid("", "from", "%s has no servers", from)
	}
	var names []string
	for _, s := range all {
		if !slices.Contains(names, s.Program) {
			names = append(names, s.Program)
		}
	}
	return nil, invalid("", "from", "%q is not a program that is known; name one of %s, all, or the path of a file", from, strings.Join(names, ", "))
}
