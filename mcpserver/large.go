package mcpserver

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/keptfiles"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// DefaultResultLimit is how many bytes of a result an agent gets: about 25,000 tokens, which is where
// Claude Code refuses a result. A file that the model reads in parts costs it less.
const DefaultResultLimit = 100_000

const (
	smallPart = 2 << 10 // bytes: a pointer to a file is no shorter
	maxFiles  = 8       // of one result; the blocks of one that needs more go into one file
	maxMedia  = 5 << 20 // bytes of a picture or sound that the agent gets: models take no more
)

// shrink returns a result whose text is over limit bytes with that text in files of the folder dir, and
// in its place where it is and what it looks like; limit 0 means never. It changes only a CallToolResult
// that is complete: a resource is read by its bytes, and a question is one. It leaves structuredContent,
// since the agent may have been told of a schema for it; [target.shrink] knows.
//
// With an error, the result is the one that was given, whole.
func shrink(result json.RawMessage, limit int, dir string) (json.RawMessage, error) {
	return shrinkResult(result, limit, dir, true)
}

// shrink is [shrink] for a result of the tool t. When the agent was told of no outputSchema,
// structuredContent goes into a file too. Else it stays, however large it is: a tool with a schema must
// return what follows it (MCP 2025-11-25, Tools, Output Schema), and clients fail the call otherwise.
// An error follows no schema.
func (t target) shrink(result json.RawMessage, limit int, dir string) (json.RawMessage, error) {
	return shrinkResult(result, limit, dir, t.promised && string(rawjson.Get(result, "isError")) != "true")
}

func shrinkResult(result json.RawMessage, limit int, dir string, promised bool) (json.RawMessage, error) {
	kind := rawjson.Get(result, "resultType")
	if limit <= 0 || len(result) <= limit || !rawjson.IsAbsent(kind) && string(kind) != `"complete"` {
		return result, nil
	}
	var blocks []json.RawMessage
	if json.Unmarshal(rawjson.Get(result, "content"), &blocks) != nil {
		return result, nil
	}
	structure := json.RawMessage(rawjson.Get(result, "structuredContent"))
	if promised || len(structure) <= smallPart {
		structure = nil
	}
	large, text := pick(blocks, limit)
	if len(large) == 0 && (structure == nil || text+len(structure) <= limit) {
		return result, nil
	}
	f := &keptfiles.Files{Dir: dir}
	out, err := replace(f, result, blocks, large, structure)
	if err == nil && len(out) >= len(result) {
		f.Remove() // it was hardly over the limit
		return result, nil
	}
	if err != nil {
		f.Remove()
		return result, fmt.Errorf("a large result stays as it is: %w", err)
	}
	return out, nil
}

// pick returns the indexes of the blocks that are too large, and how many bytes of the others are text.
// When all together are over the limit, the small ones stay as long as they fit into half of it: pointers
// need room too. A picture is no text, and a model that gets a path instead cannot see it.
func pick(blocks []json.RawMessage, limit int) (large []int, text int) {
	var texts []int
	for i, block := range blocks {
		switch {
		case !isMedia(block):
			texts = append(texts, i)
			text += len(block)
		case len(block) > maxMedia:
			large = append(large, i)
		}
	}
	if text > limit {
		text = 0
		slices.SortStableFunc(texts, func(a, b int) int { return len(blocks[a]) - len(blocks[b]) })
		for _, i := range texts {
			if text+len(blocks[i]) > limit/2 {
				large = append(large, i)
			} else {
				text += len(blocks[i])
			}
		}
	}
	slices.Sort(large)
	return large, text
}

func isMedia(block json.RawMessage) bool {
	kind := rawjson.String(block, "type")
	return kind == "image" || kind == "audio"
}

// replace returns result with pointers in place of the large blocks and of structure, which may be nil.
func replace(f *keptfiles.Files, result json.RawMessage, blocks []json.RawMessage, large []int, structure json.RawMessage) (json.RawMessage, error) {
	kept := map[int]json.RawMessage{} // the new blocks by their index
	said := false                     // whether a file has what structure says
	if len(large) > maxFiles {
		var all []json.RawMessage
		for _, i := range large {
			all = append(all, blocks[i])
		}
		pointer, err := pointTo(f, fmt.Sprintf("%d parts of this result are", len(all)), piece{extension: ".json", content: join(all)}, "")
		if err != nil {
			return nil, err
		}
		kept[large[0]] = textBlock(pointer)
	} else {
		for _, i := range large {
			p := pieceOf(blocks[i])
			note := ""
			if structure != nil && p.extension == ".json" && string(rawjson.Compact(p.content)) == string(rawjson.Compact(structure)) {
				said, note = true, "The structuredContent says the same and is left out.\n"
			}
			pointer, err := pointTo(f, "A part of this result is", p, note)
			if err != nil {
				return nil, err
			}
			kept[i] = pointerBlock(blocks[i], pointer)
		}
	}
	gone := map[int]bool{}
	for _, i := range large {
		gone[i] = true
	}
	var content []json.RawMessage
	for i, block := range blocks {
		if replacement := kept[i]; replacement != nil {
			content = append(content, replacement)
		} else if !gone[i] {
			content = append(content, block)
		}
	}
	if structure != nil && !said {
		pointer, err := pointTo(f, "The structuredContent of this result is", piece{extension: ".json", content: structure}, "")
		if err != nil {
			return nil, err
		}
		content = append(content, textBlock(pointer))
	}
	if structure != nil {
		result = rawjson.Delete(result, "structuredContent")
	}
	return rawjson.Set(result, "content", join(content)), nil
}

