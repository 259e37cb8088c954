package workspaceserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of a search.
const (
	maxQuery      = 1000    // characters
	maxSearched   = 2 << 20 // bytes of one file; larger files are skipped
	maxLine       = 300     // bytes of a line in a result
	binaryPrefix  = 8000    // bytes in which a NUL makes a file binary, as in git
	progressEvery = 100 * time.Millisecond
)

type searchInput struct {
	Query      string `json:"query" jsonschema:"the text to find, in one line"`
	Regexp     bool   `json:"regexp,omitempty" jsonschema:"the query is a regular expression (RE2 syntax)"`
	IgnoreCase bool   `json:"ignoreCase,omitempty" jsonschema:"ignore the difference between upper and lower case"`
	Include    string `json:"include,omitempty" jsonschema:"the files to search: part of a path, or a glob; all when empty"`
	Limit      int    `json:"limit,omitempty" jsonschema:"the maximum number of matching lines to return"`
}

type searchOutput struct {
	Matches   []match `json:"matches" jsonschema:"ordered by root, then by name, then by line"`
	Files     int     `json:"files" jsonschema:"the number of files searched"`
	Truncated bool    `json:"truncated" jsonschema:"there may be more: the search reached the limit, or the workspace is too large to search completely"`
}

// match is a matching line.
type match struct {
	File   string `json:"file" jsonschema:"absolute path"`
	Line   int    `json:"line" jsonschema:"from 1"`
	Column int    `json:"column" jsonschema:"the start of the first match in the line, in bytes from 1"`
	Text   string `json:"text" jsonschema:"the line, or the part around the match when it is long"`
}

func searchTool() *mcp.Tool {
	return &mcp.Tool{
		Name:  "search_text",
		Title: "Search text",
		Description: fmt.Sprintf("Finds the lines in workspace files that contain a text or match a regular expression. "+
			"A pattern can narrow the files. %s %s It also skips binary files and files over %d MiB. It cuts lines to %d bytes.",
			patternRules, skipped, maxSearched>>20, maxLine),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(false)},
		InputSchema: schema[searchInput](func(p map[string]*jsonschema.Schema) {
			p["query"].MinLength = new(1)
			limitLength(p["query"], maxQuery)
			limitLength(p["include"], maxPattern)
			bounded(p["limit"], 1, maxResults, defaultResults)
		}),
	}
}

func (s *server) searchText(ctx context.Context, req *mcp.CallToolRequest, in searchInput) (*mcp.CallToolResult, searchOutput, error) {
	out := searchOutput{Matches: []match{}}
	w, ask, err := s.workspace(ctx, req, req.Params.InputResponses)
	if err != nil || ask != nil {
		return question(ask), out, err
	}
	query, err := compileQuery(in)
	if err != nil {
		return nil, out, err
	}
	included, err := newPattern(in.Include)
	if err != nil {
		return nil, out, fmt.Errorf("include: %w", err)
	}
	token, told := req.Params.GetProgressToken(), time.Time{}
	complete, err := s.walk(ctx, w, func(f file) bool {
		if !included(f.rel) {
			return true
		}
		data, err := f.read(maxSearched)
		if err != nil || bytes.IndexByte(data[:min(len(data), binaryPrefix)], 0) >= 0 {
			return true
		}
		out.Files++
		if token != nil && time.Since(told) >= progressEvery {
			told = time.Now()
			// If this fails, the client has gone, and its call is cancelled anyway.
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: float64(out.Files),
				Message: fmt.Sprintf("Searched %d files, %d lines found", out.Files, len(out.Matches)),
			})
		}
		var more bool
		out.Matches, more = appendMatches(out.Matches, query, f.path, data, in.Limit)
		out.Truncated = !more
		return more
	})
	if err != nil {
		return nil, out, fmt.Errorf("searching: %w", err)
	}
	out.Truncated = out.Truncated || !complete

	var b strings.Builder
	for _, m := range out.Matches {
		fmt.Fprintf(&b, "%s:%d:%d: %s\n", printable(m.File), m.Line, m.Column, m.Text)
	}
	return textResult(b.String(), "No line matches.", out.Truncated), out, nil
}

func compileQuery(in searchInput) (*regexp.Regexp, error) {
	if strings.ContainsAny(in.Query, "\r\n") {
		return nil, errors.New("the query contains a line break; search for one line at a time")
	}
	expr := in.Query
	if !in.Regexp {
		expr = regexp.QuoteMeta(expr)
	}
	if in.IgnoreCase {
		expr = "(?i:" + expr + ")"
	}
	query, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("the query is not a regular expression in RE2 syntax: %w", err)
	}
	return query, nil
}

// appendMatches appends the matching lines of data. It returns false when there
// are more than limit.
func appendMatches(to []match, query *regexp.Regexp, path string, data []byte, limit int) (_ []match, more bool) {
	line := 0
	for text := range bytes.Lines(data) {
		line++
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
		at := query.FindIndex(text)
		if at == nil {
			continue
		}
		if len(to) == limit {
			return to, false
		}
		to = append(to, match{File: path, Line: line, Column: at[0] + 1, Text: excerpt(text, at[0])})
	}
	return to, true
}

// excerpt returns at most maxLine bytes of a line, as valid UTF-8. From a longer line it takes
// the bytes around at.
func excerpt(line []byte, at int) string {
	if len(line) > maxLine {
		start := max(0, min(at-maxLine/4, len(line)-maxLine))
		line = line[start:min(start+maxLine, len(line))]
		line = bytes.TrimFunc(line, func(r rune) bool { return r == utf8.RuneError }) // runes that are cut
	}
	return string(bytes.ToValidUTF8(line, []byte("?")))
}
