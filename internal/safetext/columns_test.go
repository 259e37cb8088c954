package safetext

import (
	"slices"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"ten signs.", []string{"ten signs."}},
		{"one two three four", []string{"one two ", "  three ", "  four"}},
		{"a/path/without/spaces", []string{"a/path/wit", "  hout/spa", "  ces"}},
		{"世界世界世界世界", []string{"世界世界世", "  界世界"}},
		{"e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", []string{"e\u0301e\u0301e\u0301e\u0301e\u0301", "  e\u0301"}},
	} {
		got := Wrap(test.text, 10, "  ")
		if !slices.Equal(got, test.want) {
			t.Errorf("%q is wrapped as %q, want %q", test.text, got, test.want)
		}
		for _, line := range got {
			if Columns(line) > 10 {
				t.Errorf("%q has %d columns", line, Columns(line))
			}
		}
	}
}
