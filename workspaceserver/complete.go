package workspaceserver

import (
	"context"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// maxCompletions is the number of values that one answer may have (MCP, Completion).
const maxCompletions = 100

// complete answers completion/complete for the paths of the prompt and of the
// resource template, one directory at a time, like a shell.
func (s *server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	w, _, err := s.workspace(ctx, req, nil)
	if err != nil {
		return nil, err
	}
	var values []string
	switch ref, arg := req.Params.Ref, req.Params.Argument; {
	case ref.Type == "ref/prompt" && ref.Name == reviewName && arg.Name == reviewPath:
		values = w.completePath(arg.Value)
	case ref.Type == "ref/resource" && ref.URI == templateURI && arg.Name == templateVariable:
		values = w.completeURI(arg.Value)
	}
	slices.Sort(values)
	values = slices.Compact(values)
	result := mcp.CompletionResultDetails{Values: []string{}, Total: len(values), HasMore: len(values) > maxCompletions}
	result.Values = append(result.Values, values[:min(len(values), maxCompletions)]...)
	return &mcp.CompleteResult{Completion: result}, nil
}

// completePath returns the paths that begin with value. They are absolute, or relative to
// a root, like value.
func (w *workspace) completePath(value string) []string {
	dir, name := filepath.Split(filepath.FromSlash(value))
	if filepath.IsAbs(dir) {
		return w.entries(dir, name)
	}
	var values []string
	for _, f := range w.served {
		for _, p := range w.entries(filepath.Join(f.path, dir)+string(filepath.Separator), name) {
			if rel, ok := strings.CutPrefix(p, f.path+string(filepath.Separator)); ok {
				values = append(values, filepath.ToSlash(rel))
			}
		}
	}
	return values
}

// completeURI returns the values of the template's variable that begin with
// value: URIs without the part of the template before the variable. They are percent-encoded
// already, and the expansion of {+path} keeps that (RFC 6570, 3.2.3).
func (w *workspace) completeURI(value string) []string {
	slash := strings.LastIndexByte(value, '/') + 1
	dir, err := fileuri.ToPath(fileScheme + value[:slash])
	if err != nil {
		return nil
	}
	name, err := url.PathUnescape(value[slash:])
	if err != nil {
		return nil
	}
	var values []string
	for _, p := range w.entries(dir, name) {
		plain, isDir := strings.CutSuffix(p, string(filepath.Separator))
		uri := strings.TrimPrefix(fileuri.FromPath(plain), fileScheme)
		if isDir {
			uri += "/"
		}
		values = append(values, uri)
	}
	return values
}

// entries returns the absolute paths in the directory dir whose names begin with
// name, directories with a separator at the end, and the roots whose paths begin like that.
func (w *workspace) entries(dir, name string) []string {
	const separator = string(filepath.Separator)
	dir = strings.TrimSuffix(filepath.Clean(dir), separator) + separator
	var paths []string
	for _, f := range w.served {
		if strings.HasPrefix(f.path, dir+name) {
			paths = append(paths, f.path+separator)
		}
	}
	d, err := w.open(dir)
	if err != nil {
		return paths
	}
	for _, e := range entriesOf(d, maxEntries) {
		switch {
		case !strings.HasPrefix(e.Name(), name):
		case e.Type().IsRegular():
			paths = append(paths, dir+e.Name())
		case e.IsDir() && !skipDir(e.Name()):
			paths = append(paths, dir+e.Name()+separator)
		}
	}
	return paths
}
