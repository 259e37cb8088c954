package approvaltext

import (
	"math"
	"strconv"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

const (
	textColumns    = 76 // of a line
	maxNameColumns = 40 // of the name of a server in a title
	hanging        = "    "
)

// safe makes a text safe to show and leaves nothing out.
func safe(s string) string { return safetext.Line(s, math.MaxInt) }

// word shows a text so that you can see where it ends: as it is if that is plain, else quoted.
func word(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_./:@%+=-~${}?&#*", r)
	}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return quoted(s)
	}
	return s
}

// quoted shows a text in quotes. In a row of spaces it escapes the third and all that follow, so
// that nothing can be pushed out of sight.
func quoted(s string) string {
	var b strings.Builder
	spaces := 0
	for _, r := range safe(strconv.Quote(s)) {
		if spaces++; r != ' ' {
			spaces = 0
		}
		if spaces > 2 {
			b.WriteString(`\x20`)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// wrap breaks a text without line breaks into lines of at most [textColumns] columns. It indents
// all but the first.
func wrap(s string) []string { return safetext.Wrap(s, textColumns, hanging) }
