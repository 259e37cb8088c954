package calldoc

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/keptfiles"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/wording"
)

// A Result is what came of a call.
type Result struct {
	Failed bool   // the tool says that it failed, or there was an error
	Text   string // lines that are safe to show; "" or with a line break at its end
}

// The bounds of what a document takes of a result.
const (
	maxResultLines = 200
	maxResultBytes = 16 << 10
	maxKept        = 50  // files of one result
	maxWord        = 300 // characters of a MIME type, a role, a name or a URI beside what it stands for
)

// KeptText is the name of the whole text of a result.
const KeptText = "result.txt"

// Render returns the result of a request of MCP, CallToolResult, GetPromptResult or ReadResourceResult, as text.
//
// keep writes a file that is like name, but unique, and returns its path. It gets what is no text, and, as [KeptText], all of a
// text that is longer than a document takes. Without it nothing is cut, and what is no text is described.
func Render(method string, result json.RawMessage, keep func(name string, data []byte) (path string, err error)) Result {
	r := renderer{keep: keep}
	switch method {
	case Prompt.Method():
		r.prompt(result)
	case Resource.Method():
		r.resources(rawjson.Get(result, "contents"))
	default:
		r.tool(result)
	}
	return Result{Failed: string(rawjson.Get(result, "isError")) == "true", Text: r.bounded(finished(r.b.String()))}
}

// Failure returns an error as a result.
func Failure(err error) Result {
	r := renderer{keep: func(string, []byte) (string, error) { return "", errors.New("it is too long") }}
	return Result{Failed: true, Text: r.bounded(finished(err.Error()))}
}

// A renderer writes results. What it writes of a server need not be safe: [finished] makes it so.
type renderer struct {
	b    strings.Builder
	keep func(name string, data []byte) (path string, err error)
	kept int
}

// line writes text, and a line break if it does not end in one.
func (r *renderer) line(text string) {
	r.b.WriteString(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		r.b.WriteByte('\n')
	}
}

func (r *renderer) prompt(result json.RawMessage) {
	for message := range rawjson.Elements(rawjson.Get(result, "messages")) {
		inner := renderer{keep: r.keep, kept: r.kept}
		inner.content(rawjson.Get(message, "content"))
		r.kept = inner.kept
		r.line(safetext.Line(rawjson.String(message, "role"), maxWord) + ":")
		r.line(indented(inner.b.String()))
	}
}

func indented(text string) string {
	if text = strings.TrimSuffix(text, "\n"); text == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}

// content writes a ContentBlock.
func (r *renderer) content(content json.RawMessage) {
	kind := rawjson.String(content, "type")
	switch kind {
	case "text":
		r.line(rawjson.String(content, "text"))
	case "image", "audio":
		r.binary(kind, "", rawjson.String(content, "mimeType"), rawjson.String(content, "data"))
	case "resource_link":
		r.link(content)
	case "resource":
		r.resource(rawjson.Get(content, "resource"))
	default:
		r.line(described("content of the unknown type "+kind, wording.Size(int64(len(content)))+" of JSON"))
	}
}

func (r *renderer) link(content json.RawMessage) {
	length := ""
	if n, ok := rawjson.Int(content, "size"); ok && n >= 0 {
		length = wording.Size(n)
	}
	name := cmp.Or(rawjson.String(content, "title"), rawjson.String(content, "name"))
	r.line(described(name, rawjson.String(content, "mimeType"), length) + ": " + safetext.Line(rawjson.String(content, "uri"), math.MaxInt))
}

// resources writes what was read. One text alone is written as it is: its URI stands in the call.
func (r *renderer) resources(contents json.RawMessage) {
	all := slices.Collect(rawjson.Elements(contents))
	if len(all) == 1 && rawjson.Get(all[0], "blob") == nil {
		r.line(rawjson.String(all[0], "text"))
		return
	}
	for _, content := range all {
		r.resource(content)
	}
}

// resource writes ResourceContents, with its URI.
func (r *renderer) resource(resource json.RawMessage) {
	uri := rawjson.String(resource, "uri")
	if blob, ok := rawjson.Text(rawjson.Get(resource, "blob")); ok {
		r.binary("resource", uri, rawjson.String(resource, "mimeType"), blob)
		return
	}
	r.line(safetext.Line(uri, math.MaxInt) + ":")
	r.line(rawjson.String(resource, "text"))
}

// binary writes a line about what is no text, and keeps it in a file.
func (r *renderer) binary(kind, uri, mimeType, encoded string) {
	kind = cmp.Or(mimeType, kind)
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		r.line(described(uri, kind, "not valid base64"))
		return
	}
	what := described(uri, kind, wording.Size(int64(len(data))))
	if r.keep == nil {
		r.line(what)
		return
	}
	if r.kept == maxKept {
		r.line(what + fmt.Sprintf(": not kept, after %d other files", maxKept))
		return
	}
	r.kept++
	r.line(what + ": " + r.file(fileName(mimeType), data))
}

// fileName returns the name for a file with data of a MIME type.
func fileName(mimeType string) string {
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(mimeType)), "/")
	if name != "image" && name != "audio" && name != "video" {
		name = "resource"
	}
	return name + cmp.Or(keptfiles.Extension(mimeType), ".bin")
}

// file keeps data in a file, and returns its path, or why there is none.
func (r *renderer) file(name string, data []byte) string {
	path, err := r.keep(name, data)
	if err != nil {
		return safetext.Line("not kept: "+err.Error(), math.MaxInt)
	}
	return safetext.Line(path, math.MaxInt)
}

// described returns one line of parts, without those that are empty.
func described(parts ...string) string {
	var said []string
	for _, part := range parts {
		if part != "" {
			said = append(said, safetext.Line(part, maxWord))
		}
	}
	return strings.Join(said, ", ")
}

// bounded returns as much of a text as a document takes, and where all of it is.
func (r *renderer) bounded(text string) string {
	lines := strings.Count(text, "\n")
	if r.keep == nil || lines <= maxResultLines && len(text) <= maxResultBytes {
		return text
	}
	cut := 0
	for range maxResultLines - 1 {
		i := strings.IndexByte(text[cut:], '\n')
		if i < 0 || cut+i >= maxResultBytes-maxNote {
			break
		}
		cut += i + 1
	}
	head := text[:cut]
	if cut == 0 { // its first line is too long
		cut = maxResultBytes - maxNote
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		head = text[:cut] + "…\n"
	}
	return head + fmt.Sprintf("… all of it, %d lines and %s: %s\n", lines, wording.Size(int64(len(text))), safetext.Line(r.file(KeptText, []byte(text)), maxNote/2))
}

// maxNote is how many bytes the last line of a text that was cut may have.
const maxNote = 2 << 10
