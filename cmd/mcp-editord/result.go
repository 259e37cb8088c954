package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// toolText shows a CallToolResult to people: its texts, a line for any other content, and the
// structured content if there is no text (MCP 2025-11-25, Tools, Tool Result).
func toolText(result json.RawMessage) string {
	var b strings.Builder
	texts := false
	for content := range rawjson.Elements(rawjson.Get(result, "content")) {
		texts = texts || rawjson.String(content, "type") == "text"
		b.WriteString(contentText(content))
	}
	if structured := rawjson.Get(result, "structuredContent"); structured != nil && !texts {
		var indented bytes.Buffer
		if json.Indent(&indented, structured, "", "  ") == nil {
			b.WriteString(line(safetext.Block(indented.String())))
		}
	}
	return b.String()
}

// promptText shows a GetPromptResult to people.
func promptText(result json.RawMessage) string {
	var b strings.Builder
	for message := range rawjson.Elements(rawjson.Get(result, "messages")) {
		b.WriteString(safetext.Line(rawjson.String(message, "role"), maxCell) + ":\n")
		b.WriteString(line(indent(strings.TrimSuffix(contentText(rawjson.Get(message, "content")), "\n"))))
	}
	return b.String()
}

// contentText shows a ContentBlock to people. It describes content of an unknown type, like content
// that a terminal cannot show.
func contentText(content json.RawMessage) string {
	kind := rawjson.String(content, "type")
	switch kind {
	case "text":
		return line(safetext.Block(rawjson.String(content, "text")))
	case "image", "audio":
		data := rawjson.String(content, "data")
		return described(kind, rawjson.String(content, "mimeType"), bytesText(decodedLen(data)))
	case "resource_link":
		size := ""
		if n, ok := rawjson.Int(content, "size"); ok {
			size = bytesText(n)
		}
		return described("link", rawjson.String(content, "uri"), rawjson.String(content, "mimeType"), size)
	case "resource":
		resource := rawjson.Get(content, "resource")
		size := int64(len(rawjson.String(resource, "text")))
		if blob := rawjson.String(resource, "blob"); blob != "" {
			size = decodedLen(blob)
		}
		return described(kind, rawjson.String(resource, "uri"), rawjson.String(resource, "mimeType"), bytesText(size))
	}
	return described("content of the unknown type "+kind, bytesText(int64(len(content)))+" of JSON")
}

// described returns one line about something that is not shown.
func described(what string, more ...string) string {
	parts := []string{what}
	for _, part := range more {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return "[" + safetext.Line(strings.Join(parts, ", "), math.MaxInt) + "]\n"
}

func bytesText(n int64) string { return fmt.Sprintf("%d bytes", n) }

// decodedLen returns how many bytes a base64 text encodes (RFC 4648, section 4).
func decodedLen(text string) int64 {
	return int64(len(strings.TrimRight(text, "="))) * 6 / 8
}

// line ends a text with a line feed.
func line(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// write writes text to w.
func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}