// join returns an array.
func join(elements []json.RawMessage) json.RawMessage {
	b := []byte{'['}
	for i, element := range elements {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, element...)
	}
	return append(b, ']')
}

func textBlock(text string) json.RawMessage {
	return fmt.Appendf(nil, `{"type":"text","text":%s}`, rawjson.Quote(text))
}

// pointerBlock returns the block that stands for another. It keeps whom that was meant for.
func pointerBlock(block json.RawMessage, text string) json.RawMessage {
	b := textBlock(text)
	if a := rawjson.Get(block, "annotations"); rawjson.IsObject(a) && len(a) <= smallPart {
		b = rawjson.Set(b, "annotations", a)
	}
	return b
}

// A piece is what goes into a file.
type piece struct {
	extension string // with its dot
	content   []byte
	media     string // its MIME type, as the server says, when it is no text
}

// pieceOf returns what a block has to say. One of an unknown kind is its own JSON.
func pieceOf(block json.RawMessage) piece {
	from, mimeType := block, rawjson.String(block, "mimeType")
	if resource := rawjson.Get(block, "resource"); resource != nil {
		from, mimeType = resource, rawjson.String(resource, "mimeType")
	}
	if text, ok := rawjson.Text(rawjson.Get(from, "text")); ok {
		return piece{extension: textExtension(mimeType, text), content: []byte(text)}
	}
	encoded := rawjson.Get(from, "data")
	if encoded == nil {
		encoded = rawjson.Get(from, "blob")
	}
	if data, ok := rawjson.Text(encoded); ok {
		if content, err := base64.StdEncoding.DecodeString(data); err == nil {
			return piece{cmp.Or(keptfiles.Extension(mimeType), ".bin"), content, cmp.Or(mimeType, "application/octet-stream")}
		}
	}
	return piece{extension: ".json", content: block}
}

// pointTo writes a file and returns the text that stands for it.
func pointTo(f *keptfiles.Files, what string, p piece, note string) (string, error) {
	path, err := f.Write(keptfiles.Kind{Extension: p.extension}, p.content)
	if err != nil {
		return "", err
	}
	kind := count(countLines(string(p.content)), "line")
	if p.media != "" {
		kind = safetext.Line(p.media, maxMIMEType)
	}
	text := fmt.Sprintf("%s too large to show: %s, %s. All of it is in this file:\n%s\n%s", what, count(len(p.content), "byte"), kind, path, note)
	switch {
	case p.media != "":
	case rawjson.Check(p.content) == nil:
		text += "It is JSON of this shape:\n" + shape(p.content) + "\n"
	default:
		text += "It begins with these lines:\n" + firstLines(string(p.content)) + "\n"
	}
	return text, nil
}

// textExtension returns the extension for a text, by its MIME type or else by what it looks like.
func textExtension(mimeType, text string) string {
	if e := keptfiles.Extension(mimeType); e != "" {
		return e
	}
	begin := strings.TrimLeft(text, " \t\r\n")
	switch {
	case (strings.HasPrefix(begin, "{") || strings.HasPrefix(begin, "[")) && rawjson.Check([]byte(text)) == nil:
		return ".json"
	case strings.HasPrefix(begin, "# ") || strings.Contains(text, "\n## ") || strings.Contains(text, "\n```"):
		return ".md"
	}
	return ".txt"
}

// countLines counts the last one, too, when it has no end.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

const (
	maxMIMEType   = 60 // characters
	maxFirstLines = 8
	maxFirstLine  = 160 // characters
)

// firstLines returns the beginning of a text.
func firstLines(s string) string {
	var b []string
	for line := range strings.Lines(s) {
		if len(b) == maxFirstLines {
			b = append(b, "…")
			break
		}
		b = append(b, safetext.Line(strings.TrimRight(line, "\r\n"), maxFirstLine))
	}
	return strings.Join(b, "\n")
}
