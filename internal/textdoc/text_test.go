package textdoc

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func TestPositions(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		position Position
		offset   int
		clamped  string // what is asked for and not in the text: "position", "offset"
	}{
		"beginning":                {"ab\ncd", Position{0, 0}, 0, ""},
		"second line":              {"ab\ncd", Position{1, 1}, 4, ""},
		"end":                      {"ab\ncd", Position{1, 2}, 5, ""},
		"end of the first line":    {"ab\ncd", Position{0, 2}, 2, ""},
		"after the last \\n":       {"ab\n", Position{1, 0}, 3, ""},
		"before \\r\\n":            {"ab\r\ncd", Position{0, 2}, 2, ""},
		"after \\r\\n":             {"ab\r\ncd", Position{1, 0}, 4, ""},
		"after a lone \\r":         {"ab\rcd", Position{1, 0}, 3, ""},
		"after \\n\\r":             {"a\n\rb", Position{2, 0}, 3, ""},
		"two bytes":                {"äb", Position{0, 1}, 2, ""},
		"after an astral one":      {"a😀b", Position{0, 3}, 5, ""},
		"not UTF-8":                {"a\xff\xe2\x82b", Position{0, 4}, 4, ""},
		"U+2028 is no line end":    {"a\u2028b", Position{0, 2}, 4, ""},
		"behind a line":            {"ab\r\ncd", Position{0, 9}, 2, "position"},
		"behind the last line":     {"ab\r\ncd", Position{7, 0}, 6, "position"},
		"middle of a pair":         {"a😀b", Position{0, 2}, 1, "position"},
		"middle of a pair, at end": {"😀", Position{0, 1}, 0, "position"},
		"negative line":            {"ab", Position{-1, 5}, 0, "position"},
		"negative character":       {"ab\ncd", Position{1, -1}, 3, "position"},
		"before the text":          {"ab", Position{0, 0}, -3, "offset"},
		"behind the text":          {"ab", Position{0, 2}, 9, "offset"},
		"between \\r and \\n":      {"ab\r\ncd", Position{0, 2}, 3, "offset"},
		"inside of a character":    {"a€b", Position{0, 1}, 2, "offset"},
	} {
		t.Run(name, func(t *testing.T) {
			text := New(c.text)
			if got := text.Offset(c.position); c.clamped != "offset" && got != c.offset {
				t.Errorf("Offset(%v) = %d, want %d", c.position, got, c.offset)
			}
			if got := text.Position(c.offset); c.clamped != "position" && got != c.position {
				t.Errorf("Position(%d) = %v, want %v", c.offset, got, c.position)
			}
		})
	}
}

func TestApply(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		change Change
		want   string
		edit   Edit
	}{
		"insert":           {"ab\ncd", Change{Start: Position{1, 1}, End: Position{1, 1}, Text: "x"}, "ab\ncxd", Edit{Span{4, 4}, "x"}},
		"delete":           {"ab\ncd", Change{Start: Position{0, 1}, End: Position{1, 1}}, "ad", Edit{Span{1, 4}, ""}},
		"replace":          {"a😀b", Change{Start: Position{0, 1}, End: Position{0, 3}, Text: "ü"}, "aüb", Edit{Span{1, 5}, "ü"}},
		"CRLF stays":       {"a\r\nb\r\n", Change{Start: Position{1, 0}, End: Position{1, 0}, Text: "x\r\n"}, "a\r\nx\r\nb\r\n", Edit{Span{3, 3}, "x\r\n"}},
		"to the line end":  {"ab\r\ncd", Change{Start: Position{0, 1}, End: Position{0, 99}, Text: "x"}, "ax\r\ncd", Edit{Span{1, 2}, "x"}},
		"whole":            {"a\nb\nc", Change{Whole: true, Text: "a\nB\nc"}, "a\nB\nc", Edit{Span{2, 3}, "B"}},
		"whole, the same":  {"abc", Change{Whole: true, Text: "abc"}, "abc", Edit{Span{3, 3}, ""}},
		"whole of nothing": {"", Change{Whole: true, Text: "abc"}, "abc", Edit{Span{0, 0}, "abc"}},
		"line after last":  {"a\nb", Change{Start: Position{0, 0}, End: Position{2, 0}, Text: "x\n"}, "x\n", Edit{Span{0, 3}, "x\n"}},
		"repeated":         {"aaaa", Change{Start: Position{0, 1}, End: Position{0, 2}}, "aaa", Edit{Span{1, 2}, ""}},

		"refused: end before start":     {"ab\ncd", Change{Start: Position{1, 1}, End: Position{0, 0}}, "ab\ncd", Edit{}},
		"refused: both behind the line": {"ab\ncd", Change{Start: Position{0, 90}, End: Position{0, 80}}, "ab\ncd", Edit{}},
		"refused: line behind the text": {"ab\ncd", Change{Start: Position{0, 0}, End: Position{3, 0}}, "ab\ncd", Edit{}},
		"refused: far behind the text":  {"ab\ncd", Change{Start: Position{2, 1}, End: Position{2, 1}}, "ab\ncd", Edit{}},
		"refused: before the text":      {"ab\ncd", Change{Start: Position{0, -1}, End: Position{0, 0}}, "ab\ncd", Edit{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, edit, ok := New(c.text).Apply(c.change)
			if ok != !strings.HasPrefix(name, "refused") || got.String() != c.want || edit != c.edit {
				t.Errorf("Apply = %q, %+v, %v, want %q, %+v", got.String(), edit, ok, c.want, c.edit)
			}
		})
	}
}

