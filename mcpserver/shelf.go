package mcpserver

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/debounce"
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

	wakePatience = 500 * time.Millisecond // for the daemon to start them

	changesQuiet = 100 * time.Millisecond
	changesMax   = 500 * time.Millisecond
)

// A shelf has the catalog as the daemon told it last. It outlives the daemon.
type shelf struct {
	s       *session
	naming  naming
	changes *debounce.Debouncer

	fetching sync.Mutex // held while a catalog is fetched: the last one fetched counts

	mu        sync.Mutex                  // guards the fields that follow
	now       *catalog                    // never nil
	outdated  map[string]editorapi.Server // whose part of it may have changed; "" for what is in no part: see serverIs
	there     bool                        // it has come from the daemon
	since     time.Time                   // when the first one came
	starting  bool                        // a server is starting that nobody has ever seen
	asleep    bool                        // such a server is stopped
	deadline  time.Time                   // until when lists wait; zero before the first one
	shown     map[listKind]*catalog       // by which the agent knows a list, or knows of its change
	awaited   map[listKind]int            // lists that the agent waits for
	announced map[string]bool             // notifications of servers that the agent is to get
	changed   chan struct{}               // closed when any of these has changed
}

func newShelf(s *session) *shelf {
	h := &shelf{
		s: s, naming: naming{single: s.single(), limit: s.o.NameLimit, lazy: s.o.Lazy},
		outdated: map[string]editorapi.Server{}, shown: map[listKind]*catalog{}, awaited: map[listKind]int{},
		announced: map[string]bool{}, changed: make(chan struct{}),
	}
	h.now = newCatalog(nil, h.naming)
	for _, kind := range listKinds {
		h.shown[kind] = h.now
	}
	h.changes = debounce.New(changesQuiet, changesMax, func() {
		if at := s.link.current(); at != nil {
			h.renew(at)
		}
	})
	return h
}

// stop ends the fetching.
func (h *shelf) stop() { h.changes.Stop() }

// stale says that what a server offers may have changed, or with "" which servers there are. It does not
// wait.
func (h *shelf) stale(server string) {
	if server != "" && !h.s.serves(server) {
		return
	}
	h.mu.Lock()
	h.outdated[server] = editorapi.Server{}
	h.mu.Unlock()
	h.changes.Trigger()
}

// serverIs notes what the daemon has told of a server, whose part may already be as told: an agent that
// attaches is told of all servers, though it gets the catalog. If it is starting and nobody has ever seen it,
// lists wait for it from now on.
func (h *shelf) serverIs(told editorapi.Server) {
	if !h.s.serves(told.Name) {
		return
	}
	h.mu.Lock()
	if of, noted := h.outdated[told.Name]; !noted || of.Name != "" {
		h.outdated[told.Name] = told
	}
	if told.State == editorapi.ServerStarting {
		for _, s := range h.now.servers {
			h.starting = h.starting || s.Server.Name == told.Name && !s.Tried
		}
	}
	h.mu.Unlock()
	h.changes.Trigger()
}

// isAs reports whether the part of a server in the catalog is as the daemon has told.
func isAs(told editorapi.Server, part *editorapi.CatalogServer) bool {
	// One that does not run has its capabilities from before in the catalog.
	return part.Server.State == told.State && (told.State != editorapi.ServerReady || reflect.DeepEqual(part.Server, told))
}

