package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// work is one kind of call, and how many of it to make.
type work struct {
	name      string
	tool      string
	arguments map[string]any
	callers   int // that call at the same time
	calls     int // of each caller in one round
	rounds    int
}

var works = []work{
	{"small call", "echo", map[string]any{"text": "hello"}, 1, 100, 20},
	{"small calls, 8 callers", "echo", map[string]any{"text": "hello"}, 8, 50, 10},
	{"result of 1 MB", "big", map[string]any{"bytes": 1_000_000}, 1, 5, 6},
	{"result of 20 MB", "big", map[string]any{"bytes": 20_000_000}, 1, 1, 4},
}

// measured is the time that one way needed for one work.
type measured struct {
	each []time.Duration // of each call
	all  time.Duration   // of all rounds
}

// percentile returns the time that a share of the calls did not exceed.
func (m *measured) percentile(share float64) time.Duration {
	slices.Sort(m.each)
	return m.each[int(share*float64(len(m.each)-1))]
}

func (m *measured) rate() float64 { return float64(len(m.each)) / m.all.Seconds() }

// speed measures every work in every way, and prints the results.
func speed(ctx context.Context, p *place) (err error) {
	var ways []*way
	defer func() {
		for _, w := range ways {
			err = errors.Join(err, w.close())
		}
	}()
	for _, open := range []func() (*way, error){
		func() (*way, error) { return p.direct(ctx, p.fake) },
		func() (*way, error) { return p.attached(ctx, "fake") },
		func() (*way, error) { return p.onSocket(ctx, "fake") },
	} {
		w, err := open()
		if err != nil {
			return err
		}
		ways = append(ways, w)
	}
	fmt.Printf("%63s   compared with direct\n", "")
	fmt.Printf("%-24s %-8s %10s %10s %9s %8s %8s %8s\n", "", "", "p50", "p95", "calls/s", "p50", "p95", "calls/s")
	for _, work := range works {
		results := make([]measured, len(ways))
		for round := range work.rounds + 1 { // the first warms up
			for i, w := range ways {
				m, err := work.round(ctx, w)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", work.name, w.name, err)
				}
				if round > 0 {
					results[i].each = append(results[i].each, m.each...)
					results[i].all += m.all
				}
			}
		}
		base := &results[0]
		for i, w := range ways {
			m, name := &results[i], ""
			if i == 0 {
				name = work.name
			}
			fmt.Printf("%-24s %-8s %10s %10s %9.1f %7.2fx %7.2fx %7.2fx\n", name, w.name,
				m.percentile(0.5).Round(time.Microsecond), m.percentile(0.95).Round(time.Microsecond), m.rate(),
				ratio(m.percentile(0.5), base.percentile(0.5)), ratio(m.percentile(0.95), base.percentile(0.95)), m.rate()/base.rate())
		}
	}
	return nil
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

// round does one round of the work in one way.
func (k work) round(ctx context.Context, w *way) (measured, error) {
	var (
		mu   sync.Mutex // guards m and errs
		m    measured
		errs error
		wg   sync.WaitGroup
	)
	begin := time.Now()
	for range k.callers {
		wg.Go(func() {
			each := make([]time.Duration, 0, k.calls)
			var err error
			for range k.calls {
				begin := time.Now()
				if err = w.call(ctx, k.tool, k.arguments); err != nil {
					break
				}
				each = append(each, time.Since(begin))
			}
			mu.Lock()
			defer mu.Unlock()
			m.each = append(m.each, each...)
			errs = errors.Join(errs, err)
		})
	}
	wg.Wait()
	m.all = time.Since(begin)
	return m, errs
}
