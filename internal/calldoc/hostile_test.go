package calldoc

import (
	"strings"
	"testing"
)

// A document of 1 MiB is read, checked and changed in steps that do not grow with its square. A test that fails
// does not end within the time of all tests.
// Fault hostile-document.
func TestHostile(t *testing.T) {
	const size = 1 << 18
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, text := range map[string]string{
		"calls":              fill("call: a.b\n---\n"),
		"calls with typos":   fill("call: trakcer.x\n---\n"),
		"broken calls":       fill("call: a.b\nwith: [\n---\n"),
		"separators":         fill("---\n"),
		"brackets":           fill("["),
		"braces":             fill("{"),
		"variables":          "call: a.b\nwith:\n  x: " + fill("${file}"),
		"open variables":     "call: a.b\nwith:\n  x: " + fill("${"),
		"dollars":            "call: a.b\nwith:\n  x: " + fill("$"),
		"one long line":      fill("x"),
		"members":            fill("wiht: x\n"),
		"long members":       strings.Repeat("x", size) + ": y",
		"one long target":    "call: " + strings.Repeat("x.", size/2-10),
		"quotes":             fill("'"),
		"an old result":      "call: a.b\nresult: |\n" + fill("  x\n"),
		"an old result, CRs": "call: a.b\nresult: |\n" + fill("  x\r"),
		"blank lines":        "call: a.b\n" + fill("\n"),
		"arguments":          "prompt: tracker.review\nwith:\n" + fill("  stile: x\n"),
	} {
		t.Run(name, func(t *testing.T) {
			text = text[:min(len(text), size)]
			c := newFake()
			c.tools["tracker"] = named(2000)
			d := Parse(text)
			d.Check(c)
			d.Symbols()
			for _, at := range []int{0, len(text) / 2, len(text)} {
				d.Complete(t.Context(), at, c)
				d.Hover(at, c)
				if call := d.At(at); call != nil {
					call.WithResult(Result{Text: strings.Repeat("x\n", 100)})
					call.Params(nil, func(string) (string, bool) { return "x", true })
				}
			}
		})
	}
}
