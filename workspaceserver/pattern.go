package workspaceserver

import (
	"errors"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds of a pattern. Every group of alternatives multiplies the work of a match.
const (
	maxPattern = 256 // bytes
	maxGroups  = 3
)

// patternRules describes patterns, for the descriptions of the tools.
const patternRules = "A pattern without wildcards matches any part of a path relative to its root, ignoring case. " +
	"A pattern with wildcards (*, ?, [a-z], {a,b}, and ** for any number of directories) is a glob. With a / in it, " +
	"it must match the whole path relative to its root; without a /, it must match the file name."

// newPattern returns a function that reports whether a path, relative to its root
// and with slashes, matches the pattern. See patternRules.
func newPattern(pattern string) (func(rel string) bool, error) {
	if len(pattern) > maxPattern || strings.Count(pattern, "{") > maxGroups {
		return nil, errors.New("the pattern is too long or has too many {} groups; make it simpler")
	}
	if !strings.ContainsAny(pattern, "*?[{") {
		part := strings.ToLower(pattern)
		return func(rel string) bool { return strings.Contains(strings.ToLower(rel), part) }, nil
	}
	if !doublestar.ValidatePattern(pattern) {
		return nil, errors.New("the pattern is not a valid glob; close every [ and {")
	}
	if !strings.Contains(pattern, "/") {
		return func(rel string) bool { return doublestar.MatchUnvalidated(pattern, path.Base(rel)) }, nil
	}
	return func(rel string) bool { return doublestar.MatchUnvalidated(pattern, rel) }, nil
}
