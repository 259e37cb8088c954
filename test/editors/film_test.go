//go:build linux || darwin

package editors

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// filmRows is how many rows of the screen the film shows.
const filmRows = 24

// TestFilm draws docs/first-minute.svg, where MCP_EDITORD_FILM says so: a server is added in a terminal, and a tool of it
// is called. The server is the one of the tests; what fetches it is a script in its place.
func TestFilm(t *testing.T) {
	target := os.Getenv("MCP_EDITORD_FILM")
	if target == "" {
		t.Skip("MCP_EDITORD_FILM names no file to draw; run make picture")
	}
	w := newWorld(t, fakeserver.Script{Plain: true})
	w.write(w.home(".config/mcp-editord/mcp.json"), "{}\n")
	server := filepath.Join(os.Getenv("MCP_EDITORD_TEST_SERVERS"), "@modelcontextprotocol", "server-everything", "dist", "index.js")
	npx := w.home("bin/npx")
	w.write(npx, "#!/bin/sh\nexec node "+server+"\n")
	if err := os.Chmod(npx, 0o755); err != nil {
		t.Fatal(err)
	}
	x := w.terminal([]string{"PS1=$ ", "PATH=" + w.home("bin") + ":" + binaries + ":" + os.Getenv("PATH")}, "sh")
	var frames [][][]cell
	shoot := func() {
		screen := x.cells()
		frames = append(frames, screen[:min(filmRows, len(screen))])
	}
	x.see("$")
	for _, step := range []struct{ typed, seen string }{
		{"mcp-editord add npm:@modelcontextprotocol/server-everything", "Add it? [y/N]"},
		{"y", "it started in"},
		{"mcp-editord tools everything echo", "mcp-editord call everything echo message="},
		{"mcp-editord call everything echo message=hi", "Echo: hi"},
	} {
		x.types(step.typed)
		x.see(lastWord(step.typed))
		shoot()
		x.keys("Enter")
		x.see(step.seen)
		shoot()
	}
	for _, frame := range frames {
		for i := range frame {
			frame[i] = renamed(frame[i], w.home(), "/home/you")
		}
	}
	if err := os.WriteFile(target, []byte(film(frames, "A server is added in a terminal, and a tool of it is called")), 0o644); err != nil {
		t.Fatal(err)
	}
}

func lastWord(text string) string { return text[strings.LastIndexByte(text, ' ')+1:] }

// frameSeconds is how long a frame of a film is shown.
const frameSeconds = 3

// film draws screens one after the other, again and again. Who wants no motion sees the last one.
func film(frames [][][]cell, title string) string {
	var b strings.Builder
	most, width := 0, columns*cellWidth+16
	for _, frame := range frames {
		most = max(most, len(frame))
	}
	height := float64(most)*cellHeight + 16
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.6g %.6g\" role=\"img\">\n<title>%s</title>\n", width, height, html.EscapeString(title))
	share := 100 / float64(len(frames))
	fmt.Fprintf(&b, "<style>\n@media (prefers-reduced-motion: no-preference) {\n.f { visibility: hidden; animation: %ds step-end infinite }\n", frameSeconds*len(frames))
	for i := range frames {
		fmt.Fprintf(&b, ".f%d { animation-name: f%d }\n@keyframes f%d { 0%% { visibility: hidden } %.4g%% { visibility: visible } %.4g%% { visibility: hidden } }\n",
			i, i, i, float64(i)*share, float64(i+1)*share)
	}
	b.WriteString("}\n</style>\n")
	for i, frame := range frames {
		fmt.Fprintf(&b, "<g class=\"f f%d\">\n", i)
		draw(&b, frame, height)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}
