package safetext

import (
	"regexp"
	"strings"
)

// settings matches what an editor takes for its own settings when it opens a file: modelines of Vim, Kakoune and Kate, and the
// local variables of Emacs. With them, whoever wrote the text could fold a part of it away, or have the editor
// ask whether it may run something.
var settings = regexp.MustCompile(`(?:(?:^|\s)(?:vi|[vV]im|ex|kak)[<=>]?[-+]?[0-9]*|kate(?:-(?:mimetype|wildcard)\([^)\n]*\))?|(?i:local variables)):|-\*-`)

// HasSettings reports whether an editor may take a part of s for settings.
func HasSettings(s string) bool { return settings.MatchString(s) }

// Inert returns s, a text that an editor will open as a file, with escapes in the place of what makes settings of a
// part of it.
func Inert(s string) string {
	for HasSettings(s) { // twice where two of them overlap
		s = settings.ReplaceAllStringFunc(s, func(found string) string {
			if before, ok := strings.CutSuffix(found, ":"); ok {
				return before + `\u{3a}`
			}
			return `-\u{2a}-`
		})
	}
	return s
}
