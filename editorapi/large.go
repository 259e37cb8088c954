package editorapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/resultfiles"
)

// Large results, for an editor that asked for files in their place (inlineLimit).

// maxResultFiles is how many files one result has.
const maxResultFiles = 50

// inline reports whether a result goes to the editor as it is.
func (s *session) inline(method string, result json.RawMessage) bool {
	limit := s.client.inlineLimit
	return limit == 0 || len(result) <= limit || !slices.Contains([]string{"tools/call", "prompts/get", "resources/read"}, method)
}

// ending returns what ends r, a request that is passed on. Files are written on a goroutine of their own: the one
// that brings the result reads from the server, and waits for no disk.
func (s *session) ending(r *request, method string, params json.RawMessage) Done {
	return func(result json.RawMessage, err error, c *cork.Cork) {
		// Where there is no memory for a large result, its answer says so.
		if err != nil || s.inline(method, result) || !s.peer.memory.Acquire(len(result)) {
			r.done(result, err, c)
			return
		}
		result = bytes.Clone(result) // it is only lent
		go func() {
			defer s.peer.memory.Release(len(result))
			var small json.RawMessage
			err := s.peer.guard(r.method, func() { small = s.filed(result, params) })
			r.done(small, err, nil)
		}()
	}
}

// filed returns a large result with its largest parts in files, or as it is where they cannot be written. The files
// have the name of what was called or read, in the params.
func (s *session) filed(result, params json.RawMessage) json.RawMessage {
	label := cmp.Or(rawjson.String(params, "name"), path.Base(rawjson.String(params, "uri")))
	result, err := resultfiles.Shrink(result, resultfiles.Policy{
		Dir: s.o.TextDir, Limit: s.client.inlineLimit, MaxFiles: maxResultFiles, Structure: true, Label: label, Plain: true, StandIn: link,
	})
	if err != nil {
		s.peer.log.Warn("a large result could not be put into a file", zap.Error(err))
	}
	return result
}

// link returns the block that stands for a part: MCP's ResourceLink, with a [FileNote].
func link(p resultfiles.Part) json.RawMessage {
	note := FileNote{Part: rawjson.String(p.Block, "type")}
	resource := rawjson.Get(p.Block, "resource")
	switch {
	case p.Count == 0:
		note.Part = "structuredContent"
	case p.Block == nil:
		note.Part = "list"
	case note.Part == "": // ResourceContents have no type
		note.Part, resource = "resource", p.Block
	}
	note.URI = rawjson.String(resource, "uri")
	ours := map[string]string{".json": "application/json", ".txt": "text/plain"}
	mimeType := cmp.Or(p.MIMEType, ours[filepath.Ext(p.Path)])
	b := json.RawMessage(fmt.Appendf(nil, `{"type":"resource_link","uri":%s,"name":%s,"size":%d,"_meta":%s}`,
		rawjson.Quote(fileuri.FromPath(p.Path)), rawjson.Quote(filepath.Base(p.Path)), p.Size, encodeOwn(map[string]FileNote{"mcp-editord/file": note})))
	if mimeType != "" {
		b = rawjson.Set(b, "mimeType", rawjson.Quote(mimeType))
	}
	return b
}
