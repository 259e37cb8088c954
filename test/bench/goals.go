package main

import (
	"fmt"
	"math"
	"slices"
)

// A goal is a bound on the median of what was measured.
type goal struct {
	what    string
	unit    string
	bound   float64
	atLeast bool // the bound is a lower one

	// of returns the samples, or why there are none; neither when this run has left it out.
	of func(d *data) (samples []float64, why string)
}

// The works that have goals. The server without an SDK answers at once: there small calls show what
// the ways cost, while with one of the SDK not even a client that decodes nothing reaches 2 times the
// calls a second of the SDK's. For large results it is the server of the SDK that leaves the least
// to gain.
var (
	small     = work{"bare", 100, 1}
	smallBusy = work{"bare", 100, 32}
	large     = work{"plain", 1_000_000, 1}
)

// goals are what the daemon is to reach. The walls come first: they hold in every version, and a
// quick run measures no others. A ratio is that of two ways in the same round.
var goals = []goal{
	ratioGoal("time of a call of 100 B", 1.4, false, small, socketWay, sdkWay),
	ratioGoal("time of a call of 100 B", 1.8, false, small, attachWay, sdkWay),
	ratioGoal("calls a second, 32 in flight", 2, true, smallBusy, socketWay, sdkWay),
	ratioGoal("time of a call of 1 MB", 0.7, false, large, socketWay, sdkWay),
	ratioGoal("time of a call of 100 B", 1, false, small, socketWay, hubWay),
	ratioGoal("time of a call of 100 B", 1, false, small, attachWay, hubWay),
	ratioGoal("calls a second, 32 in flight", 1, true, smallBusy, socketWay, hubWay),
	ratioGoal("time of a call of 1 MB", 1, false, large, socketWay, hubWay),
	figureGoal(attachResident, "MB", 14),
	figureGoal(treeReady, "ms", 1000),

	figureGoal(fmt.Sprintf(memoryServers, 10), "MB", 14),
	figureGoal(fmt.Sprintf(memoryEditors, 1000), "MB", 100),
	figureGoal(perEditor, "kB", 100),
	figureGoal(perServer, "kB", 150),
	figureGoal(bigRest, "MB", 35),
}

// figureGoal is an upper bound of a figure.
func figureGoal(name, unit string, bound float64) goal {
	return goal{what: name, unit: unit, bound: bound, of: func(d *data) ([]float64, string) {
		i := slices.IndexFunc(d.figures, func(f figure) bool { return f.name == name })
		if i < 0 {
			return nil, ""
		}
		return d.figures[i].samples, ""
	}}
}

// ratioGoal is a bound of the ratio of two ways.
func ratioGoal(what string, bound float64, atLeast bool, w work, above, below string) goal {
	return goal{what: what + ": " + above + " / " + below, bound: bound, atLeast: atLeast, of: func(d *data) ([]float64, string) {
		a, b := d.series(w, above), d.series(w, below)
		switch {
		case a == nil || b == nil:
			return nil, ""
		case a.skipped != "":
			return nil, a.skipped
		}
		return ratios(a.samples, b.samples), b.skipped
	}}
}

// ratios returns the ratio of each round.
func ratios(a, b []float64) []float64 {
	var out []float64
	for i := range min(len(a), len(b)) {
		out = append(out, a[i]/b[i])
	}
	return out
}

// judge returns the verdict on samples, of which there is at least one.
func (g goal) judge(samples []float64) string {
	median := quantile(samples, 0.5)
	if g.atLeast && median >= g.bound || !g.atLeast && median <= g.bound {
		return "met"
	}
	return "missed"
}

// quantile returns the value below which a share of the samples lie.
func quantile(samples []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	at := share * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// amount writes a value with three digits and its unit. A ratio has none.
func amount(v float64, unit string) string {
	switch {
	case unit == "µs" && v >= 1000:
		v, unit = v/1000, "ms"
	case unit == "ms" && v >= 1000:
		v, unit = v/1000, "s"
	}
	digits := 0
	if v != math.Trunc(v) && v > 0 {
		digits = max(0, min(2, 2-int(math.Floor(math.Log10(v)))))
	}
	text := fmt.Sprintf("%.*f", digits, v)
	if unit != "" {
		text += " " + unit
	}
	return text
}
