package daemon

import (
	"path/filepath"
	"slices"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// ConfigFile implements [editorapi.Attachment]. It reads text as if it were saved, beside the other files
// as they are on the disk, and compares what comes of that with what the editor has.
func (e *editor) ConfigFile(uri, text string) (editorapi.ConfigFile, bool) {
	path, err := fileuri.ToPath(uri)
	if err != nil || e.agent != nil {
		return editorapi.ConfigFile{}, false
	}
	uri = fileuri.FromPath(path)
	disk, linked := e.configOnDisk(uri)
	if disk == nil {
		return editorapi.ConfigFile{}, false
	}
	file := config.ParseFile([]byte(text), disk.Source)
	own := disk.Source.Folder == ""
	result := editorapi.ConfigFile{Own: own, Schema: config.Schema(own)}
	used := file
	if file.Broken { // somebody is typing
		used = disk
	}
	result.Environment = used.Takes()
	for _, input := range used.Inputs {
		result.Inputs = append(result.Inputs, input.ID)
	}
	set, _, _, _ := e.setWith(file)
	for _, p := range set.Problems {
		if p.URI != uri {
			continue
		}
		severity := textdoc.Warning
		if p.Severity == "error" {
			severity = textdoc.Error
		}
		result.Problems = append(result.Problems, textdoc.Problem{Span: p.Span, Severity: severity, Message: p.Message})
	}

	shown, saved := map[string]config.Definition{}, disk.Is(text)
	for _, def := range set.Servers {
		shown[def.Name] = def
	}
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	known := map[string]config.Definition{}
	for _, def := range e.set.Servers {
		known[def.Name] = def
	}
	for i, place := range file.Places {
		server := editorapi.ConfigServer{Name: file.Servers[i].Name, Key: place.Key, Entry: place.Entry}
		written, now := shown[server.Name], known[server.Name]
		if written.Source.URI != uri {
			server.Instead = written.Source.URI
		} else if now.Source.URI == uri {
			view := e.d.view(e, now)
			server.Server, server.Approval = &view, view.Approval
			server.Saved = saved && written.Digest == now.Digest && written.Asks == now.Asks
			server.Apart = file.Repeats || linked || len(written.InputIDs()) > 0
		}
		result.Servers = append(result.Servers, server)
	}
	return result, true
}

// configOnDisk returns a configuration file of e as it is on the disk, and whether it is a symbolic link; nil
// when e has no such file. One that is not there has no servers.
func (e *editor) configOnDisk(uri string) (file *config.File, linked bool) {
	if user := e.d.store.User(); user.Source.URI == uri {
		return user, user.Source.Resolved != ""
	}
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	for _, w := range e.files {
		if file = w.File(uri); file != nil {
			resolved := file.Source.Resolved
			return file, resolved != "" && resolved != filepath.Join(w.Real(), filepath.FromSlash(file.Source.Path()))
		}
	}
	return nil, false
}

// setWith returns what would apply to e if file were on the disk as it is; nil for what does apply. It also returns what
// [editor.workspace] does.
func (e *editor) setWith(file *config.File) (set *config.Set, folders, real []string, files []*config.File) {
	folders, real, files = e.workspace()
	user := e.d.store.User()
	if file != nil && file.Source.URI == user.Source.URI {
		user = file
	} else if file != nil {
		theirs := e.ofOwnClient(file)
		same := func(f *config.File) bool { return f.Source.URI == file.Source.URI }
		if i := slices.IndexFunc(files, same); i >= 0 {
			files[i] = theirs
		} else { // not there yet, or of a folder that has another name
			files = append(files, theirs)
		}
	}
	set = config.Merge(e.d.exe, user, e.own, files)
	if len(folders) > 0 {
		set.In(folders[0], real[0])
	}
	return set, folders, real, files
}
