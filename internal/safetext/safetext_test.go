package safetext

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// vectors is testdata/vectors.json, which the tests of the plugins read too.
type vectors struct {
	Block []struct{ Name, In, Out string }
	Line  []struct {
		Name, In, Out string
		Max           int
	}
	Escaped [][2]rune // first and last of each range that is escaped when alone
}

func readVectors(t *testing.T) (v vectors) {
	t.Helper()
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Block) == 0 || len(v.Line) == 0 || len(v.Escaped) == 0 {
		t.Fatal("there are no vectors")
	}
	return v
}

// Fault hidden-characters: ANSI, OSC 8, bidi, zero-width and tag characters.
func TestBlock(t *testing.T) {
	cases := readVectors(t).Block
	for _, test := range append(cases, []struct{ Name, In, Out string }{
		{"not UTF-8", "a\xff\xc0\xafb", `a\xff\xc0\xafb`},
		{"a surrogate in three bytes", "\xed\xa0\x80", `\xed\xa0\x80`},
	}...) {
		t.Run(test.Name, func(t *testing.T) {
			if got := Block(test.In); got != test.Out {
				t.Errorf("Block(%q) = %q, want %q", test.In, got, test.Out)
			}
		})
	}
}

func TestLine(t *testing.T) {
	for _, test := range readVectors(t).Line {
		t.Run(test.Name, func(t *testing.T) {
			if got := Line(test.In, test.Max); got != test.Out {
				t.Errorf("Line(%q, %d) = %q, want %q", test.In, test.Max, got, test.Out)
			}
		})
	}
}

// The list of escaped characters is complete, so that tests can hold the plugins to it.
func TestEscaped(t *testing.T) {
	var ranges [][2]rune
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) || Line("a"+string(r)+"b", 99) == "a"+string(r)+"b" {
			continue
		}
		if last := len(ranges) - 1; last >= 0 && ranges[last][1] == r-1 {
			ranges[last][1] = r
		} else {
			ranges = append(ranges, [2]rune{r, r})
		}
	}
	if want := readVectors(t).Escaped; !slices.Equal(ranges, want) {
		t.Errorf("escaped are\n%x\nwant\n%x", ranges, want)
	}
}

func TestShellWord(t *testing.T) {
	tests := []struct{ in, want string }{
		{"/run/user/1000/mcp-editord", "/run/user/1000/mcp-editord"},
		{"/a b", "'/a b'"},
		{"/a'b", `'/a'\''b'`},
		{"/$(x)", "'/$(x)'"},
		{"/\u00e9", "'/\u00e9'"},
		{"", "''"},
		{"a;rm -rf ~", "'a;rm -rf ~'"},
		{"a\u202eb", `'a\u{202e}b'`}, // it no longer names anything, but it shows what it is
	}
	for _, test := range tests {
		if got := ShellWord(test.in); got != test.want {
			t.Errorf("%q: got %s, want %s", test.in, got, test.want)
		}
	}
}

func FuzzSafe(f *testing.F) {
	for _, s := range []string{"plain", "\x1b]8;;x\x07", "a\u202eb", "\U000e0041", "\xff\xfe", "e\u0301\u200d", "line\nline\ttab\r", "1\ufe0f\u20e3\u26a0\ufe0f\ufe0f"} {
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

// check fails when text has what it must not have, judged independently of [harmful].
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
			r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x2800, r == 0x34f,
			r == 0x2028, r == 0x2029:
			t.Errorf("%q has %U", s, r)
		}
	}
}
