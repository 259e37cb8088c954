package roots

import (
	"testing"
	"time"
)

// A folder on a disk that hangs is absent until the disk answers. It holds up no other folder,
// and neither those who ask for the roots nor those who change the configuration.
func TestPromise4FolderThatHangs(t *testing.T) {
	x := newTree(t, "dead", "live", "more")
	answer := make(chan struct{})
	disk := func(r *reader, poll bool) found {
		if r.entries[0].base == x.at("dead") {
			<-answer
		}
		return r.scan(poll)
	}
	w := x.set(Config{}, pace{quiet: time.Millisecond, atMost: 10 * time.Millisecond, patience: 20 * time.Millisecond, poll: time.Hour}, disk)
	w.Update(Config{Folders: []string{x.at("dead"), x.at("live")}})
	w.awaitCurrent("live")
	w.Update(Config{Folders: []string{x.at("dead"), x.at("live"), x.at("more")}})
	w.awaitCurrent("live", "more")
	x.remove("live")
	w.awaitCurrent("more")
	close(answer)
	w.awaitCurrent("dead", "more")
	w.Update(Config{Folders: []string{x.at("more")}})
	w.awaitCurrent("more")
}
