package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// text returns what the command prints.
func text(d *Data) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, work := range d.works() {
		fmt.Fprintf(w, "\t\t\t\t   compared with %s: median (quartiles)\t\t\n", directWay)
		fmt.Fprintf(w, "%s\tp50\tp95\tcalls/s\tp50\tp95\tcalls/s\t\n", work)
		base := d.series(work, directWay)
		for _, s := range d.Calls {
			if s.Work != work {
				continue
			}
			if s.Skipped != "" {
				fmt.Fprintf(w, "%s\t%s\n", s.Way, oneLine(s.Skipped))
				continue
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%.0f\t", s.Way, time1(spreadOf(s.P50).median), time1(spreadOf(s.P95).median), spreadOf(s.Rate).median)
			if base != nil && base.Skipped == "" {
				fmt.Fprintf(w, "%s\t%s\t%s\t", compared(s.P50, base.P50), compared(s.P95, base.P95), compared(s.Rate, base.Rate))
			}
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w)
	}
	for _, f := range d.Figures {
		if f.Skipped != "" {
			fmt.Fprintf(w, "%s\t%s\n", f.Name, oneLine(f.Skipped))
			continue
		}
		s := spreadOf(f.Samples)
		fmt.Fprintf(w, "%s\t%.4g %s\t(%.4g-%.4g)\t\n", f.Name, s.median, f.Unit, s.low, s.high)
	}
	_ = w.Flush() // a strings.Builder takes everything
	return b.String()
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

func (w Work) String() string {
	return fmt.Sprintf("%s, %s, %d in flight", w.Server, sizeText(w.Size), w.InFlight)
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

// time1 writes microseconds with three digits.
func time1(us float64) string {
	switch {
	case us >= 1e6:
		return fmt.Sprintf("%.2f s", us/1e6)
	case us >= 1e5:
		return fmt.Sprintf("%.0f ms", us/1e3)
	case us >= 1e4:
		return fmt.Sprintf("%.1f ms", us/1e3)
	case us >= 1e3:
		return fmt.Sprintf("%.2f ms", us/1e3)
	case us >= 100:
		return fmt.Sprintf("%.0f µs", us)
	}
	return fmt.Sprintf("%.1f µs", us)
}

// ratios returns the ratio of each round.
func ratios(a, b []number) []number {
	out := make([]number, 0, len(a))
	for i := range min(len(a), len(b)) {
		out = append(out, a[i]/b[i])
	}
	return out
}

// compared writes the median of the rounds' ratios, and their quartiles.
func compared(a, b []number) string {
	r := ratios(a, b)
	if len(r) == 0 {
		return ""
	}
	s := spreadOf(r)
	return fmt.Sprintf("%.2f (%.2f-%.2f)", s.median, s.low, s.high)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
