package fswatch

import (
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/await"
)

// A folder on a disk that hangs holds up no Watch that looks elsewhere, and no caller. What was closed
// meanwhile leaves nothing behind when the disk finally answers.
func TestPromise4DiskThatHangs(t *testing.T) {
	x := newTree(t)
	x.mkdir("dead/d")
	x.mkdir("live")
	answer, asked := make(chan struct{}), make(chan struct{}, 100) // asked: once for each goroutine that asks
	f := newFake()
	h, _ := hubWith(t, f, func(env *environment) {
		env.unwatchable = func(dir string) string {
			if strings.HasPrefix(dir, x.at("dead")) {
				asked <- struct{}{}
				<-answer
			}
			return ""
		}
	})

	dead := h.Watch(func() { t.Error("told of what hangs") }, x.at("dead/d"))
	<-asked
	live, told := x.watching(h, "live")
	if f.watches(x.at("live")) != 1 {
		t.Error("the other folder is not watched")
	}
	w, _ := x.watching(h, "live")
	w.Set(x.at("dead/d"), x.at("live")) // returns, and so does all that follows
	<-asked
	dead.Set(x.at("live"))
	h.lost()
	told.await(t, "that something was lost", always)
	dead.Close()
	w.Close()
	live.Close()
	x.must(h.Close())
	close(answer)
	await.Until(t, "nothing is left", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.listeners)+len(h.dirs) == 0
	})
}
