package main

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/keptfiles"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

func saveFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "save", "", "write images, audio and files of the result into this folder, and print their paths")
	_ = cmd.MarkFlagDirname("save") // it was just declared
}

// The bounds of what is saved.
const (
	maxSaved    = 100 // files of one result
	maxSaveName = 100 // bytes of a name, without its number
)

// save writes what is no text of a result into files, and returns their paths. The server chooses content and names, but
// no file is outside of dir, and none is replaced.
func save(dir string, k calldoc.Kind, result json.RawMessage) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("making the folder for --save: %w", err)
	}
	for _, part := range binaries(k, result) {
		text := cmp.Or(rawjson.String(part, "data"), rawjson.String(part, "blob"))
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil || text == "" {
			continue // the text of the result says so
		}
		if len(paths) == maxSaved {
			return paths, fmt.Errorf("the result has more than %d files; the others were not saved", maxSaved)
		}
		path, err := saveNew(dir, savedName(part), data)
		if err != nil {
			return paths, fmt.Errorf("saving a file of the result: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// binaries returns the parts of a result that may be no text: MCP's ImageContent, AudioContent and BlobResourceContents.
func binaries(k calldoc.Kind, result json.RawMessage) (parts []json.RawMessage) {
	members := map[calldoc.Kind]string{calldoc.Tool: "content", calldoc.Prompt: "messages", calldoc.Resource: "contents"}
	for part := range rawjson.Elements(rawjson.Get(result, members[k])) {
		for _, member := range []string{"content", "resource"} {
			if inner := rawjson.Get(part, member); inner != nil {
				part = inner
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// savedName returns a name for a part: the last of its URI, else its kind. It is of letters, digits and dots, is no path
// and not hidden.
func savedName(part json.RawMessage) string {
	plain := func(name string) string {
		return strings.Trim(regexp.MustCompile(`[^\w.-]`).ReplaceAllString(name, "_"), "._-")
	}
	mimeType := rawjson.String(part, "mimeType")
	kind, _, _ := strings.Cut(mimeType, "/")
	last := ""
	if uri, err := url.Parse(rawjson.String(part, "uri")); err == nil {
		last = path.Base("/" + cmp.Or(uri.Path, uri.Opaque, uri.Host))
	}
	name := cmp.Or(plain(last), plain(kind), "file")
	name = name[:min(len(name), maxSaveName)]
	if path.Ext(name) == "" {
		name += cmp.Or(keptfiles.Extension(mimeType), ".bin")
	}
	return name
}

// saveNew writes a new file, whose name gets a number where there is one already.
func saveNew(dir, name string, data []byte) (string, error) {
	ext := path.Ext(name)
	file := filepath.Join(dir, name)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) // follows no link
	for n := 2; errors.Is(err, fs.ErrExist); n++ {
		file = filepath.Join(dir, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext))
		f, err = os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	return file, cmp.Or(err, f.Close())
}
