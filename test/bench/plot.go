package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// The plots are drawn for a width of 860, like the other pictures of the documentation, on a
// panel of their own, which is light or dark like the page.
const (
	plotWidth  = 860.0
	plotLabels = 150.0 // for the labels on the left
	plotValues = 120.0 // for the values on the right
	rowHeight  = 28.0
)

const plotStyle = `  <style>
    .panel { fill: #ffffff } .grid { stroke: #d0d7de } .whisker { stroke: #1f2328; stroke-width: 1.5 }
    text { fill: #1f2328 } .small { font-size: 12px; fill: #57606a } .title { font-weight: bold }
    .bar { fill: #b6d4f2 } .own { fill: #4a90d9 } .dot { fill: #1f2328; fill-opacity: .35 }
    .line { fill: none; stroke-width: 2 }
    .s0 { stroke: #57606a } .s1 { stroke: #bc4c00 } .s2 { stroke: #0969da } .s3 { stroke: #1a7f37 } .s4 { stroke: #8250df }
    .f0 { fill: #57606a } .f1 { fill: #bc4c00 } .f2 { fill: #0969da } .f3 { fill: #1a7f37 } .f4 { fill: #8250df }
    @media (prefers-color-scheme: dark) {
      .panel { fill: #0d1117 } .grid { stroke: #30363d } .whisker { stroke: #e6edf3 }
      text { fill: #e6edf3 } .small { fill: #9198a1 }
      .bar { fill: #2b4a6b } .own { fill: #388bfd } .dot { fill: #e6edf3 }
      .s0 { stroke: #9198a1 } .s1 { stroke: #f0883e } .s2 { stroke: #58a6ff } .s3 { stroke: #3fb950 } .s4 { stroke: #bc8cff }
      .f0 { fill: #9198a1 } .f1 { fill: #f0883e } .f2 { fill: #58a6ff } .f3 { fill: #3fb950 } .f4 { fill: #bc8cff }
    }
  </style>
`

// picture is an SVG under construction.
type picture struct {
	b strings.Builder
	y float64 // how far down it is filled
}

func (p *picture) add(format string, args ...any) { fmt.Fprintf(&p.b, "  "+format+"\n", args...) }

func (p *picture) text(x, y float64, class, anchor, text string) {
	p.add(`<text class="%s" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, class, x, y, anchor, html.EscapeString(text))
}

// svg returns the picture. label says to those who do not see it what it shows.
func (p *picture) svg(label string) string {
	height := p.y + 16
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="system-ui, sans-serif" font-size="14" role="img" aria-label="%s">`+"\n", plotWidth, height, html.EscapeString(label)) +
		plotStyle + fmt.Sprintf("  <rect class=\"panel\" width=\"%.0f\" height=\"%.0f\" rx=\"8\"/>\n", plotWidth, height) + p.b.String() + "</svg>\n"
}

// A bar is a row of a panel of bars.
type bar struct {
	label   string
	own     bool // one of the daemon's
	samples []number
	why     string // why there are no samples
}

// bars adds a panel: a bar to the median, a line from quartile to quartile, a dot for each sample.
func (p *picture) bars(title, unit string, rows []bar) {
	most := 0.0
	for _, r := range rows {
		if len(r.samples) > 0 {
			most = max(most, spreadOf(r.samples).high)
		}
	}
	if most == 0 {
		return
	}
	step := niceStep(most / 5)
	end := math.Ceil(most/step) * step
	x := func(v float64) float64 {
		return plotLabels + min(v, end)/end*(plotWidth-plotLabels-plotValues)
	}
	p.y += 30
	p.text(16, p.y, "title", "start", title)
	top := p.y + 10
	bottom := top + rowHeight*float64(len(rows))
	for v := 0.0; v <= end+step/2; v += step {
		p.add(`<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, x(v), top, x(v), bottom)
		p.text(x(v), bottom+16, "small", "middle", digits(v))
	}
	for i, r := range rows {
		middle := top + rowHeight*(float64(i)+0.5)
		p.text(plotLabels-8, middle+5, "", "end", r.label)
		if len(r.samples) == 0 {
			p.text(plotLabels+6, middle+5, "small", "start", "not measured: "+cut(r.why, 90))
			continue
		}
		s, class := spreadOf(r.samples), "bar"
		if r.own {
			class = "own"
		}
		p.add(`<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, class, plotLabels, middle-9, x(s.median)-plotLabels, 18.0)
		if len(r.samples) > 1 {
			for _, v := range r.samples {
				if float64(v) <= end {
					p.add(`<circle class="dot" cx="%.1f" cy="%.1f" r="2"/>`, x(float64(v)), middle)
				}
			}
			p.add(`<path class="whisker" d="M%.1f %.1f V%.1f M%.1f %.1f H%.1f M%.1f %.1f V%.1f"/>`, x(s.low), middle-5, middle+5, x(s.low), middle, x(s.high), x(s.high), middle-5, middle+5)
		}
		p.text(plotWidth-16, middle+5, "", "end", amount(s.median, unit))
	}
	p.y = bottom + 24
}

