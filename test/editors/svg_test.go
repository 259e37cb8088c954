//go:build linux || darwin

package editors

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// The size of a cell and of the font, in pixels, as in the picture of Neovim.
const (
	cellWidth, cellHeight = 8.4, 18
	fontSize              = 14
)

// The colors of a terminal: what is drawn on what, and the palette.
const defaultForeground, defaultBackground = 0xd6d2e0, 0x2b2438

var palette = [16]int{
	0x3b3347, 0xe06c75, 0x98c379, 0xe5c07b, 0x61afef, 0xc678dd, 0x56b6c2, 0xc8c3d4,
	0x6e6480, 0xf48a93, 0xb5e090, 0xf5d99b, 0x8cc7ff, 0xdd9bf0, 0x7fd6e2, 0xffffff,
}

// colors returns what a cell is drawn in, and on, as 0xRRGGBB.
func (s style) colors() (foreground, background int) {
	foreground, background = defaultForeground, defaultBackground
	if s.foreground > 0 {
		foreground = palette[s.foreground-1]
	}
	if s.background > 0 {
		background = palette[s.background-1]
	}
	if s.reverse {
		return background, foreground
	}
	return foreground, background
}

// wordPattern finds the words of a row, each of which is drawn alone: SVG keeps no white space.
var wordPattern = regexp.MustCompile(`\S+`)

// svg draws a screen.
func svg(screen [][]cell, title string) string {
	width, height := columns*cellWidth+16, float64(len(screen))*cellHeight+16
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.6g %.6g\" role=\"img\">\n", width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(title))
	draw(&b, screen, height)
	b.WriteString("</svg>\n")
	return b.String()
}

// draw draws a screen on a ground of a height.
func draw(b *strings.Builder, screen [][]cell, height float64) {
	width := columns*cellWidth + 16
	add := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	add(`<rect width="%.6g" height="%.6g" rx="6" fill="#%06x"/>`, width, height, defaultBackground)
	add(`<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="%d">`, fontSize)
	left := func(column int) float64 { return 8 + float64(column)*cellWidth }
	for y, row := range screen {
		top := 8 + float64(y)*cellHeight
		for x := 0; x < len(row); {
			begin, style, text := x, row[x].style, ""
			for ; x < len(row) && row[x].style == style; x++ {
				text += string(row[x].text)
			}
			foreground, background := style.colors()
			if background != defaultBackground {
				add(`<rect x="%.6g" y="%.6g" width="%.6g" height="%d" fill="#%06x"/>`, left(begin), top, float64(x-begin)*cellWidth, int(cellHeight), background)
			}
			bold := ""
			if style.bold {
				bold = ` font-weight="bold"`
			}
			for _, at := range wordPattern.FindAllStringIndex(text, -1) {
				word := text[at[0]:at[1]]
				add(`<text x="%.6g" y="%.6g" textLength="%.6g" fill="#%06x"%s>%s</text>`, left(begin+utf8.RuneCountInString(text[:at[0]])), top+13.5,
					float64(utf8.RuneCountInString(word))*cellWidth, foreground, bold, html.EscapeString(word))
			}
		}
	}
	b.WriteString("</g>")
}

// A screen is drawn as tmux prints it.
func TestSVG(t *testing.T) {
	screen := parseScreen("a \x1b[7m<b>\x1b[0m\n\x1b[1;31;48;5;8mc\x1b[22;39;49md\x1b[96;100mé\x1b[mf\n")
	got := svg(screen, "x & y")
	for _, want := range []string{
		"<title>x &amp; y</title>",
		`<text x="8" y="21.5" textLength="8.4" fill="#d6d2e0">a</text>`,
		`<rect x="24.8" y="8" width="25.2" height="18" fill="#d6d2e0"/>`,
		`fill="#2b2438">&lt;b&gt;</text>`,
		`<rect x="8" y="26" width="8.4" height="18" fill="#6e6480"/>`,
		`fill="#e06c75" font-weight="bold">c</text>`,
		`fill="#d6d2e0">d</text>`,
		`textLength="8.4" fill="#7fd6e2">é</text>`,
		`fill="#d6d2e0">f</text>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
	if found := places(screen, "<b>"); len(found) != 1 || !found[0][0].reverse {
		t.Errorf("places returns %v", found)
	}
}
