package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A table is rows of cells, the first of which is the heading.
type table struct {
	rows [][]string
	left int // so many columns are text; the others are figures
}

// plain writes the table for a terminal.
func (t table) plain() string {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < t.left || i == len(widths)-1 {
				line.WriteString(cell + pad + "  ")
			} else {
				line.WriteString(pad + cell + "  ")
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// markdown writes the table for a document.
func (t table) markdown() string {
	var b strings.Builder
	for i, row := range t.rows {
		b.WriteString("|")
		for _, cell := range row {
			b.WriteString(" " + strings.ReplaceAll(cell, "|", `\|`) + " |")
		}
		b.WriteString("\n")
		if i == 0 {
			b.WriteString("|")
			for column := range row {
				if column < t.left || column == len(row)-1 {
					b.WriteString("---|")
				} else {
					b.WriteString("--:|")
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// text returns what the command prints: the calls, everything else, and last the goals.
func text(d *Data) string {
	var b strings.Builder
	for _, server := range d.serverNames() {
		fmt.Fprintf(&b, "%s\n", d.callsTable(server).plain())
	}
	if t := d.againstTable(); len(t.rows) > 1 {
		fmt.Fprintf(&b, "%s\n", t.plain())
	}
	if len(d.Figures) > 0 {
		fmt.Fprintf(&b, "%s\n", d.figuresTable().plain())
	}
	for _, line := range d.Benchmarks {
		fmt.Fprintln(&b, line)
	}
	if len(d.Benchmarks) > 0 {
		fmt.Fprintln(&b)
	}
	if met, all := d.met(); all > 0 {
		fmt.Fprintf(&b, "%s\n%d of %d goals met; a spread is the quartiles of the rounds\n", d.goalsTable().plain(), met, all)
	}
	return b.String()
}

// met returns how many goals are met, and of how many that were measured.
func (d *Data) met() (met, measured int) {
	for _, r := range d.results() {
		switch {
		case r.verdict == "met":
			met++
			measured++
		case strings.HasPrefix(r.verdict, "missed"):
			measured++
		}
	}
	return met, measured
}

// goalsTable is the one table of what the daemon is to reach. It leaves out what is not in the run.
func (d *Data) goalsTable() table {
	t := table{rows: [][]string{{"", "measured", "spread", "raw client", "goal", ""}}, left: 1}
	for _, r := range d.results() {
		if r.verdict != "not measured: not in this run" {
			t.rows = append(t.rows, []string{r.what, r.measured, r.spread, r.floor, r.goal, r.verdict})
		}
	}
	return t
}

// callsTable has the calls to one server.
func (d *Data) callsTable(server string) table {
	t := table{rows: [][]string{{server, "way", "p50", "p95", "calls/s", "p50 / direct", "spread", "calls/s / direct", "spread", ""}}, left: 2}
	for _, work := range d.works() {
		if work.Server != server {
			continue
		}
		name := fmt.Sprintf("%s, %d in flight", sizeText(work.Size), work.InFlight)
		base := d.series(work, directWay)
		for _, s := range d.Calls {
			if s.Work != work {
				continue
			}
			row := []string{name, s.Way, "", "", "", "", "", "", "", ""}
			name = ""
			if s.Skipped != "" || len(s.P50) == 0 {
				row[len(row)-1] = "not measured: " + short(s.Skipped)
			} else {
				row[2], row[3] = amount(spreadOf(s.P50).median, "µs"), amount(spreadOf(s.P95).median, "µs")
				row[4] = digits(spreadOf(s.Rate).median)
				if base != nil && len(base.P50) > 0 && s != base {
					latency, throughput := spreadOf(ratios(s.P50, base.P50)), spreadOf(ratios(s.Rate, base.Rate))
					row[5], row[6] = digits(latency.median), between(latency, "×")
					row[7], row[8] = digits(throughput.median), between(throughput, "×")
				}
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

// againstTable compares the daemon with the other one in each round.
func (d *Data) againstTable() table {
	t := table{rows: [][]string{{"", "way / the same of the other daemon", "p50", "spread", "calls/s", "spread", ""}}, left: 2}
	for _, s := range d.Calls {
		other := d.series(s.Work, s.Way+otherSays)
		if other == nil || len(s.P50) == 0 || len(other.P50) == 0 {
			continue
		}
		latency, throughput := spreadOf(ratios(s.P50, other.P50)), spreadOf(ratios(s.Rate, other.Rate))
		t.rows = append(t.rows, []string{
			fmt.Sprintf("%s, %s, %d in flight", s.Server, sizeText(s.Size), s.InFlight), s.Way,
			digits(latency.median), between(latency, "×"), digits(throughput.median), between(throughput, "×"), "",
		})
	}
	return t
}

// figuresTable has everything that is not a call.
func (d *Data) figuresTable() table {
	t := table{rows: [][]string{{"", "median", "spread", ""}}, left: 1}
	for _, f := range d.Figures {
		if f.Skipped != "" {
			t.rows = append(t.rows, []string{f.Name, "", "", "not measured: " + short(f.Skipped)})
			continue
		}
		s, spread := spreadOf(f.Samples), ""
		if len(f.Samples) > 1 {
			spread = between(s, f.Unit)
		}
		t.rows = append(t.rows, []string{f.Name, amount(s.median, f.Unit), spread, f.Note})
	}
	return t
}

// works returns the works in the order in which they were measured.
func (d *Data) works() []Work {
	var out []Work
	seen := map[Work]bool{}
	for _, s := range d.Calls {
		if !seen[s.Work] {
			seen[s.Work] = true
			out = append(out, s.Work)
		}
	}
	return out
}

// serverNames returns the servers of the calls in the order in which they were measured.
func (d *Data) serverNames() []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range d.works() {
		if !seen[w.Server] {
			seen[w.Server] = true
			out = append(out, w.Server)
		}
	}
	return out
}

// sizeText writes a number of bytes.
func sizeText(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1e6 && n%1e6 == 0:
		return fmt.Sprintf("%d MB", n/1e6)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}

// ratios returns the ratio of each round.
func ratios(a, b []number) []number {
	out := make([]number, 0, len(a))
	for i := range min(len(a), len(b)) {
		out = append(out, a[i]/b[i])
	}
	return out
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
