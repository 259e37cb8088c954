package main

import "path/filepath"

// browserPrograms returns what may open an address, the best first: the programs of BROWSER, by which
// an editor that shows the terminal of another machine leads to the browser of its own, and then the
// desktop's. There is none without a display.
func browserPrograms(getenv func(string) string) []string {
	programs := filepath.SplitList(getenv("BROWSER"))
	if len(programs) > 0 || getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "" {
		programs = append(programs, "xdg-open")
	}
	return programs
}
