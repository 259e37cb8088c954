package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// writeDocument puts what is made of the data into a document: the text between a line
// `<!-- made by make bench: … -->` and the next `<!-- end -->`. The plots go into images/ beside it.
func writeDocument(path string, d *Data) error {
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	after, err := fill(string(before), d.documentPart)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for name, svg := range d.plots() {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "images", name), []byte(svg), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(path, []byte(after), 0o644)
}

// fill replaces the parts of a document.
func fill(text string, part func(name string) (string, error)) (string, error) {
	const begin, end = "<!-- made by make bench: ", "<!-- end -->\n"
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, begin)
		if !ok {
			return b.String() + text, nil
		}
		name, rest, ok := strings.Cut(rest, " -->\n")
		_, after, also := strings.Cut(rest, end)
		if !ok || !also {
			return "", fmt.Errorf("the part %.30q has no end", name)
		}
		made, err := part(name)
		if err != nil {
			return "", err
		}
		b.WriteString(before + begin + name + " -->\n" + made + end)
		text = after
	}
}

// documentPart returns a part of the document.
func (d *Data) documentPart(name string) (string, error) {
	switch name {
	case "machine":
		return d.measuredOn(), nil
	case "goals":
		met, all := d.met()
		return d.goalsTable().markdown() + fmt.Sprintf("\n%d of the %d goals that could be measured are met.\n", met, all), nil
	case "calls plain", "calls bare", "calls everything":
		server := strings.TrimPrefix(name, "calls ")
		if !slices.Contains(d.serverNames(), server) {
			return "Not in this run.\n", nil
		}
		return d.callsTable(server).markdown(), nil
	case "figures":
		return d.figuresTable().markdown(), nil
	case "benchmarks":
		if len(d.Benchmarks) == 0 {
			return "The packages have no benchmarks of the hot path.\n", nil
		}
		return "```\n" + strings.Join(d.Benchmarks, "\n") + "\n```\n", nil
	}
	return "", fmt.Errorf("there is no part %q", name)
}

// measuredOn says what was measured, where and when.
func (d *Data) measuredOn() string {
	length := "a full run"
	if d.Quick {
		length = "a short run"
	}
	date, _, _ := strings.Cut(d.At, "T")
	s := fmt.Sprintf("mcp-editord %s, in %s on %s: %s, %d cores, %s MB, %s, %s.\n", d.Daemon, length, date,
		d.Machine.CPU, d.Machine.Cores, digits(float64(d.Machine.Memory)), d.Machine.System, d.Machine.Go)
	for _, problem := range d.Problems {
		s += "\nNot measured to its end: " + short(problem) + "\n"
	}
	return s
}
