package mcpserver

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/debounce"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// How long answers wait for what is not known yet, and how long changes wait for more of them.
const (
	// Some agents give a server 10 s for its first answer, and people wait for each of them.
	helloPatience = 150 * time.Millisecond
	// Many agents list once and never look again. So the lists wait for servers that nobody has ever
	// seen; for no other server does a list wait. It counts from the first list. After some ten seconds a
	// person turns to something else. What comes later is told by list_changed, and who calls it waits
	// for it.
	listPatience = 8 * time.Second
	// Codex begins without the tools of a server that has not listed them within a second.
	hurriedPatience = 700 * time.Millisecond

	wakePatience = time.Second // for the daemon to start them, and for us to hear of it

	changesQuiet = 100 * time.Millisecond
	changesMax   = 500 * time.Millisecond
)

// A shelf has the catalog as the daemon told it last. It outlives the daemon.
type shelf struct {
	s       *session
	naming  naming
	changes *debounce.Debouncer

	fetching sync.Mutex // held while the catalog is fetched: the last one fetched counts

	mu        sync.Mutex                 // guards the fields that follow
	now       *catalog                   // never nil
	since     time.Time                  // when the first one came from the daemon; zero before
	deadline  time.Time                  // until when lists wait; zero before the first one
	shown     map[wire.ListKind]*catalog // by which the agent knows a list, or knows of its change
	awaited   map[wire.ListKind]int      // lists that the agent waits for
	announced map[string]bool            // notifications of servers that the agent is to get
	changed   chan struct{}              // closed when any of these has changed
}

func newShelf(s *session) *shelf {
	h := &shelf{
		s: s, naming: naming{single: s.single(), limit: s.o.NameLimit, lazy: s.o.Lazy},
		shown: map[wire.ListKind]*catalog{}, awaited: map[wire.ListKind]int{},
		announced: map[string]bool{}, changed: make(chan struct{}),
	}
	h.now = newCatalog(nil, h.naming)
	for _, kind := range wire.ListKinds() {
		h.shown[kind] = h.now
	}
	h.changes = debounce.New(changesQuiet, changesMax, func() {
		if at := s.link.current(); at != nil {
			h.renew(at)
		}
	})
	return h
}

// stale says that what the servers offer may have changed. It does not wait.
func (h *shelf) stale() { h.changes.Trigger() }

// announce says that a server has said that lists have changed: the agent is told, though they may be the
// same again.
func (h *shelf) announce(method string) {
	h.mu.Lock()
	h.announced[method] = true
	h.mu.Unlock()
	h.stale()
}

// poke has who waits look again.
func (h *shelf) poke() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.change()
}

// change tells who waits that something has changed. The caller holds mu.
func (h *shelf) change() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// renew fetches the catalog.
func (h *shelf) renew(at *attachment) {
	h.fetching.Lock()
	defer h.fetching.Unlock()
	h.s.o.Busy()
	answer, err := editorapi.MethodCatalog.Call(h.s.ctx, at.Client, editorapi.CatalogParams{Known: true})
	switch {
	case err == nil:
		h.put(slices.DeleteFunc(answer.Value.Servers, func(s editorapi.CatalogServer) bool {
			return !h.s.serves(s.Server.Name)
		}))
		h.s.tellLevel(at)
	case h.s.link.current() == at: // else the next one is asked
		h.s.o.Log.Warn("the catalog could not be read", zap.Error(err))
	}
}

// put makes the catalog of servers that of now, and tells the agent what differs.
func (h *shelf) put(servers []editorapi.CatalogServer) {
	known := newCatalog(servers, h.naming)
	h.mu.Lock()
	h.now = known
	if h.since.IsZero() {
		h.since = time.Now()
		time.AfterFunc(wakePatience, h.poke)
	}
	h.change()
	h.mu.Unlock()
	h.tell()
}

// there reports whether the catalog has come from the daemon. The caller holds mu.
func (h *shelf) there() bool { return !h.since.IsZero() }

// seen reports whether no server is starting that nobody has ever seen. The daemon starts these by itself,
// in a moment. One that stays stopped was stopped by a person. The caller holds mu.
func (h *shelf) seen() bool {
	return h.there() && !slices.ContainsFunc(h.now.servers, func(s editorapi.CatalogServer) bool {
		switch s.Server.State {
		case editorapi.ServerStarting, editorapi.ServerRestarting:
			return !s.Tried
		case editorapi.ServerStopped:
			return !s.Tried && time.Since(h.since) < wakePatience
		}
		return false
	})
}

// tell tells the agent which of its lists have changed, once it can be told: one of the legacy era of
// all of them, one of the modern era of those it wants to hear of: "The server MUST NOT send
// notification types the client has not explicitly requested" (MCP 2026-07-28, Subscriptions).
func (h *shelf) tell() {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	var listens []*listen
	for _, l := range h.s.listens {
		if l.acknowledged && len(l.lists) > 0 {
			listens = append(listens, l)
		}
	}
	if len(listens) == 0 {
		return
	}
	h.mu.Lock()
	changed := h.announced
	h.announced = map[string]bool{}
	for _, kind := range wire.ListKinds() {
		if h.awaited[kind] == 0 {
			changed[kind.Changed()] = changed[kind.Changed()] || h.now.differs(kind, h.shown[kind])
			h.shown[kind] = h.now
		}
	}
	h.mu.Unlock()
	for _, kind := range announced {
		method := kind.Changed()
		for _, l := range listens {
			if changed[method] && l.lists[method] {
				h.s.out.send(&wire.Request{Method: method, Params: l.marked(nil)})
			}
		}
	}
}

// hello returns the catalog for the answer to initialize or server/discover, which waits for nothing
// longer than a moment.
func (h *shelf) hello(ctx context.Context) *catalog {
	known := h.await(ctx, time.Now().Add(helloPatience), h.there)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, kind := range wire.ListKinds() {
		h.shown[kind] = known
	}
	return known
}

// current returns the catalog as it is.
func (h *shelf) current() *catalog {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// settled returns the catalog for a list.
func (h *shelf) settled(ctx context.Context) *catalog {
	patience := listPatience
	if strings.HasPrefix(h.s.link.agentName(), "codex") {
		patience = hurriedPatience
	}
	h.mu.Lock()
	if h.deadline.IsZero() {
		h.deadline = time.Now().Add(patience)
	}
	deadline := h.deadline
	h.mu.Unlock()
	return h.await(ctx, deadline, h.seen)
}

// await returns the catalog once enough is so, or at the deadline, or when the daemon cannot be reached.
// enough is called with mu held.
func (h *shelf) await(ctx context.Context, deadline time.Time, enough func() bool) *catalog {
	late := time.After(time.Until(deadline))
	for {
		failing := h.s.link.failing()
		h.mu.Lock()
		known, over, changed := h.now, enough() || failing, h.changed
		h.mu.Unlock()
		if over {
			return known
		}
		select {
		case <-changed:
		case <-late:
			return known
		case <-ctx.Done():
			return known
		}
	}
}

// list returns the catalog for a list that the agent gets. It is told of no change to a list that it
// waits for.
func (h *shelf) list(ctx context.Context, kind wire.ListKind) *catalog {
	h.mu.Lock()
	h.awaited[kind]++
	h.mu.Unlock()
	known := h.settled(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.awaited[kind]--
	h.shown[kind] = known
	if known != h.now {
		h.s.spawn(h.tell) // a change came in between
	}
	return known
}