// niceStep returns the next of 1, 2, 5, 10, … times a power of ten.
func niceStep(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{1, 2, 5} {
		if n*power >= v {
			return n * power
		}
	}
	return 10 * power
}

// A curve is one line of a panel of curves.
type curve struct {
	label  string
	points []point
}

type point struct {
	x float64
	y spread
}

// curves adds a panel with logarithmic axes. ticks are the values of x that are named.
func (p *picture) curves(title, unit string, height float64, ticks map[float64]string, all []curve) {
	minX, maxX, minY, maxY := math.Inf(1), 0.0, math.Inf(1), 0.0
	for _, c := range all {
		for _, pt := range c.points {
			minX, maxX = min(minX, pt.x), max(maxX, pt.x)
			minY, maxY = min(minY, pt.y.low), max(maxY, pt.y.high)
		}
	}
	if maxY == 0 || minX == maxX {
		return
	}
	low, high := math.Floor(math.Log10(minY)), math.Ceil(math.Log10(maxY))
	p.y += 30
	p.text(16, p.y, "title", "start", title)
	top := p.y + 16
	const left, right = 90.0, 700.0
	x := func(v float64) float64 {
		return left + 20 + (math.Log(v)-math.Log(minX))/(math.Log(maxX)-math.Log(minX))*(right-left-40)
	}
	y := func(v float64) float64 { return top + height*(high-math.Log10(v))/(high-low) }
	for power := low; power <= high; power++ {
		v := math.Pow(10, power)
		p.add(`<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, left, y(v), right, y(v))
		p.text(left-8, y(v)+5, "small", "end", amount(v, unit))
	}
	for v, name := range sorted(ticks) {
		p.text(x(v), top+height+18, "small", "middle", name)
	}
	labels := spaced(all, y)
	for i, c := range all {
		if len(c.points) == 0 {
			continue
		}
		var path strings.Builder
		for j, pt := range c.points {
			command := "L"
			if j == 0 {
				command = "M"
			}
			fmt.Fprintf(&path, "%s%.1f %.1f ", command, x(pt.x), y(pt.y.median))
			p.add(`<line class="s%d" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, i%5, x(pt.x), y(pt.y.low), x(pt.x), y(pt.y.high))
			p.add(`<circle class="f%d" cx="%.1f" cy="%.1f" r="3"/>`, i%5, x(pt.x), y(pt.y.median))
		}
		p.add(`<path class="line s%d" d="%s"/>`, i%5, strings.TrimSpace(path.String()))
		p.text(right+12, labels[i]+5, fmt.Sprintf("f%d", i%5), "start", c.label)
	}
	p.y = top + height + 28
}

// spaced returns where the labels of curves stand: at their ends, but not on one another.
func spaced(all []curve, y func(float64) float64) []float64 {
	const apart = 17.0
	at := make([]float64, len(all))
	placed := make([]bool, len(all))
	previous := math.Inf(-1)
	for range all {
		next := -1
		for i, c := range all {
			if placed[i] || len(c.points) == 0 {
				continue
			}
			if at[i] = y(c.points[len(c.points)-1].y.median); next < 0 || at[i] < at[next] {
				next = i
			}
		}
		if next < 0 {
			break
		}
		placed[next] = true
		at[next] = max(at[next], previous+apart)
		previous = at[next]
	}
	return at
}

// cut shortens a text to so many characters.
func cut(s string, most int) string {
	if text := []rune(oneLine(s)); len(text) > most {
		return string(text[:most]) + "…"
	}
	return oneLine(s)
}
