package cork

import "testing"

type counted struct{ flushed int }

func (c *counted) Flush() { c.flushed++ }

func TestCork(t *testing.T) {
	var none *Cork
	a, b := new(counted), new(counted)
	if none.Hold(a) {
		t.Error("without a cork something is held back")
	}
	c := new(Cork)
	if c.Hold(a) {
		t.Error("without more messages something is held back")
	}
	c.More(true)
	if !c.Hold(a) || !c.Hold(b) || !c.Hold(a) {
		t.Error("with more messages something is not held back")
	}
	c.More(false)
	if c.Hold(a) {
		t.Error("at the last message something is held back")
	}
	c.Flush()
	c.Flush()
	if a.flushed != 1 || b.flushed != 1 {
		t.Errorf("flushed %d and %d times, want once", a.flushed, b.flushed)
	}
}
