package main

import (
	"fmt"
	"math"
	"strings"
)

// A goal is a bound on the median of what was measured.
type goal struct {
	what    string
	unit    string
	bound   float64
	atLeast bool // the bound is a lower one

	// of returns the samples, or why there are none.
	of func(d *Data) (samples []number, why string)

	// floor returns what the raw client reaches in the place of the daemon; nil where that means
	// nothing. No daemon can be better.
	floor func(d *Data) (samples []number, why string)
}

// The works that have goals, on the server written with the SDK.
var (
	small     = Work{"plain", 100, 1}
	smallBusy = Work{"plain", 100, 32}
	large     = Work{"plain", 1_000_000, 1}

	// The same with the server without an SDK.
	bareBusy  = Work{"bare", 100, 32}
	bareLarge = Work{"bare", 1_000_000, 1}
)

// goals are what the daemon is to reach. A ratio is that of two ways in the same round.
// Where not even the raw client reaches the goal with the server of the SDK, a server without an
// SDK has its own row.
var goals = []goal{
	ratioGoal("time of a call of 100 B: socket / go-sdk direct", 1.2, false, small, p50, socketWay, directWay),
	ratioGoal("time of a call of 100 B: attach / socket", 1.5, false, small, p50, attachWay, socketWay),
	ratioGoal("time of a call of 100 B: mcp / attach", 2, false, small, p50, agentWay, attachWay),
	ratioGoal("time of a call of 100 B: socket / mcp-hub", 0.25, false, small, p50, socketWay, hubWay),
	ratioGoal("calls a second, 32 in flight: socket / go-sdk direct", 2.5, true, smallBusy, rate, socketWay, directWay),
	ratioGoal("the same with a server without an SDK", 2.5, true, bareBusy, rate, socketWay, directWay),
	ratioGoal("calls a second, 32 in flight: socket / mcp-hub", 6, true, smallBusy, rate, socketWay, hubWay),
	ratioGoal("the same with a server without an SDK", 6, true, bareBusy, rate, socketWay, hubWay),
	ratioGoal("time of a call of 1 MB: socket / go-sdk direct", 0.35, false, large, p50, socketWay, directWay),
	ratioGoal("the same with a server without an SDK", 0.35, false, bareLarge, p50, socketWay, directWay),
	figureGoal(cpuBusy, "µs", 40),
	figureGoal(callAllocations, "", 20),
	figureGoal(callAllocated, "bytes", 2048),
	figureGoal(fmt.Sprintf(memoryServers, 10), "MB", 14),
	figureGoal(fmt.Sprintf(memoryEditors, 1000), "MB", 100),
	figureGoal(perEditor, "kB", 100),
	figureGoal(perConnection, "kB", 150),
	figureGoal(attachResident, "MB", 6),
	figureGoal(bigRest, "MB", 35),
	figureGoal(agentFirst, "ms", 4200),
	figureGoal(agentWarm, "ms", 200),
	figureGoal(agentCold, "ms", 200),
	figureGoal(crowdRefused, "", 0),
	figureGoal(crowdUnserved, "", 0),
	figureGoal(crowdDaemon, "MB", 60),
	figureGoal(crowdAgent, "MB", 8),
	figureGoal(startToSocket, "ms", 10),
	figureGoal(warmAttach, "ms", 5),
	figureGoal(cpuIdle, "s", 0),
	figureGoal(eventDelay, "ms", 3),
	figureGoal(burstNotices, "", 1),
	figureGoal(treeReady, "ms", 1000),
	figureGoal(treeMemory, "MB", 40),
	figureGoal(catalogAnswer, "ms", 3),
	figureGoal(catalogAttach, "ms", 8),
	figureGoal(typingAnswer, "ms", 5),
	figureGoal(lensesAnswer, "ms", 15),
}

