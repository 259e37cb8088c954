// Package resultfiles puts what is large of a result of MCP into files, and something small in its place: for
// agents, whose model reads a file in parts, and for editors, which open it.
//
// Invariants:
//
//   - What stays of a result stays byte for byte.
//   - A result is changed whole or not at all. When it is not, no file of it is left.
package resultfiles

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/keptfiles"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// smallPart is how many bytes a stand-in has at most: structuredContent that has no more stays.
const smallPart = 2 << 10

// A Policy says which results are large, and what becomes of them.
type Policy struct {
	Dir       string
	Limit     int    // bytes of a result; 0 means that none is large
	MaxMedia  int    // bytes of a picture or sound that stays, however large the result is; 0: they are as everything else
	MaxFiles  int    // of one result; the parts of one that needs more go into one file
	Structure bool   // structuredContent may go into a file, too
	Label     string // see [keptfiles.Kind]
	Plain     bool   // for a program that shows a file as it is: no Markdown, which has links, and JSON has lines

	// StandIn returns the block that stands for a part.
	StandIn func(Part) json.RawMessage
}

// A Part is what went into one file.
type Part struct {
	Block     json.RawMessage // the block of the result, as its server wrote it; nil for structuredContent and for several
	Count     int             // how many blocks are in the file, as a list; 0 for structuredContent
	Path      string
	Size      int64
	MIMEType  string // as the server says, else ""
	Text      string // what is in the file, unless Media
	Media     bool   // the file has what was in base64
	Structure bool   // structuredContent says the same, and is left out
}

// Shrink returns a CallToolResult, GetPromptResult or ReadResourceResult that is over the limit with the largest parts
// of it in files, and in their places what stands for them. It changes only what is complete: a question is one.
//
// With an error, the result is the one that was given, whole.
func Shrink(result json.RawMessage, p Policy) (json.RawMessage, error) {
	kind := rawjson.Get(result, "resultType")
	if p.Limit <= 0 || len(result) <= p.Limit || !rawjson.IsAbsent(kind) && string(kind) != `"complete"` {
		return result, nil
	}
	lists := []string{"content", "messages", "contents"}
	i := slices.IndexFunc(lists, func(name string) bool { return bytes.HasPrefix(rawjson.Get(result, name), []byte{'['}) })
	if i < 0 {
		return result, nil
	}
	items := slices.Collect(rawjson.Elements(rawjson.Get(result, lists[i])))
	structure := json.RawMessage(rawjson.Get(result, "structuredContent"))
	if !p.Structure || len(structure) <= smallPart {
		structure = nil
	}
	s := shrinking{Policy: p, files: keptfiles.Files{Dir: p.Dir}, name: lists[i], items: items, structure: structure}
	large, rest := s.pick()
	if len(large) == 0 && (structure == nil || rest+len(structure) <= p.Limit) {
		return result, nil
	}
	out, err := s.replace(result, large)
	if err == nil && len(out) < len(result) { // else it was hardly over the limit
		return out, nil
	}
	s.files.Remove()
	if err != nil {
		err = fmt.Errorf("a large result stays as it is: %w", err)
	}
	return result, err
}

// shrinking is one result on its way.
type shrinking struct {
	Policy
	files     keptfiles.Files
	name      string          // of the list
	items     [][]byte        // blocks, or messages with one block each
	structure json.RawMessage // structuredContent that may go; nil when it stays
}

// pick returns the indexes of the items that are too large, and how many bytes the others have, without the media that
// have a limit of their own: a picture is no text, and a model that gets a path instead cannot see it. When all
// together are over the limit, the small ones stay as long as they fit into half of it: stand-ins need room too.
func (s *shrinking) pick() (large []int, rest int) {
	var counted []int
	for i, item := range s.items {
		switch {
		case s.MaxMedia == 0 || !slices.Contains([]string{"image", "audio"}, rawjson.String(item, "type")):
			counted = append(counted, i)
			rest += len(item)
		case len(item) > s.MaxMedia:
			large = append(large, i)
		}
	}
	if rest > s.Limit {
		rest = 0
		slices.SortStableFunc(counted, func(a, b int) int { return len(s.items[a]) - len(s.items[b]) })
		for _, i := range counted {
			if rest+len(s.items[i]) > s.Limit/2 {
				large = append(large, i)
			} else {
				rest += len(s.items[i])
			}
		}
	}
	slices.Sort(large)
	return large, rest
}

