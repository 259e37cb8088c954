package safetext

import "testing"

// Fault hostile-buffer.
func TestInert(t *testing.T) {
	for text, want := range map[string]string{
		"vim: set ft=c:":                `vim\u{3a} set ft=c:`,
		"x\nvi:ts=4":                    "x\n" + `vi\u{3a}ts=4`,
		"// Vim>700: set fdm=marker:":   `// Vim>700\u{3a} set fdm=marker:`,
		"/* ex: ro */":                  `/* ex\u{3a} ro */`,
		"kate: x on; vim: y":            `kate\u{3a} x on; vim\u{3a} y`,
		"a\n\tkate-mimetype(text/x): y": "a\n\t" + `kate-mimetype(text/x)\u{3a} y`,
		"# Local Variables:\n# End:":    `# Local Variables\u{3a}` + "\n# End:",
		"-*- mode: c -*-":               `-\u{2a}- mode: c -\u{2a}-`,
		"-*-*-":                         `-\u{2a}-\u{2a}-`,
		"Kate: a, Ex: b, VI: c":         "Kate: a, Ex: b, VI: c",
		"neovim: a, index: b, e.g.: c":  "neovim: a, index: b, e.g.: c",
		"vim is an editor; ex: \u00e9":  `vim is an editor; ex\u{3a} é`,
	} {
		if got := Inert(text); got != want || Inert(got) != got || HasSettings(got) {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
