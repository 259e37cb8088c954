package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/wording"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// relistInterval is the time between two listings of a kind: four a second.
const relistInterval = 250 * time.Millisecond

// firstListing is how long a server may take after the handshake to list what it
// offers. After that it counts as ready without.
const firstListing = 5 * time.Second

// catalog is what a server offers, as it was last listed. It outlives sessions, so
// that the host can be told what a restart has changed.
type catalog struct {
	host Host
	log  *serverLog
	wake chan struct{} // one token: some list is wanted

	mu      sync.Mutex // guards the fields that follow, and what is in lists
	lists   map[wire.ListKind]*list
	offered *Lists // the items of lists; nil since one of them has changed
}

// Lists are the items of all lists of a server at one moment. They do not change: the same pointer
// means the same items, byte for byte.
type Lists struct {
	items map[wire.ListKind][]json.RawMessage
}

// NewLists returns lists with these items, by kind.
func NewLists(items map[wire.ListKind][]json.RawMessage) *Lists { return &Lists{items} }

// Of returns the items of one list, nil when it was never read. They must not be changed.
func (l *Lists) Of(kind wire.ListKind) []json.RawMessage { return l.items[kind] }

// list is one list. It is up to date when read equals wanted.
type list struct {
	pages
	err    error         // of the last listing; nil when it succeeded
	wanted int64         // grows when the list may have changed
	read   int64         // what wanted was when the last finished listing began
	ended  chan struct{} // closed at the end of a listing, and replaced
}

// overdue reports whether the list is too old to use.
func (l *list) overdue() bool { return !l.pages.stale.IsZero() && !time.Now().Before(l.pages.stale) }

func newCatalog(host Host, log *serverLog) *catalog {
	c := &catalog{host: host, log: log, wake: make(chan struct{}, 1), lists: map[wire.ListKind]*list{}}
	for _, kind := range wire.ListKinds() {
		c.lists[kind] = &list{ended: make(chan struct{})}
	}
	return c
}

// current returns the items of all lists as last read.
func (c *catalog) current() *Lists {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.offered == nil {
		c.offered = &Lists{map[wire.ListKind][]json.RawMessage{}}
		for kind, l := range c.lists {
			c.offered.items[kind] = slices.Clip(l.items)
		}
	}
	return c.offered
}

// replace puts p in the place of the pages of l, which is one of c.lists. c.mu is held.
func (c *catalog) replace(l *list, p pages) {
	l.claim.Release()
	l.pages, c.offered = p, nil
}

// mirrored returns the definition of a tool whose arguments are mirrored into
// headers, nil for any other one.
func (c *catalog) mirrored(tool string) json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lists[wire.ListTools].pages.mirrored[tool]
}

// refresh has overdue lists read again.
func (c *catalog) refresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.lists {
		if l.read == l.wanted && l.overdue() {
			l.wanted++
			poke(c.wake)
		}
	}
}

// stale notes that lists may have changed.
func (c *catalog) stale(kinds ...wire.ListKind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, kind := range kinds {
		c.lists[kind].wanted++
	}
	poke(c.wake)
}

// list returns a list once it is as new as the last change that the server told of.
func (c *catalog) list(ctx context.Context, s *session, kind wire.ListKind) (json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.lists[kind]
	if l.read == l.wanted && (l.result == nil && l.err != nil || l.overdue()) {
		l.wanted++ // somebody asks anew for a list that was never read, or is too old
		poke(c.wake)
	}
	for target := l.wanted; l.read < target; {
		ended := l.ended
		c.mu.Unlock()
		var err error
		select {
		case <-ended:
		case <-ctx.Done():
			err = gaveUp(ctx, kind.Method())
		case <-s.ctx.Done():
			err = s.gone(kind.Method())
		}
		c.mu.Lock()
		if err != nil {
			return nil, err
		}
	}
	if l.result == nil {
		return nil, l.err
	}
	return l.result, nil
}

