package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
)

// plots returns the pictures of the document by the names of their files.
func (d *Data) plots() map[string]string {
	return map[string]string{
		"performance-calls.svg":  d.plotCalls(),
		"performance-sizes.svg":  d.plotSizes(),
		"performance-memory.svg": d.plotMemory(),
	}
}

// plotCalls shows small calls by way.
func (d *Data) plotCalls() string {
	p := &picture{}
	p.bars("Time of a call of 100 B, one at a time (p50, µs)", "µs", d.barsOf(small, p50))
	p.bars("Calls of 100 B a second, 32 in flight", "", d.barsOf(smallBusy, rate))
	return p.svg("The time of a small call and the calls a second, for each way")
}

func (d *Data) barsOf(w Work, of func(*Series) []number) []bar {
	var rows []bar
	for _, s := range d.Calls {
		if s.Work == w {
			rows = append(rows, bar{s.Way, s.Way == socketWay || s.Way == attachWay || s.Way == agentWay, of(s), s.Skipped})
		}
	}
	return rows
}

// plotSizes shows how the time of a call grows with its result.
func (d *Data) plotSizes() string {
	p := &picture{}
	p.sizes("Time of a call by the size of its result: a server written with the Go SDK (p50)", d, "plain")
	p.sizes("The same with a server without an SDK", d, "bare")
	return p.svg("The time of a call by the size of its result, for each way; both axes are logarithmic")
}

// sizes adds the curves of one server, one call at a time.
func (p *picture) sizes(title string, d *Data, server string) {
	var all []curve
	ticks := map[float64]string{}
	for _, way := range []string{rawWay, directWay, socketWay, attachWay, hubWay} {
		c := curve{label: way}
		for _, w := range d.works() {
			if w.Server != server || w.InFlight != 1 {
				continue
			}
			ticks[float64(w.Size)] = sizeText(w.Size)
			if s := d.series(w, way); s != nil && len(s.P50) > 0 {
				c.points = append(c.points, point{float64(w.Size), spreadOf(s.P50)})
			}
		}
		all = append(all, c)
	}
	p.curves(title, "µs", 220, ticks, all)
}

// plotMemory shows the resident memory of the daemon.
func (d *Data) plotMemory() string {
	p := &picture{}
	for _, panel := range []struct {
		title, figure, one, many string
		counts                   []int
	}{
		{"Resident memory of the daemon with one server, by idle editors (MB)", memoryEditors, "1 editor", "%d editors", memoryEditorCounts},
		{"Resident memory of the daemon with one editor, by connections to servers (MB)", memoryServers, "1 connection", "%d connections", memoryServerCounts},
	} {
		var rows []bar
		for _, n := range panel.counts {
			if f := d.figure(fmt.Sprintf(panel.figure, n)); f != nil {
				label := fmt.Sprintf(panel.many, n)
				if n == 1 {
					label = panel.one
				}
				rows = append(rows, bar{label, true, f.Samples, f.Skipped})
			}
		}
		p.bars(panel.title, "MB", rows)
	}
	return p.svg("The resident memory of the daemon by the number of editors and of connections")
}

// sorted yields a map in the order of its keys.
func sorted(m map[float64]string) iter.Seq2[float64, string] {
	return func(yield func(float64, string) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}
