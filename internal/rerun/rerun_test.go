package rerun

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestARunBeginsAfterTheCall(t *testing.T) {
	var asked, seen atomic.Int64
	r := New(func() { seen.Store(asked.Load()) })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				n := asked.Add(1)
				<-r.Again()
				if got := seen.Load(); got < n {
					t.Errorf("the run has seen %d, and %d was asked for before it", got, n)
				}
			}
		})
	}
	all.Wait()
}

func TestManyCallsAreOneRun(t *testing.T) {
	begun, goOn := make(chan struct{}, 10), make(chan struct{})
	var runs atomic.Int64
	r := New(func() {
		runs.Add(1)
		begun <- struct{}{}
		<-goOn
	})
	first := r.Again()
	<-begun
	second := r.Again()
	for range 100 {
		if r.Again() != second {
			t.Fatal("there is a third run")
		}
	}
	if first == second {
		t.Fatal("a run that has begun was taken for one that begins after the call")
	}
	goOn <- struct{}{}
	<-first
	<-begun
	goOn <- struct{}{}
	<-second
	if n := runs.Load(); n != 2 {
		t.Errorf("%d runs", n)
	}
}

func TestAgainFromTheFunction(t *testing.T) {
	var r *Runner
	left := 3 // used by one run after another
	ended := make(chan struct{})
	r = New(func() {
		if left--; left > 0 {
			r.Again()
		} else if left == 0 {
			close(ended)
		}
	})
	r.Again()
	<-ended
	<-r.Again()
}