// prepare readies the catalog for a new session: it wants the lists that the server
// declares and drops the rest.
func (c *catalog) prepare(p *peer) (dropped []wire.ListKind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, kind := range wire.ListKinds() {
		l := c.lists[kind]
		if p.declares(kind.Capability()) {
			l.wanted++
			l.err = nil
			continue
		}
		if len(l.items) > 0 {
			dropped = append(dropped, kind)
		}
		c.replace(l, pages{})
		l.err, l.read = nil, l.wanted
	}
	poke(c.wake)
	return dropped
}

// first reads all lists, so that a server that is ready has them, and returns the
// kinds that differ from before. It leaves lists that take longer than firstListing to keep.
func (c *catalog) first(ctx context.Context, s *session) (changed []wire.ListKind) {
	ctx, cancel := context.WithTimeout(ctx, firstListing)
	defer cancel()
	changed = c.round(ctx, s)
	if ctx.Err() != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, l := range c.lists {
			if l.err != nil {
				l.wanted++
			}
		}
		poke(c.wake)
	}
	return changed
}

// failures returns the errors of the lists that could not be read.
func (c *catalog) failures() (errs []error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.lists {
		if l.err != nil {
			errs = append(errs, l.err)
		}
	}
	return errs
}

// keep reads the lists of s whenever they are wanted, until s ends. It reports news,
// which are kinds, with the first round.
func (c *catalog) keep(s *session, news []wire.ListKind) {
	for {
		select {
		case <-c.wake:
		case <-s.ctx.Done():
			return
		}
		begun := time.Now()
		changed := append(c.round(s.ctx, s), news...)
		news = nil
		if len(changed) > 0 {
			c.host.CatalogChanged(changed)
		}
		// A change in the meantime leaves a token in wake.
		select {
		case <-time.After(relistInterval - time.Since(begun)):
		case <-s.ctx.Done():
			return
		}
	}
}

// round reads the wanted lists, all at the same time, and returns the kinds that differ from
// before.
func (c *catalog) round(ctx context.Context, s *session) []wire.ListKind {
	type job struct {
		kind    wire.ListKind
		version int64
		changed bool
	}
	var jobs []*job
	c.mu.Lock()
	for _, kind := range wire.ListKinds() {
		if l := c.lists[kind]; l.read < l.wanted && s.peer.declares(kind.Capability()) {
			jobs = append(jobs, &job{kind: kind, version: l.wanted})
		}
	}
	c.mu.Unlock()
	var reading sync.WaitGroup
	for _, j := range jobs {
		reading.Go(func() {
			p, err := s.readList(ctx, j.kind)
			if s.ctx.Err() == nil { // else err says nothing about the list
				j.changed = c.store(j.kind, j.version, p, err)
			} else {
				p.claim.Release()
			}
		})
	}
	reading.Wait()
	var changed []wire.ListKind
	for _, j := range jobs {
		if j.changed {
			changed = append(changed, j.kind)
		}
	}
	return changed
}

// store records the outcome of a listing that began when version was wanted, and
// reports whether the list has changed. A listing that failed or brought the same leaves the list as it was.
func (c *catalog) store(kind wire.ListKind, version int64, p pages, err error) (changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.lists[kind]
	if size := c.size() - len(l.result) + len(p.result); err == nil && size > maxCatalog {
		err = wire.Errorf(wire.KindTooLarge, kind.Method(), "the lists of the server have %s together, over the limit of %s; have it offer less", wording.Size(int64(size)), wording.Size(maxCatalog))
	}
	l.read, l.err = version, err
	close(l.ended)
	l.ended = make(chan struct{})
	if err != nil {
		p.claim.Release()
		c.log.say("%s failed, the list is kept as it was: %v", kind.Method(), err)
		return false
	}
	if bytes.Equal(l.result, p.result) {
		l.stale, l.mirrored = p.stale, p.mirrored
		p.claim.Release()
		return false
	}
	changed = len(l.items)+len(p.items) > 0
	c.replace(l, p)
	return changed
}

// size returns how many bytes all lists have. c.mu is held.
func (c *catalog) size() (n int) {
	for _, l := range c.lists {
		n += len(l.result)
	}
	return n
}

// close drops the lists.
func (c *catalog) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.lists {
		c.replace(l, pages{})
	}
}