// replace returns result with stand-ins for the large items, and for structuredContent if that may go.
func (s *shrinking) replace(result json.RawMessage, large []int) (json.RawMessage, error) {
	list := slices.Clone(s.items)
	if len(large) > s.MaxFiles {
		var all [][]byte
		for _, i := range large {
			all, list[i] = append(all, s.items[i]), nil
		}
		part := Part{Count: len(all), Text: string(rawjson.Array(all))}
		if err := s.write(&part, ".json", strings.NewReader(part.Text)); err != nil {
			return nil, err
		}
		list[large[0]], large = s.standIn(large[0], part), nil
	}
	said := false // whether a file has what structuredContent says
	for _, i := range large {
		part, err := s.keep(s.block(i))
		if err != nil {
			return nil, err
		}
		if s.structure != nil && filepath.Ext(part.Path) == ".json" && string(rawjson.Compact([]byte(part.Text))) == string(rawjson.Compact(s.structure)) {
			said, part.Structure = true, true
		}
		list[i] = s.standIn(i, part)
	}
	if s.structure != nil {
		result = rawjson.Delete(result, "structuredContent")
		if part := (Part{Text: string(s.structure)}); !said {
			if err := s.write(&part, ".json", strings.NewReader(part.Text)); err != nil {
				return nil, err
			}
			list = append(list, s.StandIn(part))
		}
	}
	list = slices.DeleteFunc(list, func(item []byte) bool { return item == nil })
	return rawjson.Set(result, s.name, rawjson.Array(list)), nil
}

// block returns the block of an item.
func (s *shrinking) block(i int) json.RawMessage {
	if s.name == "messages" {
		return rawjson.Get(s.items[i], "content")
	}
	return s.items[i]
}

// standIn returns the item that takes the place of one. It keeps whom that was meant for.
func (s *shrinking) standIn(i int, part Part) json.RawMessage {
	b := s.StandIn(part)
	if a := rawjson.Get(part.Block, "annotations"); rawjson.IsObject(a) && len(a) <= smallPart {
		b = rawjson.Set(b, "annotations", a)
	}
	if s.name == "messages" {
		return rawjson.Set(s.items[i], "content", b)
	}
	return b
}

// keep writes what a block has to say to a file. One of an unknown kind is its own JSON.
func (s *shrinking) keep(block json.RawMessage) (Part, error) {
	from := block
	if resource := rawjson.Get(block, "resource"); resource != nil {
		from = resource
	}
	part := Part{Block: block, Count: 1, MIMEType: rawjson.String(from, "mimeType")}
	if text, ok := rawjson.Text(rawjson.Get(from, "text")); ok {
		part.Text = text
		return part, s.write(&part, s.textExtension(part.MIMEType, text), strings.NewReader(text))
	}
	encoded := rawjson.Get(from, "data")
	if encoded == nil {
		encoded = rawjson.Get(from, "blob")
	}
	if data, ok := rawjson.Text(encoded); ok {
		part.Media = true
		err := s.write(&part, cmp.Or(keptfiles.Extension(part.MIMEType), ".bin"), base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
		if wrong := base64.CorruptInputError(0); !errors.As(err, &wrong) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return part, err
		}
	}
	part = Part{Block: block, Count: 1, Text: string(block)}
	return part, s.write(&part, ".json", strings.NewReader(part.Text))
}

// write writes the file of a part.
func (s *shrinking) write(part *Part, extension string, content io.Reader) (err error) {
	if s.Plain && extension == ".json" {
		content = bytes.NewReader(lines([]byte(part.Text)))
	}
	part.Path, part.Size, err = s.files.Write(keptfiles.Kind{Label: s.Label, Extension: extension}, max(len(part.Text), len(part.Block)), content)
	return err
}

// maxLines is how many bytes JSON has at most that gets lines.
const maxLines = 64 << 20

// lines returns JSON with a line for each value, for people. What would become much larger stays as it is.
func lines(b []byte) []byte {
	broken := bytes.Count(b, []byte{','}) + 2*(bytes.Count(b, []byte{'{'})+bytes.Count(b, []byte{'['}))
	more := broken * (2*rawjson.Depth(b) + 1)
	var out bytes.Buffer
	if bytes.IndexByte(b, '\n') >= 0 || more > 4*len(b) || len(b)+more > maxLines || json.Indent(&out, b, "", "  ") != nil {
		return b
	}
	return out.Bytes()
}

// textExtension returns the extension for a text, by its MIME type or else by what it looks like.
func (s *shrinking) textExtension(mimeType, text string) string {
	begin := strings.TrimLeft(text, " \t\r\n")
	e := keptfiles.Extension(mimeType)
	switch {
	case e != "":
	case (strings.HasPrefix(begin, "{") || strings.HasPrefix(begin, "[")) && rawjson.Check([]byte(text)) == nil:
		return ".json"
	case strings.HasPrefix(begin, "# ") || strings.Contains(text, "\n## ") || strings.Contains(text, "\n```"):
		e = ".md"
	}
	if s.Plain && e == ".md" {
		e = ""
	}
	return cmp.Or(e, ".txt")
}
