package workspaceserver

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/safeopen"
	"github.com/mcp-editord/mcp-editord/internal/wording"
)

// Why a file is not read, beside [safeopen.ErrNotRegular].
var (
	errOutside  = errors.New("it is not inside the roots of the workspace")
	errTooLarge = fmt.Errorf("it is larger than the limit of %s", wording.Size(maxResource))
)

// folder is one root of the client.
type folder struct {
	uri     string // as the client spells it
	name    string
	path    string // canonical
	problem string // why the server does not serve it, as a sentence; "" when it does
}

// workspace is the roots of the client as the disk had them when a request came.
type workspace struct {
	folders []folder // all of them, in the client's order
	served  []folder // the folders without a problem
}

// newWorkspace makes a workspace from the roots that the client lists.
func newWorkspace(list []*mcp.Root) *workspace {
	w := &workspace{}
	for _, root := range list {
		if root == nil { // null is valid JSON, and the SDK lets it pass
			continue
		}
		f := folder{uri: root.URI, name: root.Name}
		if path, err := fileuri.ToPath(root.URI); err != nil {
			f.problem = fmt.Sprintf("Its URI cannot be used: %v.", err)
		} else {
			f.path = fileuri.Canonical(path)
			f.problem = w.problem(f.path)
			f.name = cmp.Or(f.name, filepath.Base(f.path))
		}
		w.folders = append(w.folders, f)
		if f.problem == "" {
			w.served = append(w.served, f)
		}
	}
	return w
}

// problem says why the server cannot serve the folder at path beside the others; "" when it can.
func (w *workspace) problem(path string) string {
	if info, err := os.Stat(path); err != nil {
		return "It cannot be found."
	} else if !info.IsDir() {
		return "It is not a directory."
	}
	if slices.ContainsFunc(w.served, func(f folder) bool { return f.path == path }) {
		return "It is listed twice."
	}
	return ""
}

// open opens the file at path, in any spelling. When no root contains the path, it fails with
// errOutside, whether there is such a file or not.
func (w *workspace) open(path string) (*os.File, error) {
	path = fileuri.Canonical(path)
	for _, f := range w.served {
		rel, err := filepath.Rel(f.path, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		root, err := os.OpenRoot(f.path)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return root.OpenFile(rel, safeopen.Flags, 0)
	}
	return nil, errOutside
}

// read returns the bytes of the regular file at path. It fails with errOutside,
// [safeopen.ErrNotRegular], errTooLarge when there are more than limit bytes, or the
// error of the disk.
func (w *workspace) read(path string, limit int64) ([]byte, error) {
	f, err := w.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readRegular(f, limit)
}

// readRegular returns all of f; see [workspace.read] for its errors.
func readRegular(f *os.File, limit int64) ([]byte, error) {
	if err := safeopen.Regular(f); err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Size() > limit {
		return nil, errTooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1)) // it may grow meanwhile
	if err == nil && int64(len(data)) > limit {
		err = errTooLarge
	}
	return data, err
}

// locate returns the absolute path for a path as the user writes it. A relative path
// means the first root that has it. When none has it, reading the returned path says why.
func (w *workspace) locate(path string) (string, error) {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path, nil
	}
	if len(w.served) == 0 {
		return "", errors.New("the workspace has no folders")
	}
	for _, f := range w.served {
		joined := filepath.Join(f.path, path)
		if file, err := w.open(joined); err == nil {
			file.Close()
			return joined, nil
		}
	}
	return filepath.Join(w.served[0].path, path), nil
}