// figureGoal is an upper bound of a figure.
func figureGoal(name, unit string, bound float64) goal {
	return goal{what: name, unit: unit, bound: bound, of: ofFigure(name)}
}

// ratioGoal is a bound of the ratio of two ways.
func ratioGoal(what string, bound float64, atLeast bool, w Work, of func(*Series) []number, above, below string) goal {
	g := goal{what: what, unit: "×", bound: bound, atLeast: atLeast, of: ofRatio(w, of, above, below)}
	if below != socketWay && below != attachWay {
		g.floor = ofRatio(w, of, rawWay, below)
	}
	return g
}

func p50(s *Series) []number  { return s.P50 }
func rate(s *Series) []number { return s.Rate }

// ofFigure is the figure of that name.
func ofFigure(name string) func(*Data) ([]number, string) {
	return func(d *Data) ([]number, string) {
		f := d.figure(name)
		switch {
		case f == nil:
			return nil, "not in this run"
		case f.Skipped != "":
			return nil, f.Skipped
		}
		return f.Samples, ""
	}
}

// ofRatio is the ratio of two ways in each round.
func ofRatio(w Work, of func(*Series) []number, above, below string) func(*Data) ([]number, string) {
	return func(d *Data) ([]number, string) {
		a, b := d.series(w, above), d.series(w, below)
		for _, s := range []*Series{a, b} {
			switch {
			case s == nil:
				return nil, "not in this run"
			case s.Skipped != "":
				return nil, s.Way + ": " + s.Skipped
			}
		}
		return ratios(of(a), of(b)), ""
	}
}

// notInVersion begins the reason why there is a figure that this daemon cannot reach at all.
const notInVersion = "not in this version: "

// A result is what became of a goal, as text.
type result struct{ what, measured, spread, floor, goal, verdict string }

// results judges all goals by the data.
func (d *Data) results() []result {
	var out []result
	for _, g := range goals {
		sign := "≤"
		if g.atLeast {
			sign = "≥"
		}
		r := result{what: g.what, goal: sign + " " + amount(g.bound, g.unit)}
		if g.floor != nil {
			if samples, _ := g.floor(d); len(samples) > 0 {
				r.floor = amount(spreadOf(samples).median, g.unit)
			}
		}
		samples, why := g.of(d)
		if len(samples) == 0 {
			r.verdict = "not measured: " + short(why)
			if reason, cannot := strings.CutPrefix(why, notInVersion); cannot {
				r.verdict = "missed: " + short(reason)
			}
			out = append(out, r)
			continue
		}
		s := spreadOf(samples)
		r.measured, r.verdict = amount(s.median, g.unit), "missed"
		if len(samples) > 1 {
			r.spread = between(s, g.unit)
		}
		if g.atLeast && s.median >= g.bound || !g.atLeast && s.median <= g.bound {
			r.verdict = "met"
		}
		out = append(out, r)
	}
	return out
}

// amount writes a value with three digits and its unit.
func amount(v float64, unit string) string {
	switch {
	case unit == "×":
		return digits(v)
	case unit == "ms" && math.Abs(v) >= 1000:
		return digits(v/1e3) + " s"
	case unit == "µs" && math.Abs(v) >= 1e6:
		return digits(v/1e6) + " s"
	case unit == "µs" && math.Abs(v) >= 1000:
		return digits(v/1e3) + " ms"
	case unit == "":
		return digits(v)
	}
	return digits(v) + " " + unit
}

// between writes the quartiles.
func between(s spread, unit string) string {
	return amount(s.low, unit) + " to " + amount(s.high, unit)
}

// digits writes a number with three digits, and the whole of a large one.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case v == math.Trunc(v) && a < 1000:
		return fmt.Sprintf("%.0f", v)
	case a >= 10_000:
		text := fmt.Sprintf("%.0f", v)
		for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
			text = text[:i] + "," + text[i:]
		}
		return text
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// short returns a reason that fits into a table.
func short(why string) string { return cut(why, 160) }
