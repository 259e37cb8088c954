// Package safetext makes text that somebody else wrote harmless to show: in a
// terminal, a message box or a list.
//
// Characters that nobody can see, or that change how you read the text around them, become
// visible escapes, such as \u{202e}: control characters and with them ANSI and OSC
// sequences, characters that change the direction of text, characters that show
// nothing (zero-width, fillers, blanks, tags, variation selectors), and bytes that are not
// UTF-8. Any space that takes up room stays.
//
// Invariants of the results of [Line] and [Block]:
//
//   - The text is valid UTF-8 and has none of the characters above, with one exception: one
//     U+FE0F after a sign, which asks for the sign's coloured form.
//   - Line has no line break; Block has no control characters but \n and \t.
//
// The plugins have the same rules. testdata/vectors.json has texts and their outcome for the
// tests of all three, and the list of all escaped characters.
package safetext

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s as one line of at most max characters; a longer one ends in "…".
func Line(s string, max int) string {
	if max < 1 {
		return ""
	}
	if len(s) <= max && isPlain(s) {
		return s
	}
	var b strings.Builder
	length, last := 0, 0 // last: the start of the last character that fits
	for piece := range pieces(s, "") {
		for _, r := range piece {
			if length == max {
				return strings.TrimSuffix(b.String()[:last], "\ufe0f") + "…"
			}
			last = b.Len()
			b.WriteRune(r)
			length++
		}
	}
	return b.String()
}

// isPlain reports whether s has nothing but visible ASCII and spaces, as most text does.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Block returns s with its lines and tabs as they are.
func Block(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for piece := range pieces(s, "\n\t") {
		b.WriteString(piece)
	}
	return b.String()
}

// ShellWord returns s as one word of a POSIX shell, for a command to copy.
func ShellWord(s string) string {
	special := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+,@%", r))
	}
	if s == "" || strings.ContainsFunc(s, special) {
		s = "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return Line(s, math.MaxInt)
}

// pieces yields the characters of s, each as it is or as its escape. It never escapes those in
// keep.
func pieces(s, keep string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		before := rune(-1)
		for len(s) > 0 {
			r, n := utf8.DecodeRuneInString(s)
			piece := s[:n]
			switch {
			case r == utf8.RuneError && n == 1:
				piece = fmt.Sprintf(`\x%02x`, s[0])
			case strings.ContainsRune(keep, r) || !Harmful(r) || r == colour && takesColour(before, s[n:]):
			case r == '\n':
				piece = `\n`
			case r == '\t':
				piece = `\t`
			case r == '\r':
				piece = `\r`
			default:
				piece = fmt.Sprintf(`\u{%x}`, r)
			}
			if !yield(piece) {
				return
			}
			s, before = s[n:], r
		}
	}
}

// Harmful reports whether r is a control character or shows nothing.
func Harmful(r rune) bool {
	switch {
	case r < 0x20 || r >= 0x7f && r < 0xa0: // C0, DEL, C1
		return true
	case r < 0xa0:
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // visible format characters of Arabic and others
		return false
	}
	return blank(r) || unicode.In(r,
		unicode.Cf, // bidi controls, zero-width characters, tags, soft hyphen, byte order mark
		unicode.Zl, unicode.Zp,
		unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, // with Cf and the selectors: all that Unicode lets fonts leave out
		unicode.Noncharacter_Code_Point)
}

// blank reports whether Unicode counts r among letters and signs, although it looks like
// nothing: in Braille, hieroglyphs, Khitan and music.
func blank(r rune) bool {
	switch r {
	case 0x2800, 0x13441, 0x13442, 0x16fe4, 0x1d159:
		return true
	}
	return false
}

// colour asks for the coloured form of the character before it.
const colour = 0xfe0f

// takesColour reports whether before has a coloured form: it is in a block of signs and
// pictures, or a digit that is a keycap. Elsewhere colour would only be one more
// character that nobody sees, and different names would look the same.
func takesColour(before rune, after string) bool {
	switch {
	case before >= '0' && before <= '9', before == '#', before == '*':
		return strings.HasPrefix(after, "\u20e3")
	case before == 0xa9, before == 0xae, before == 0x203c, before == 0x2049,
		before >= 0x2100 && before <= 0x27ff, before >= 0x2900 && before <= 0x2bff,
		before == 0x3030, before == 0x303d, before == 0x3297, before == 0x3299,
		before >= 0x1f000 && before <= 0x1faff:
		return true
	}
	return false
}
