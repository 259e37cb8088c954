package workspaceserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// Bounds of resources.
const (
	maxResource  = 1 << 20 // bytes of one resource
	maxTopListed = 100     // resources in the list
	maxEntries   = 10_000  // entries of a directory to look at for a listing or a completion
)

// The template for all files in the roots.
const (
	fileScheme       = "file:///"
	templateVariable = "path"
	templateURI      = fileScheme + "{+" + templateVariable + "}"
)

// topNames are the files at the top of a root that the server lists as resources, in
// any case and with any extension.
var topNames = []string{
	"AGENTS", "ARCHITECTURE", "CHANGELOG", "CHANGES", "CODE_OF_CONDUCT", "CONTRIBUTING", "COPYING",
	"LICENCE", "LICENSE", "NOTICE", "README", "SECURITY",
}

// addTemplate offers every file in the roots; listing them all would be too much.
func (s *server) addTemplate() {
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		Name:        "file",
		Title:       "File",
		Description: fmt.Sprintf("A file in the workspace, by its absolute path without the first slash. At most %d MiB.", maxResource>>20),
		URITemplate: templateURI,
	}, s.readResource)
}

func (s *server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	w, ask, err := s.workspace(ctx, req, req.Params.InputResponses)
	if err != nil {
		return nil, err
	}
	if ask != nil {
		return &mcp.ReadResourceResult{InputRequests: ask}, nil
	}
	path, err := fileuri.ToPath(req.Params.URI)
	if err != nil {
		return nil, invalidParams("%q cannot be read: %v", req.Params.URI, err)
	}
	contents, err := w.contents(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	if err != nil {
		return nil, err
	}
	contents.URI = req.Params.URI
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
}

// topResources lists the files that say what the roots are about.
func (s *server) topResources(ctx context.Context, req *mcp.ListResourcesRequest) ([]*mcp.Resource, error) {
	w, _, err := s.workspace(ctx, req, nil)
	if err != nil {
		return nil, err
	}
	list := []*mcp.Resource{}
	for _, f := range w.served {
		d, err := safeopen.Folder(f.path)
		if err != nil {
			continue
		}
		for _, e := range entriesOf(d, maxEntries) {
			name := strings.ToUpper(strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())))
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() || !slices.Contains(topNames, name) {
				continue
			}
			if len(list) == maxTopListed {
				return list, nil
			}
			list = append(list, &mcp.Resource{
				URI:      fileuri.FromPath(filepath.Join(f.path, e.Name())),
				Name:     e.Name(),
				Title:    f.name + "/" + e.Name(),
				MIMEType: textType(e.Name()),
				Size:     info.Size(),
			})
		}
	}
	return list, nil
}

// entriesOf returns the entries of an open directory in the order of their names, and at most so many. It closes
// the directory.
func entriesOf(d *os.File, most int) []os.DirEntry {
	defer d.Close()
	entries, _ := d.ReadDir(most) // entries read before an error count
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

// contents reads a file as a resource, as text when it is text. Any error but
// [fs.ErrNotExist] says what is wrong with the path.
func (w *workspace) contents(path string) (*mcp.ResourceContents, error) {
	data, err := w.read(path, maxResource)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case errors.Is(err, errOutside), errors.Is(err, errTooLarge), errors.Is(err, safeopen.ErrNotRegular):
		return nil, invalidParams("%q cannot be read: %v", path, err)
	case err != nil:
		return nil, fmt.Errorf("reading %q: %w", path, err)
	}
	c := &mcp.ResourceContents{URI: fileuri.FromPath(path)}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		c.Blob, c.MIMEType = data, blobType(data)
		return c, nil
	}
	c.Text, c.MIMEType = string(data), textType(path)
	if c.Text == "" {
		c.Blob = []byte{} // the SDK leaves out an empty text, and one of the two must be there
	}
	return c, nil
}

// textType returns the MIME type of a text by its extension.
func textType(path string) string {
	t, _, _ := mime.ParseMediaType(mime.TypeByExtension(filepath.Ext(path)))
	switch {
	case strings.HasPrefix(t, "text/"), strings.HasSuffix(t, "+xml"), strings.HasSuffix(t, "+json"),
		t == "application/json", t == "application/xml", t == "application/javascript":
		return t
	}
	return "text/plain" // the table means some binary format with the same extension
}

// blobType returns the MIME type of a file that is not text in UTF-8.
func blobType(data []byte) string {
	if t := http.DetectContentType(data); !strings.HasPrefix(t, "text/") {
		return t
	}
	return "application/octet-stream"
}
