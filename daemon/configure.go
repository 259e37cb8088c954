package daemon

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/editfile"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// This file changes configuration files for a person, who asked for just that.

// RemoveServer implements [editorapi.Attachment].
func (e *editor) RemoveServer(ctx context.Context, p editorapi.ServerParams) (editorapi.ConfigPlace, error) {
	return e.edited(ctx, p.Server, "remove a server", config.RemoveServer(p.Server))
}

// EnableServer implements [editorapi.Attachment].
func (e *editor) EnableServer(ctx context.Context, p editorapi.EnableServerParams) (editorapi.ConfigPlace, error) {
	return e.edited(ctx, p.Server, "enable or disable a server", config.EnableServer(p.Server, p.Enabled))
}

// edited changes the file that defines a server. what is what the editor asks for.
func (e *editor) edited(ctx context.Context, server, what string, change config.Edit) (editorapi.ConfigPlace, error) {
	e.Used()
	if err := e.needsPerson(server, what); err != nil {
		return editorapi.ConfigPlace{}, err
	}
	place, err := e.ConfigPlace(ctx, editorapi.ConfigPlaceParams{Server: server})
	if err != nil {
		return editorapi.ConfigPlace{}, err
	}
	if err := e.change(ctx, place.URI, change); err != nil {
		return editorapi.ConfigPlace{}, err
	}
	return e.placeIn(place.URI, server)
}

// ConfigPlace implements [editorapi.Attachment].
func (e *editor) ConfigPlace(_ context.Context, p editorapi.ConfigPlaceParams) (editorapi.ConfigPlace, error) {
	if p.Server == "" {
		return editorapi.ConfigPlace{URI: e.d.store.User().Source.URI}, nil
	}
	e.d.mu.Lock()
	def, _, err := e.definition(p.Server)
	e.d.mu.Unlock()
	switch {
	case err != nil:
		return editorapi.ConfigPlace{}, err
	case def.Source.URI == config.SourceBuiltin:
		return editorapi.ConfigPlace{}, invalid(p.Server, "server", "server %q is built in, and no file defines it; it goes when you add another server", p.Server)
	case def.Source.URI == config.SourceEditor:
		return editorapi.ConfigPlace{}, invalid(p.Server, "server", "server %q is in the settings of %s; change it there", p.Server, e.called())
	}
	return e.placeIn(def.Source.URI, p.Server)
}

// placeIn returns where a file, as it is on the disk now, has a server.
func (e *editor) placeIn(uri, server string) (editorapi.ConfigPlace, error) {
	place := editorapi.ConfigPlace{URI: uri}
	source, text, err := e.readConfig(uri)
	if err != nil {
		return place, err
	}
	file := config.ParseFile(text.Content, source)
	if i := slices.IndexFunc(file.Servers, func(def config.Definition) bool { return def.Name == server }); i >= 0 {
		lines, key := textdoc.New(string(text.Content)), file.Places[i].Key
		place.Range = &editorapi.Range{Start: editorapi.Position(lines.Position(key.Start + 1)), End: editorapi.Position(lines.Position(key.End - 1))}
	}
	return place, nil
}

// readConfig reads a configuration file of e, which need not be there.
func (e *editor) readConfig(uri string) (config.Source, editfile.File, error) {
	path, err := fileuri.ToPath(uri)
	if err != nil {
		return config.Source{}, editfile.File{}, invalid("", "file", "%q is not the URI of a file", uri)
	}
	var source config.Source
	if known, _ := e.configOnDisk(uri); known != nil {
		source = known.Source
	} else if folder := filepath.Dir(path); e.hasFolder(folder) && filepath.Base(path) == projectFile {
		source = config.Source{URI: uri, Folder: folder}
	} else {
		return source, editfile.File{}, invalid("", "file", "%s is not a configuration file of this editor", path)
	}
	var text editfile.File
	if !endsIn(patience, func() { text, err = editfile.ReadFile(path) }) {
		return source, editfile.File{}, changeFailed(noAnswer(path))
	}
	if err != nil {
		return source, text, changeFailed(err)
	}
	return source, text, nil
}

// noAnswer is the error for a file on a disk that does not answer.
func noAnswer(path string) error {
	return fmt.Errorf("the disk of %s does not answer; look at the file before you try again", path)
}

// projectFile is the configuration file of a folder that gets servers.
const projectFile = ".mcp.json"

func (e *editor) hasFolder(path string) bool {
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	return slices.Contains(e.named, path)
}

// change changes a configuration file as it is on the disk now, keeps a copy of the old one, and waits until the
// change counts. Two changes at once come one after the other.
func (e *editor) change(ctx context.Context, uri string, change config.Edit) error {
	e.d.configuring.Lock()
	defer e.d.configuring.Unlock()
	source, text, err := e.readConfig(uri)
	if err != nil {
		return err
	}
	after, err := change(text.Content)
	if err != nil {
		return changeFailed(fmt.Errorf("%s cannot be changed: %w; mend it first", fileuri.Shown(source.URI), err))
	}
	if bytes.Equal(after, text.Content) {
		return nil
	}
	backups := editfile.Backups(filepath.Join(e.d.opts.Paths.StateDir, "backups"))
	if !endsIn(patience, func() { _, err = text.Replace(backups, "mcp-editord", after) }) {
		return changeFailed(noAnswer(fileuri.Shown(source.URI)))
	}
	if err != nil {
		return changeFailed(err)
	}
	e.d.mu.Lock()
	for _, w := range e.files {
		w.Reread()
	}
	e.d.mu.Unlock()
	e.catchUp(ctx)
	return nil
}

// changeFailed is the error for a file that is not changed.
func changeFailed(err error) error {
	return &editorapi.Error{Kind: editorapi.KindInvalidParams, Detail: "file", Message: err.Error()}
}
