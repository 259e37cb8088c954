package ring

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

// linesOf returns a ring of lines.
func linesOf(most, maxBytes int) *Ring[string] {
	return Of(most, maxBytes, func(line string) int { return len(line) })
}

func TestLast(t *testing.T) {
	for _, tt := range []struct {
		name             string
		lines, bytes, in int // in is how many of the lines "line 0", "line 1", … are added
		last             int
		want             []string
	}{
		{"empty", 3, 100, 0, 5, []string{}},
		{"fewer than asked for", 3, 100, 2, 5, []string{"line 0", "line 1"}},
		{"fewer than there are", 3, 100, 3, 2, []string{"line 1", "line 2"}},
		{"none asked for", 3, 100, 3, 0, []string{}},
		{"a negative number", 3, 100, 3, -1, []string{}},
		{"bounded in lines", 3, 100, 8, 5, []string{"line 5", "line 6", "line 7"}},
		{"bounded in bytes", 10, 13, 8, 5, []string{"line 6", "line 7"}},
		{"one line of room", 1, 6, 8, 5, []string{"line 7"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := linesOf(tt.lines, tt.bytes)
			for i := range tt.in {
				l.Add(fmt.Sprintf("line %d", i))
			}
			if got := l.Last(tt.last); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSince(t *testing.T) {
	l := linesOf(5, 100)
	for i := range 8 { // the first three are gone
		l.Add(fmt.Sprintf("line %d", i))
	}
	for _, tt := range []struct {
		name     string
		seen     int64
		n, bytes int
		want     []string
	}{
		{"all that are held", 0, 10, 100, []string{"line 3", "line 4", "line 5", "line 6", "line 7"}},
		{"since one of them", 5, 10, 100, []string{"line 5", "line 6", "line 7"}},
		{"so many lines", 5, 2, 100, []string{"line 6", "line 7"}},
		{"so many bytes", 5, 10, 13, []string{"line 6", "line 7"}},
		{"not even one", 5, 10, 5, []string{}},
		{"nothing new", 8, 10, 100, []string{}},
		{"more than there are", 9, 10, 100, []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, added := l.Since(tt.seen, tt.n, tt.bytes); !slices.Equal(got, tt.want) || added != 8 {
				t.Errorf("got %q, %d, want %q", got, added, tt.want)
			}
		})
	}
}

func TestConcurrent(t *testing.T) {
	l := linesOf(10, 1000)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 100 {
				l.Add(fmt.Sprint(i))
				l.Last(5)
			}
		})
	}
	wg.Wait()
	if got := l.Last(100); len(got) != 10 {
		t.Errorf("got %d lines, want 10", len(got))
	}
}

// A ring of elements counts what each says that it is.
func TestSizes(t *testing.T) {
	r := Of(10, 9, func(n int) int { return n })
	for _, tt := range []struct {
		add  int
		want []int
	}{
		{4, []int{4}},
		{5, []int{4, 5}},
		{0, []int{4, 5, 0}},
		{1, []int{5, 0, 1}},
		{9, []int{9}},
		{10, []int{}}, // there is no room for it
		{1, []int{1}},
	} {
		r.Add(tt.add)
		if got := r.Last(10); !slices.Equal(got, tt.want) {
			t.Errorf("after %d there are %d, want %d", tt.add, got, tt.want)
		}
	}
	if got, added := r.Since(6, 10, 9); !slices.Equal(got, []int{1}) || added != 7 {
		t.Errorf("since 6 there are %d, and %d in all", got, added)
	}
}
