package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
)

// writeDocument puts what is made of the data into a document: the text between a line
// `<!-- made by make bench: … -->` and the next `<!-- end -->`.
func writeDocument(path string, d *data) error {
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	after, err := fill(string(before), d.part)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
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

// part returns a part of the document, which is also what a terminal shows.
func (d *data) part(name string) (string, error) {
	switch name {
	case "machine":
		return d.machine + "\n", nil
	case "goals":
		return d.goalsTable(), nil
	case "calls":
		return d.callsTable(), nil
	case "figures":
		rows := [][]string{{"", "median"}}
		for _, f := range d.figures {
			rows = append(rows, []string{f.name, amount(quantile(f.samples, 0.5), f.unit)})
		}
		return table(rows), nil
	}
	return "", fmt.Errorf("there is no part %q", name)
}

// goalsTable judges the goals. It leaves out what is not in the run.
func (d *data) goalsTable() string {
	rows := [][]string{{"", "measured", "spread", "goal", ""}}
	for _, g := range goals {
		sign := "≤ "
		if g.atLeast {
			sign = "≥ "
		}
		samples, why := g.of(d)
		row := []string{g.what, "", "", sign + amount(g.bound, g.unit), "not measured: " + why}
		if len(samples) > 0 {
			row[1], row[4] = amount(quantile(samples, 0.5), g.unit), g.judge(samples)
		}
		if len(samples) > 1 {
			row[2] = amount(quantile(samples, 0.25), g.unit) + " to " + amount(quantile(samples, 0.75), g.unit)
		}
		if len(samples) > 0 || why != "" {
			rows = append(rows, row)
		}
	}
	return table(rows)
}

// callsTable has a row for each work and a column for each way. In brackets is the ratio to the
// SDK's client.
func (d *data) callsTable() string {
	rows := [][]string{{"", "server"}}
	of := map[work]int{} // the row of each
	var why strings.Builder
	for _, s := range d.calls {
		if _, ok := of[s.work]; !ok {
			of[s.work] = len(rows)
			rows = append(rows, []string{fmt.Sprintf("%s, %d in flight", sizeText(s.size), s.inFlight), s.server})
		}
		if of[s.work] == 1 {
			rows[0] = append(rows[0], s.way)
		}
		cell := ""
		if s.skipped != "" {
			fmt.Fprintf(&why, "\nNot measured, %s of %s: %s\n", s.way, s.server, s.skipped)
		} else if len(s.samples) > 0 {
			unit := "µs"
			if s.inFlight > 1 {
				unit = "a second"
			}
			cell = amount(quantile(s.samples, 0.5), unit)
			if base := d.series(s.work, sdkWay); base != s && base != nil && len(base.samples) > 0 {
				cell += " (" + amount(quantile(ratios(s.samples, base.samples), 0.5), "") + ")"
			}
		}
		rows[of[s.work]] = append(rows[of[s.work]], cell)
	}
	return table(rows) + why.String()
}

// table writes rows, the first of which is the heading, as Markdown that a terminal shows well.
func table(rows [][]string) string {
	if len(rows) == 1 {
		return ""
	}
	under := make([]string, len(rows[0]))
	for i := range under {
		under[i] = "---"
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	for _, row := range append([][]string{rows[0], under}, rows[1:]...) {
		for _, cell := range row {
			fmt.Fprintf(w, "| %s\t", strings.ReplaceAll(cell, "|", `\|`))
		}
		fmt.Fprintln(w, "|")
	}
	_ = w.Flush() // to a builder
	return b.String()
}

// sizeText writes a number of bytes.
func sizeText(n int) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%d MB", n/1e6)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}

// hardware describes this machine, as far as it says.
func hardware() string {
	cpu, system := runtime.GOARCH, runtime.GOOS
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, after, ok := strings.Cut(string(text), "model name"); ok {
			line, _, _ := strings.Cut(after, "\n")
			cpu = strings.Trim(line, "\t :")
		}
	}
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		system = "Linux " + strings.TrimSpace(string(text))
	}
	return fmt.Sprintf("%s, %d cores, %s, %s", cpu, runtime.NumCPU(), system, runtime.Version())
}