// announce says that a server has said that lists have changed: the agent is told, though they may be the
// same again.
func (h *shelf) announce(server, method string) {
	h.mu.Lock()
	h.announced[method] = true
	h.mu.Unlock()
	h.stale(server)
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

// maxParts is how many servers are asked about one by one.
const maxParts = 8

// renew gets what may have changed of the catalog from the daemon, and tells the agent what differs. One server
// that changes costs every agent the lists of that server, and not of all.
func (h *shelf) renew(at *attachment) {
	h.fetching.Lock()
	defer h.fetching.Unlock()
	h.s.o.Busy()
	h.mu.Lock()
	servers, all := slices.Clone(h.now.servers), !h.there
	parts := map[string]*editorapi.CatalogServer{}
	for name, told := range h.outdated {
		i := slices.IndexFunc(servers, func(s editorapi.CatalogServer) bool { return s.Server.Name == name })
		if i < 0 {
			all = true // "", or one that is new
		} else if told.Name == "" || !isAs(told, &servers[i]) {
			parts[name] = &servers[i]
		}
	}
	clear(h.outdated)
	h.mu.Unlock()
	if all = all || len(parts) > maxParts; !all && len(parts) == 0 {
		return
	}
	for name, part := range parts {
		if all {
			break
		}
		answer, err := at.Catalog(h.s.ctx, editorapi.CatalogParams{Server: name, Known: true})
		if all = err != nil || len(answer.Value.Servers) != 1; !all { // else it is no longer defined
			*part = answer.Value.Servers[0]
		}
	}
	if all {
		answer, err := at.Catalog(h.s.ctx, editorapi.CatalogParams{Known: true})
		if err != nil {
			if h.s.link.current() == at { // else the next one is asked
				h.s.o.Log.Warn("the catalog could not be read", zap.Error(err))
			}
			return
		}
		servers = slices.DeleteFunc(answer.Value.Servers, func(s editorapi.CatalogServer) bool { return !h.s.serves(s.Server.Name) })
	}
	h.put(servers)
}

// put makes the catalog of servers that of now, and tells the agent what differs. The caller holds fetching.
func (h *shelf) put(servers []editorapi.CatalogServer) {
	h.mu.Lock()
	h.keepOld(servers)
	known := newCatalog(servers, h.naming)
	first := !h.there
	h.now, h.there, h.starting, h.asleep = known, true, false, false
	for _, s := range servers {
		switch {
		case s.Tried:
		case s.Server.State == editorapi.ServerStarting, s.Server.State == editorapi.ServerRestarting:
			h.starting = true
		case s.Server.State == editorapi.ServerStopped:
			h.asleep = true
		}
	}
	if first {
		h.since = time.Now()
		time.AfterFunc(wakePatience, h.poke)
	}
	h.change()
	h.mu.Unlock()
	h.tell()
}

// keepOld gives servers of which the daemon knows nothing yet the lists that they had before: the daemon
// has ended before it could keep them. The caller holds mu.
func (h *shelf) keepOld(servers []editorapi.CatalogServer) {
	for i, s := range servers {
		if s.Tried || s.Server.State == editorapi.ServerReady || !usable(s.Server.State) {
			continue
		}
		for _, old := range h.now.servers {
			if old.Server.Name == s.Server.Name && old.Server.Digest == s.Server.Digest {
				servers[i].Tools, servers[i].Prompts, servers[i].Resources, servers[i].ResourceTemplates = old.Tools, old.Prompts, old.Resources, old.ResourceTemplates
			}
		}
	}
}

// seen reports whether no server is starting that nobody has ever seen. The daemon starts these by itself,
// in a moment. One that stays stopped was stopped by a person. The caller holds mu.
func (h *shelf) seen() bool {
	return h.there && !h.starting && (!h.asleep || time.Since(h.since) >= wakePatience)
}

// tell tells the agent which of its lists have changed, once it can be told.
func (h *shelf) tell() {
	if !h.s.listening() {
		return
	}
	h.mu.Lock()
	var kinds []listKind
	for _, kind := range listKinds {
		if h.awaited[kind] > 0 {
			continue
		}
		if h.announced[kind.changed()] || h.now.differs(kind, h.shown[kind]) {
			kinds = append(kinds, kind)
		}
		h.shown[kind] = h.now
	}
	clear(h.announced)
	h.mu.Unlock()
	h.s.tellChanged(kinds)
}

// hello returns the catalog for the answer to initialize or server/discover, which waits for nothing
// longer than a moment.
func (h *shelf) hello(ctx context.Context) *catalog {
	known := h.await(ctx, time.Now().Add(helloPatience), func() bool { return h.there })
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, kind := range listKinds {
		h.shown[kind] = known
	}
	return known
}

// first returns the catalog once there is one.
func (h *shelf) first(ctx context.Context) *catalog {
	return h.await(ctx, time.Now().Add(listPatience), func() bool { return h.there })
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
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
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
		case <-timer.C:
			return known
		case <-ctx.Done():
			return known
		}
	}
}

// list returns the catalog for a list that the agent gets. It is told of no change to a list that it
// waits for.
func (h *shelf) list(ctx context.Context, kind listKind) *catalog {
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
