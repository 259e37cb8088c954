package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"time"
)

// Data is everything that a run has measured. The tables, the goals and the plots are made of it
// and of nothing else.
type Data struct {
	At      string // when, as in RFC 3339
	Quick   bool   // a short run
	Machine Machine
	Daemon  string // what mcp-editord version says
	Calls   []*Series
	Figures []*Figure

	// Problems says which parts could not be measured to their end, and why.
	Problems []string `json:",omitempty"`

	// Benchmarks has the lines of `go test -bench` that are results.
	Benchmarks []string
}

// Machine says where it was measured.
type Machine struct {
	CPU    string
	Cores  int
	Memory int // MiB
	System string
	Go     string
}

// A Work is one kind of call.
type Work struct {
	Server   string
	Size     int // bytes of the text in the result
	InFlight int
}

// A Series is one way to do one work: the figures of each round.
type Series struct {
	Work
	Way     string
	P50     []number // microseconds
	P95     []number // microseconds
	Rate    []number // calls a second
	Skipped string   `json:",omitempty"` // why there are no figures
}

// A Figure is anything else that is measured.
type Figure struct {
	Name    string
	Unit    string
	Samples []number
	Note    string `json:",omitempty"` // what a reader should know of these samples
	Skipped string `json:",omitempty"` // why there are no samples
}

// number is a sample. It is kept with four digits.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	digits := 4
	if n != 0 {
		digits = max(0, 3-int(math.Floor(math.Log10(math.Abs(float64(n))))))
	}
	text := strconv.FormatFloat(float64(n), 'f', digits, 64)
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, err
	}
	return strconv.AppendFloat(nil, f, 'f', -1, 64), nil
}

// series returns that of a work and a way, nil if there is none.
func (d *Data) series(w Work, way string) *Series {
	for _, s := range d.Calls {
		if s.Work == w && s.Way == way {
			return s
		}
	}
	return nil
}

// figure returns the figure of this name, nil if there is none.
func (d *Data) figure(name string) *Figure {
	for _, f := range d.Figures {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// add adds the samples of a figure.
func (d *Data) add(name, unit string, samples ...float64) *Figure {
	f := &Figure{Name: name, Unit: unit, Samples: []number{}}
	for _, s := range samples {
		f.Samples = append(f.Samples, number(s))
	}
	d.Figures = append(d.Figures, f)
	return f
}

// skip notes why a figure was not measured.
func (d *Data) skip(name, unit, why string) {
	d.Figures = append(d.Figures, &Figure{Name: name, Unit: unit, Samples: []number{}, Skipped: why})
}

// write writes the data to a file.
func (d *Data) write(path string) error {
	b, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(compactLists(b), '\n'), 0o644)
}

// compactLists puts each list of numbers on one line.
func compactLists(b []byte) []byte {
	out, inList := make([]byte, 0, len(b)), false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '[' && i+2 < len(b) && numberFollows(b[i+1:]):
			inList = true
			out = append(out, c)
		case inList && (c == '\n' || c == ' '):
			if c == '\n' && out[len(out)-1] == ',' {
				out = append(out, ' ')
			}
		case c == ']':
			inList = false
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return out
}

func numberFollows(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\n' {
			return c == '-' || c >= '0' && c <= '9'
		}
	}
	return false
}

// readData reads what write has written.
func readData(path string) (*Data, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := &Data{}
	if err := json.Unmarshal(b, d); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return d, nil
}

// A spread is the median of samples and their quartiles.
type spread struct{ low, median, high float64 }

// spreadOf returns the spread of samples, of which there is at least one.
func spreadOf(samples []number) spread {
	sorted := slices.Sorted(slices.Values(samples))
	return spread{quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)}
}

// quantile returns the value below which a share of the sorted samples lie.
func quantile(sorted []number, share float64) float64 {
	at := share * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return float64(sorted[low]) + (at-float64(low))*float64(sorted[high]-sorted[low])
}

// micros returns a duration in microseconds.
func micros(d time.Duration) float64 { return float64(d) / 1e3 }

// millis returns a duration in milliseconds.
func millis(d time.Duration) float64 { return float64(d) / 1e6 }
