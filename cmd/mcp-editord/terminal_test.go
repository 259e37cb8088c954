package main

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// While a terminal hides what is typed, the keys that correct a line still do.
func TestReadTyped(t *testing.T) {
	tests := []struct {
		name, typed string
		want        []string // the lines; the input ends after them
	}{
		{"lines", "a\n\nb\n", []string{"a", "", "b"}},
		{"no end of the line", "a", []string{"a"}},
		{"erase", "ab\x7fc\b\bx\n", []string{"x"}},
		{"erase more than there is", "a\x7f\x7fb\n", []string{"b"}},
		{"erase a character of several bytes", "aé\x7fb\n", []string{"ab"}},
		{"erase the line", "abc\x15d\n", []string{"d"}},
		{"Ctrl-D", "\x04a\n", nil},
		{"Ctrl-D before the prompt", "\x00a\n", nil},
		{"Ctrl-D within a line", "a\x04b\n", []string{"ab"}},
		{"Ctrl-D on a line that was erased", "a\x7f\x04b\n", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			terminal := newTerminal(nil, strings.NewReader(test.typed))
			for _, want := range test.want {
				got, err := terminal.readTyped()
				if got != want || err != nil && !errors.Is(err, io.EOF) {
					t.Errorf("got %q, %v, want %q", got, err, want)
				}
			}
			if got, err := terminal.readTyped(); got != "" || !errors.Is(err, io.EOF) {
				t.Errorf("at the end got %q, %v", got, err)
			}
		})
	}
}
