package budget

import (
	"math/rand/v2"
	"sync"
	"testing"
)

func TestBudget(t *testing.T) {
	all := New(100)
	a, b := all.Child(60), all.Child(60)
	for _, step := range []struct {
		name string
		of   *Budget
		n    int
		ok   bool
	}{
		{"within", a, 60, true}, {"over its own limit", a, 1, false}, {"over the limit of all", b, 41, false},
		{"the rest", b, 40, true}, {"nothing", b, 0, true},
	} {
		if ok := step.of.Acquire(step.n); ok != step.ok {
			t.Errorf("%s: %v", step.name, ok)
		}
	}
	if a.Used() != 60 || b.Used() != 40 || all.Used() != 100 {
		t.Errorf("used are %d and %d, of all %d", a.Used(), b.Used(), all.Used())
	}
	a.Release(60)
	b.Release(40)
	if a.Used() != 0 || b.Used() != 0 || all.Used() != 0 {
		t.Errorf("at the end used are %d and %d, of all %d", a.Used(), b.Used(), all.Used())
	}
	var none *Budget
	c := none.Claim()
	if !c.Grow(1 << 40) {
		t.Error("no budget has a limit")
	}
	c.Release()
}

func TestClaim(t *testing.T) {
	b := New(10)
	c := b.Claim()
	if !c.Grow(6) || c.Grow(5) || !c.Grow(4) || b.Used() != 10 {
		t.Errorf("used are %d", b.Used())
	}
	c.Shrink(3)
	if b.Used() != 7 {
		t.Errorf("after giving back 3 used are %d", b.Used())
	}
	c.Release()
	c.Release()
	if b.Used() != 0 {
		t.Errorf("at the end used are %d", b.Used())
	}
}

// However many goroutines use it at once, it passes no limit and loses nothing.
func TestPromise10BudgetOfMany(t *testing.T) {
	all := New(1000)
	var running sync.WaitGroup
	for range 8 {
		child := all.Child(300)
		running.Go(func() {
			for range 10_000 {
				n := rand.IntN(200)
				if child.Acquire(n) {
					child.Release(n)
				}
			}
			if child.Used() != 0 {
				t.Errorf("of a child %d are in use", child.Used())
			}
		})
	}
	running.Wait()
	if all.Used() != 0 {
		t.Errorf("%d are in use", all.Used())
	}
}

// A budget says when bytes of its children are taken and given back, and not when they are refused.
func TestOnMove(t *testing.T) {
	b := New(10)
	moved := 0
	b.OnMove(func() { moved++ })
	child := b.Child(8)
	for _, step := range []struct {
		name string
		do   func()
		want int
	}{
		{"taken", func() { child.Acquire(5) }, 1},
		{"refused by the child", func() { child.Acquire(5) }, 1},
		{"refused", func() { b.Child(10).Acquire(6) }, 1},
		{"given back", func() { child.Release(5) }, 2},
	} {
		if step.do(); moved != step.want {
			t.Errorf("%s: it was said %d times so far, want %d", step.name, moved, step.want)
		}
	}
}