func TestShift(t *testing.T) {
	edit := Edit{Span{10, 12}, "xyz"}
	for name, c := range map[string]struct {
		at    int
		edit  Edit
		moved int
		ok    bool
	}{
		"before":              {9, edit, 9, true},
		"at its start":        {10, edit, 10, false},
		"inside":              {11, edit, 10, false},
		"at its end":          {12, edit, 13, true},
		"behind":              {20, edit, 21, true},
		"inserted at a place": {10, Edit{Span{10, 10}, "xyz"}, 13, true},
	} {
		t.Run(name, func(t *testing.T) {
			if moved, ok := Shift(c.at, c.edit); moved != c.moved || ok != c.ok {
				t.Errorf("Shift = %d, %v, want %d, %v", moved, ok, c.moved, c.ok)
			}
		})
	}
}

// model is Position, from the beginning of the text.
func model(text string, offset int) (p Position) {
	for i := 0; i < offset; {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == '\r' && strings.HasPrefix(text[i:], "\r\n") {
			n = 2
		}
		if i+n > offset {
			return p
		}
		if i += n; r == '\n' || r == '\r' {
			p = Position{p.Line + 1, 0}
		} else {
			p.Character += utf16.RuneLen(r)
		}
	}
	return p
}

func FuzzText(f *testing.F) {
	f.Add("ab\r\ncd\n", "x\ry", 1, 4)
	f.Add("a😀\u2028b\xff\xe2\x82", "ü\n", 2, 3)
	f.Add("\r\n\n\r\r", "\n", 0, 1)
	f.Fuzz(func(t *testing.T, s, insert string, from, to int) {
		text := New(s)
		for at := range len(s) + 1 {
			p := text.Position(at)
			if want := model(s, at); p != want {
				t.Fatalf("Position(%d) of %q = %v, want %v", at, s, p, want)
			}
			back := text.Offset(p)
			if back > at || text.Position(back) != p {
				t.Fatalf("Offset(%v) of %q = %d, from %d", p, s, back, at)
			}
		}
		start, end := text.Position(from), text.Position(to)
		if start.after(end) {
			start, end = end, start
		}
		after, edit, ok := text.Apply(Change{Start: start, End: end, Text: insert})
		if !ok {
			t.Fatalf("%v to %v is not in %q", start, end, s)
		}
		if want := s[:text.Offset(start)] + insert + s[text.Offset(end):]; after.String() != want {
			t.Fatalf("Apply(%v, %v, %q) to %q = %q, want %q", start, end, insert, s, after.String(), want)
		}
		if again := s[:edit.Start] + edit.Text + s[edit.End:]; again != after.String() {
			t.Fatalf("%+v makes %q of %q, want %q", edit, again, s, after.String())
		}
	})
}
