package roots

import (
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/fswatch"
)

// A folder on a disk that hangs is absent until the disk answers. It holds up no other folder,
// and neither those who ask for the roots nor those who change the configuration.
func TestPromise4FolderThatHangs(t *testing.T) {
	x := newTree(t, "dead", "live", "more")
	hub := fswatch.New(zap.NewNop())
	defer hub.Close()
	answer := make(chan struct{})
	disk := func(r *reader, poll bool) found {
		if r.entries[0].base == x.at("dead") {
			<-answer
		}
		return r.scan(poll)
	}
	changes := make(chan struct{}, 100)
	s := newSet(Config{}, hub, func() { changes <- struct{}{} }, func() {}, zap.NewNop(),
		pace{quiet: time.Millisecond, atMost: 10 * time.Millisecond, patience: 20 * time.Millisecond, poll: time.Hour}, disk)
	defer s.Close()
	await := func(want ...string) {
		t.Helper()
		late := time.After(deadline)
		for !slices.Equal(x.names(s.Current()), want) {
			select {
			case <-changes:
			case <-late:
				t.Fatalf("never %q", want)
			}
		}
	}

	s.Update(Config{Folders: []string{x.at("dead"), x.at("live")}})
	await("live")
	s.Update(Config{Folders: []string{x.at("dead"), x.at("live"), x.at("more")}})
	await("live", "more")
	x.remove("live")
	await("more")
	close(answer)
	await("dead", "more")
	s.Update(Config{Folders: []string{x.at("more")}})
	await("more")
}
