//go:build linux || darwin

package editors

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// style is how a cell looks. A color is a number of the palette, counted from 1; 0 is the default.
type style struct {
	foreground, background int
	bold, reverse          bool
}

// cell is a character on a screen.
type cell struct {
	style
	text rune
}

// cells returns the screen with its styles, row by row.
func (x *terminal) cells() [][]cell {
	x.w.t.Helper()
	out, err := x.do("capture-pane", "-p", "-e")
	if err != nil {
		x.w.t.Fatalf("capturing the screen: %v\n%s", err, out)
	}
	return parseScreen(out)
}

// parseScreen reads what tmux's `capture-pane -e` prints: text and SGR sequences.
func parseScreen(text string) [][]cell {
	var screen [][]cell
	var now style
	for line := range strings.Lines(text) {
		var row []cell
		for line = strings.TrimSuffix(line, "\n"); line != ""; {
			if sequence, ok := strings.CutPrefix(line, "\x1b["); ok {
				sequence, line, _ = strings.Cut(sequence, "m")
				now.apply(sequence)
				continue
			}
			r, size := utf8.DecodeRuneInString(line)
			row, line = append(row, cell{now, r}), line[size:]
		}
		screen = append(screen, row)
	}
	return screen
}

// apply applies the parameters of an SGR sequence. The theme of the tests has no colors but those of the palette.
func (s *style) apply(sequence string) {
	codes := strings.FieldsFunc(sequence, func(r rune) bool { return r == ';' || r == ':' })
	if len(codes) == 0 {
		codes = []string{"0"}
	}
	for i := 0; i < len(codes); i++ {
		code, color := number(codes[i]), &s.foreground
		if code >= 40 && code <= 49 || code >= 100 {
			code, color = code-10, &s.background
		}
		switch {
		case code == 0:
			*s = style{}
		case code == 1, code == 22:
			s.bold = code == 1
		case code == 7, code == 27:
			s.reverse = code == 7
		case code >= 30 && code <= 37:
			*color = code - 29
		case code == 38 && i+2 < len(codes): // 5, and the number
			i += 2
			*color = number(codes[i]) + 1
		case code == 39:
			*color = 0
		case code >= 90 && code <= 97:
			*color = code - 81
		}
	}
}

// places returns the cells of each place on the screen that shows a text.
func places(screen [][]cell, text string) (all [][]cell) {
	want := []rune(text)
	for _, row := range screen {
		for i := range row {
			if i+len(want) <= len(row) && slices.EqualFunc(row[i:i+len(want)], want, func(c cell, r rune) bool { return c.text == r }) {
				all = append(all, row[i:i+len(want)])
			}
		}
	}
	return all
}
