package debounce

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

const ms = time.Millisecond

// Times are those of the synctest bubble: exact, and nobody waits for them.
func TestWhen(t *testing.T) {
	var steady []time.Duration
	for at := time.Duration(0); at < 1200*ms; at += 70 * ms {
		steady = append(steady, at)
	}
	for _, tt := range []struct {
		name     string
		triggers []time.Duration // since the start
		want     []time.Duration // begins of runs
	}{
		{"one", []time.Duration{0}, []time.Duration{100 * ms}},
		{"many at once", []time.Duration{0, 0, 0}, []time.Duration{100 * ms}},
		{"each moves the run", []time.Duration{0, 90 * ms, 180 * ms}, []time.Duration{280 * ms}},
		{"two that are far apart", []time.Duration{0, 300 * ms}, []time.Duration{100 * ms, 400 * ms}},
		{"never quiet", steady, []time.Duration{500 * ms, 1060 * ms, 1290 * ms}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var got []time.Duration
				d := New(100*ms, 500*ms, func() { got = append(got, time.Since(start)) })
				for _, at := range tt.triggers {
					<-time.After(at - time.Since(start))
					d.Trigger()
				}
				<-time.After(time.Hour)
				d.Stop()
				if !slices.Equal(got, tt.want) {
					t.Errorf("ran at %v, want %v", got, tt.want)
				}
			})
		})
	}
}

func TestLongRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var begins []time.Duration
		running := false
		d := New(100*ms, 500*ms, func() {
			if running {
				t.Error("it runs twice at a time")
			}
			running = true
			begins = append(begins, time.Since(start))
			<-time.After(time.Second)
			running = false
		})
		d.Trigger()
		<-time.After(300 * ms) // in the middle of the run, which ends at 1100 ms
		d.Trigger()
		<-time.After(time.Hour)
		d.Stop()
		if want := []time.Duration{100 * ms, 1100 * ms}; !slices.Equal(begins, want) {
			t.Errorf("ran at %v, want %v", begins, want)
		}
	})
}

func TestTriggerFromRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		var d *Debouncer
		d = New(100*ms, 500*ms, func() {
			if runs++; runs < 3 {
				d.Trigger()
			}
		})
		d.Trigger()
		<-time.After(time.Hour)
		d.Stop()
		if runs != 3 {
			t.Errorf("%d runs, want 3", runs)
		}
	})
}

func TestStop(t *testing.T) {
	t.Run("before anything", func(t *testing.T) {
		d := New(0, 0, func() { t.Error("it ran") })
		d.Stop()
		d.Trigger()
		d.Stop()
	})
	t.Run("drops what waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d := New(100*ms, 500*ms, func() { t.Error("it ran") })
			d.Trigger()
			d.Stop()
			d.Trigger()
			<-time.After(time.Hour)
		})
	})
	t.Run("waits for the run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ended := false
			var d *Debouncer
			d = New(100*ms, 500*ms, func() {
				d.Trigger() // dropped
				<-time.After(time.Second)
				if ended {
					t.Error("it ran again")
				}
				ended = true
			})
			d.Trigger()
			<-time.After(200 * ms)
			d.Stop()
			if !ended {
				t.Error("Stop returned during the run")
			}
			<-time.After(time.Hour)
		})
	})
}
