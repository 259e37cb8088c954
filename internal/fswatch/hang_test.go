package fswatch

import (
	"strings"
	"testing"
)

// hang makes everything under dir a disk that does not answer until the test ends; asked
// receives once for each goroutine that has asked it.
func hang(t *testing.T, dir string) (unwatchable func(string) string, asked <-chan struct{}) {
	never, told := make(chan struct{}), make(chan struct{}, 100)
	t.Cleanup(func() { close(never) })
	return func(at string) string {
		if strings.HasPrefix(at, dir) {
			told <- struct{}{}
			<-never
		}
		return ""
	}, told
}

// A folder on a disk that hangs holds up no Watch that looks elsewhere, and no caller.
func TestPromise4DiskThatHangs(t *testing.T) {
	x := newTree(t)
	x.mkdir("dead/d")
	x.mkdir("live")
	unwatchable, asked := hang(t, x.at("dead"))
	f := newFake()
	h, _ := hubWith(t, f, func(env *environment) { env.unwatchable = unwatchable })

	dead := h.Watch(func() { t.Error("told of what hangs") }, x.at("dead/d"))
	<-asked
	told := newCalls()
	live := h.Watch(told.changed, x.at("live"))
	told.await(t, "that it watches", always)
	if f.watches(x.at("live")) != 1 {
		t.Error("the other folder is not watched")
	}
	moved := newCalls()
	w := h.Watch(moved.changed, x.at("live"))
	moved.await(t, "that it watches", always)
	w.Set(x.at("dead/d"), x.at("live")) // returns, and so does all that follows
	<-asked
	dead.Set(x.at("live"))
	h.lost()
	told.await(t, "that something was lost", always)
	dead.Close()
	w.Close()
	live.Close()
	if why := degraded(h); why != "" {
		t.Errorf("it is degraded because %q", why)
	}
	// The cleanup waits for the end of the hub, which comes before the end of the hang.
}

// A Watch that was closed while it hung leaves nothing behind when the disk finally answers.
func TestClosedWhileItHangs(t *testing.T) {
	x := newTree(t)
	x.mkdir("d")
	answer, asked := make(chan struct{}), make(chan struct{}, 10)
	f := newFake()
	h, _ := hubWith(t, f, func(env *environment) {
		env.unwatchable = func(dir string) string {
			if dir == x.at("d") {
				asked <- struct{}{}
				<-answer
			}
			return ""
		}
	})
	w := h.Watch(func() { t.Error("told after it was closed") }, x.at("d"))
	<-asked
	w.Close()
	close(answer)
	eventually(t, "nothing is left", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.watches)+len(h.dirs) == 0
	})
	if f.watches(x.at("d")) != 0 {
		t.Error("a directory is still watched")
	}
}
