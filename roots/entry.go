package roots

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.uber.org/zap"
)

const (
	maxAlternatives = 100 // patterns that the braces of one entry may stand for
	maxSegments     = 60  // between the slashes of one pattern, from its first wildcard on
)

const meta = `*?[\`

// entry is one path or glob from a configuration.
type entry struct {
	text     string    // as it is configured
	base     string    // absolute, literal
	segments []segment // the glob below base, without braces; nil for a path
}

// segment is what stands between two slashes of a glob.
type segment struct {
	kind segmentKind
	text string
}

type segmentKind uint8

const (
	literal segmentKind = iota
	wild                // it has *, ?, brackets or backslashes
	deep                // **
)

func (e entry) equal(other entry) bool {
	return e.base == other.base && slices.Equal(e.segments, other.segments)
}

// parse turns a configuration into entries, in groups that are read together: each folder
// by itself, and everything that the configuration lists at once. It logs and leaves out what
// makes no sense.
func parse(c Config, log *zap.Logger) [][]entry {
	var folders []string
	for _, folder := range c.Folders {
		if !filepath.IsAbs(folder) {
			log.Warn("a workspace folder is ignored: it is not absolute", zap.String("folder", folder))
			continue
		}
		folders = append(folders, filepath.Clean(folder))
	}
	if c.Entries == nil {
		var groups [][]entry
		for _, folder := range folders { // its name is never a glob
			groups = append(groups, []entry{{text: folder, base: folder}})
		}
		return groups
	}
	var entries []entry
	for _, text := range c.Entries {
		patterns, reason := expand(filepath.ToSlash(text))
		if reason == "" && !filepath.IsAbs(text) && len(folders) == 0 {
			reason = "it is relative, and the workspace has no folder"
		}
		if reason != "" {
			log.Warn("a configured root is ignored", zap.String("entry", text), zap.String("reason", reason))
			continue
		}
		for _, pattern := range patterns {
			e := split(pattern)
			e.text = text
			if len(e.segments) > maxSegments {
				log.Warn("a configured root is ignored", zap.String("entry", text), zap.String("reason", "it has too many slashes"))
				continue
			}
			if !filepath.IsAbs(e.base) {
				e.base = filepath.Join(folders[0], e.base)
			}
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		return nil
	}
	return [][]entry{entries}
}

// split cuts a pattern without braces before its first segment with a meta
// character.
func split(pattern string) entry {
	base, glob := doublestar.SplitPattern(pattern)
	if !strings.ContainsAny(glob, meta) {
		return entry{base: filepath.Join(filepath.FromSlash(base), glob)}
	}
	e := entry{base: filepath.FromSlash(base)}
	for text := range strings.SplitSeq(glob, "/") {
		next := segment{literal, text}
		switch {
		case text == "" || text == ".":
			continue
		case text == "**":
			next.kind = deep
		case strings.ContainsAny(text, meta):
			next.kind = wild
		}
		if next.kind != deep || len(e.segments) == 0 || e.segments[len(e.segments)-1].kind != deep {
			e.segments = append(e.segments, next)
		}
	}
	return e
}

// expand returns the patterns that the braces of pattern stand for, in their order,
// or the reason why it is not a pattern.
func expand(pattern string) (patterns []string, reason string) {
	if pattern == "" {
		return nil, "it is empty"
	}
	if !doublestar.ValidatePattern(pattern) {
		return nil, "a bracket or brace is not closed"
	}
	patterns, ok := alternatives(nil, pattern)
	if !ok {
		return nil, "its braces stand for too many patterns"
	}
	return patterns, ""
}

// alternatives adds to list what the braces of pattern stand for, unless it gets too long.
func alternatives(list []string, pattern string) (longer []string, ok bool) {
	open, commas, end := braces(pattern)
	if end < 0 {
		return append(list, pattern), len(list) < maxAlternatives
	}
	from := open + 1
	for _, to := range append(commas, end) {
		if list, ok = alternatives(list, pattern[:open]+pattern[from:to]+pattern[end+1:]); !ok {
			return nil, false
		}
		from = to + 1
	}
	return list, true
}

// braces finds the first brace of pattern, the commas between its
// alternatives, and its end; end is -1 when there is none.
func braces(pattern string) (open int, commas []int, end int) {
	depth, class := 0, false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '{':
			if depth++; depth == 1 {
				open = i
			}
		case c == ',' && depth == 1:
			commas = append(commas, i)
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				return open, commas, i
			}
		}
	}
	return 0, nil, -1
}
