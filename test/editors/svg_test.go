//go:build linux || darwin

package editors

import (
	"fmt"
	"html"
	"strings"
	"testing"
)

// The size of a cell and of the font, in pixels, as in the picture of Neovim.
const (
	cellWidth, cellHeight = 8.4, 18
	fontSize              = 14
)

// The colors of a terminal: what is drawn on what, and the first sixteen of the palette.
const defaultForeground, defaultBackground = 0xd6d2e0, 0x2b2438

var palette = [16]int{
	0x3b3347, 0xe06c75, 0x98c379, 0xe5c07b, 0x61afef, 0xc678dd, 0x56b6c2, 0xc8c3d4,
	0x6e6480, 0xf48a93, 0xb5e090, 0xf5d99b, 0x8cc7ff, 0xdd9bf0, 0x7fd6e2, 0xffffff,
}

// rgb returns a color as 0xRRGGBB.
func (c color) rgb(otherwise int) int {
	switch {
	case c.kind == 'r':
		return c.value
	case c.kind != 'i':
		return otherwise
	case c.value < 16:
		return palette[c.value]
	case c.value < 232: // a cube of six steps for each color
		step := func(n int) int {
			if n == 0 {
				return 0
			}
			return 55 + 40*n
		}
		n := c.value - 16
		return step(n/36)<<16 | step(n/6%6)<<8 | step(n%6)
	}
	gray := 8 + 10*(c.value-232)
	return gray<<16 | gray<<8 | gray
}

// colors returns what a cell is drawn in, and on.
func (s style) colors() (foreground, background int) {
	foreground, background = s.foreground.rgb(defaultForeground), s.background.rgb(defaultBackground)
	if s.reverse {
		return background, foreground
	}
	return foreground, background
}

// svg draws a screen.
func svg(screen [][]cell, title string) string {
	width, height := columns*cellWidth+16, float64(len(screen))*cellHeight+16
	var b strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.6g %.6g" role="img">`, width, height)
	add(`<title>%s</title>`, html.EscapeString(title))
	add(`<rect width="%.6g" height="%.6g" rx="6" fill="#%06x"/>`, width, height, defaultBackground)
	add(`<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="%d">`, fontSize)
	for y, row := range screen {
		top := 8 + float64(y)*cellHeight
		for x := 0; x < len(row); {
			run := 1
			for x+run < len(row) && row[x+run].style == row[x].style {
				run++
			}
			foreground, background := row[x].colors()
			if background != defaultBackground {
				add(`<rect x="%.6g" y="%.6g" width="%.6g" height="%d" fill="#%06x"/>`, 8+float64(x)*cellWidth, top, float64(run)*cellWidth, int(cellHeight), background)
			}
			bold := ""
			if row[x].bold {
				bold = ` font-weight="bold"`
			}
			for at, word := range words(row[x : x+run]) {
				add(`<text x="%.6g" y="%.6g" textLength="%.6g" fill="#%06x"%s>%s</text>`, 8+float64(x+at)*cellWidth, top+13.5,
					float64(len([]rune(word)))*cellWidth, foreground, bold, html.EscapeString(word))
			}
			x += run
		}
	}
	b.WriteString("</g></svg>\n")
	return b.String()
}

// words yields the words of a row and where they begin: SVG keeps no white space.
func words(row []cell) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for x := 0; x < len(row); {
			if row[x].text == ' ' {
				x++
				continue
			}
			start, word := x, ""
			for x < len(row) && row[x].text != ' ' {
				word += string(row[x].text)
				x++
			}
			if !yield(start, word) {
				return
			}
		}
	}
}

func TestSVG(t *testing.T) {
	got := svg(parseScreen("a \x1b[7m<b>\x1b[0m\n"), "x & y")
	for _, want := range []string{
		"<title>x &amp; y</title>",
		`<text x="8" y="21.5" textLength="8.4" fill="#d6d2e0">a</text>`,
		`<rect x="24.8" y="8" width="25.2" height="18" fill="#d6d2e0"/>`,
		`fill="#2b2438">&lt;b&gt;</text>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
}
