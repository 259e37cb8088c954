package buffers

import "testing"

func TestGet(t *testing.T) {
	for _, n := range []int{0, 1, 64 << 10, 64<<10 + 1, 4 << 20, 4<<20 + 1, 50 << 20} {
		if b := Get(n); len(b) != 0 || cap(b) < n {
			t.Errorf("Get(%d) has %d bytes and room for %d", n, len(b), cap(b))
		}
	}
}

// What is small is no larger than it has to be: nothing of it is kept.
func TestSmall(t *testing.T) {
	for _, n := range []int{0, 100, 16 << 10} {
		if b := Get(n); cap(b) > n {
			t.Errorf("Get(%d) has room for %d bytes", n, cap(b))
		}
	}
}

func TestKept(t *testing.T) {
	Drop()
	a := Get(100 << 10)
	Put(append(a, 1, 2, 3))
	b := Get(128 << 10)
	if &a[:1][0] != &b[:1][0] || len(b) != 0 {
		t.Error("a buffer that was given back is not used again")
	}
	if c := Get(128 << 10); &c[:1][0] == &b[:1][0] {
		t.Error("a buffer has two owners")
	}
	Put(b)
	Drop()
	if c := Get(128 << 10); &c[:1][0] == &b[:1][0] {
		t.Error("Drop has kept a buffer")
	}
}

func TestBound(t *testing.T) {
	Drop()
	for range 100 {
		Put(make([]byte, 1<<20))
	}
	Put(make([]byte, 64<<20)) // none of these is kept
	Put(make([]byte, 100))
	Put(make([]byte, 100_000))
	if kept.bytes != maxKept {
		t.Errorf("%d bytes are kept, want %d", kept.bytes, maxKept)
	}
	for range 8 {
		Get(1 << 20)
	}
	if kept.bytes != 0 {
		t.Errorf("%d bytes are kept though all were taken", kept.bytes)
	}
}
