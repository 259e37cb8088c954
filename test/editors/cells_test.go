//go:build linux || darwin

package editors

import (
	"slices"
	"strings"
	"testing"
)

// style is how a cell looks. Colors are 0xRRGGBB, an index into the palette of terminals, or default.
type style struct {
	foreground, background color
	bold, reverse          bool
}

// color is the color of a cell.
type color struct {
	kind  byte // 0: the default; 'i': an index; 'r': red, green and blue
	value int
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
		line = strings.TrimSuffix(line, "\n")
		for line != "" {
			if sequence, rest, ok := strings.Cut(line, "m"); ok && strings.HasPrefix(sequence, "\x1b[") {
				now.apply(strings.TrimPrefix(sequence, "\x1b["))
				line = rest
				continue
			}
			for _, r := range line {
				row = append(row, cell{now, r})
				line = line[len(string(r)):]
				break
			}
		}
		screen = append(screen, row)
	}
	return screen
}

// apply applies the parameters of an SGR sequence.
func (s *style) apply(sequence string) {
	fields := strings.FieldsFunc(sequence, func(r rune) bool { return r == ';' || r == ':' })
	codes := make([]int, max(1, len(fields)))
	for i, field := range fields {
		codes[i] = number(field)
	}
	for len(codes) > 0 {
		code := codes[0]
		codes = codes[1:]
		switch {
		case code == 0:
			*s = style{}
		case code == 1:
			s.bold = true
		case code == 22:
			s.bold = false
		case code == 7, code == 27:
			s.reverse = code == 7
		case code == 38, code == 48:
			var c color
			c, codes = extended(codes)
			if code == 38 {
				s.foreground = c
			} else {
				s.background = c
			}
		case code >= 30 && code <= 37:
			s.foreground = color{'i', code - 30}
		case code == 39:
			s.foreground = color{}
		case code >= 40 && code <= 47:
			s.background = color{'i', code - 40}
		case code == 49:
			s.background = color{}
		case code >= 90 && code <= 97:
			s.foreground = color{'i', code - 82}
		case code >= 100 && code <= 107:
			s.background = color{'i', code - 92}
		}
	}
}

// extended reads the color after 38 or 48, and returns what follows it.
func extended(codes []int) (color, []int) {
	switch {
	case len(codes) >= 2 && codes[0] == 5:
		return color{'i', codes[1]}, codes[2:]
	case len(codes) >= 4 && codes[0] == 2:
		return color{'r', codes[1]<<16 | codes[2]<<8 | codes[3]}, codes[4:]
	}
	return color{}, nil
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

func TestParseScreen(t *testing.T) {
	screen := parseScreen("a\x1b[1;31mbé\x1b[0m\x1b[48;2;1;2;3;7mc\n\x1b[38;5;200md\x1b[22;27;39;49me\n")
	want := [][]cell{
		{
			{text: 'a'},
			{style{foreground: color{'i', 1}, bold: true}, 'b'},
			{style{foreground: color{'i', 1}, bold: true}, 'é'},
			{style{background: color{'r', 0x010203}, reverse: true}, 'c'},
		},
		{
			{style{foreground: color{'i', 200}, background: color{'r', 0x010203}, reverse: true}, 'd'},
			{text: 'e'},
		},
	}
	if !slices.EqualFunc(screen, want, slices.Equal[[]cell]) {
		t.Errorf("got %v, want %v", screen, want)
	}
	if found := places(screen, "bé"); len(found) != 1 || len(found[0]) != 2 || !found[0][0].bold {
		t.Errorf("places returns %v", found)
	}
}
