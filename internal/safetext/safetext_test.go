package safetext

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Row 60 of the faults: ANSI, OSC 8, bidi, zero-width and tag characters.
func TestBlock(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"plain text stays", "Grüße, 世界 — ok", "Grüße, 世界 — ok"},
		{"lines and tabs stay", "a\n\tb", "a\n\tb"},
		{"carriage return", "safe\rrm -rf", `safe\rrm -rf`},
		{"ANSI colour", "\x1b[31mred", `\u{1b}[31mred`},
		{"OSC 8 link", "\x1b]8;;http://x\x07y", `\u{1b}]8;;http://x\u{7}y`},
		{"C1 control sequence introducer", "a\u009b31m", `a\u{9b}31m`},
		{"delete", "a\x7f", `a\u{7f}`},
		{"right-to-left override", "a\u202egnp.exe", `a\u{202e}gnp.exe`},
		{"isolates", "\u2066a\u2069", `\u{2066}a\u{2069}`},
		{"Arabic letter mark", "\u061ca", `\u{61c}a`},
		{"zero-width space and joiners", "a\u200bb\u200cc\u200dd\u2060", `a\u{200b}b\u{200c}c\u{200d}d\u{2060}`},
		{"byte order mark", "\ufeffa", `\u{feff}a`},
		{"tag characters", "a\U000e0041\U000e007f", `a\u{e0041}\u{e007f}`},
		{"unassigned in the tag block", "\U000e0002", `\u{e0002}`},
		{"variation selectors that hide bytes", "a\ufe01\U000e0100", `a\u{fe01}\u{e0100}`},
		{"coloured form of a sign", "\u26a0\ufe0f", "\u26a0\ufe0f"},
		{"Hangul filler", "a\u3164b", `a\u{3164}b`},
		{"soft hyphen", "pass\u00adword", `pass\u{ad}word`},
		{"line separator", "a\u2028b", `a\u{2028}b`},
		{"visible Arabic number sign", "\u0600", "\u0600"},
		{"not UTF-8", "a\xff\xc0\xafb", `a\xff\xc0\xafb`},
		{"a surrogate in three bytes", "\xed\xa0\x80", `\xed\xa0\x80`},
		{"the replacement character itself", "\ufffd", "\ufffd"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Block(test.in); got != test.want {
				t.Errorf("Block(%q) = %q, want %q", test.in, got, test.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		max  int
		want string
	}{
		{"short", "abc", 10, "abc"},
		{"exactly as long as allowed", "abc", 3, "abc"},
		{"one too long", "abcd", 3, "ab…"},
		{"characters count, not bytes", "äöüß", 3, "äö…"},
		{"line breaks and tabs show", "a\nb\tc\r\nd", 20, `a\nb\tc\r\nd`},
		{"an escape counts as what it shows", "ab\x1b", 6, `ab\u{…`},
		{"room for the ellipsis only", "abc", 1, "…"},
		{"no room", "abc", 0, ""},
		{"empty", "", 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Line(test.in, test.max); got != test.want {
				t.Errorf("Line(%q, %d) = %q, want %q", test.in, test.max, got, test.want)
			}
		})
	}
}

func FuzzSafe(f *testing.F) {
	for _, s := range []string{"plain", "\x1b]8;;x\x07", "a\u202eb", "\U000e0041", "\xff\xfe", "e\u0301\u200d", "line\nline\ttab\r"} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, s string, max int) {
		block, line := Block(s), Line(s, max)
		if n := utf8.RuneCountInString(line); n > max && n > 0 {
			t.Errorf("Line(%q, %d) has %d characters", s, max, n)
		}
		check(t, strings.NewReplacer("\n", "", "\t", "").Replace(block))
		check(t, line)
		if Block(block) != block {
			t.Errorf("Block of %q is not a fixed point", block)
		}
	})
}

// check says independently of [harmful] what must not be there.
func check(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%q is not UTF-8", s)
	}
	for _, r := range s {
		switch {
		case unicode.IsControl(r),
			r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x61c,
			r >= 0x200b && r <= 0x200d, r == 0x2060, r == 0xfeff, r == 0x00ad,
			r >= 0xe0000 && r <= 0xe0fff,
			r >= 0xfe00 && r < 0xfe0f,
			r == 0x2028, r == 0x2029:
			t.Errorf("%q has %U", s, r)
		}
	}
}
