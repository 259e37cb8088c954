package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rerun"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Attaching anew after the daemon has gone, or could not be reached.
const (
	firstPause    = 100 * time.Millisecond // doubled each time
	longestPause  = 30 * time.Second
	shakingHands  = 10 * time.Second
	ending        = 5 * time.Second // for a daemon that was killed to let go of its socket: with many servers it takes long
	withoutAnyone = "agent"         // the name of an agent that says none
)

// An attachment is the session's place at the daemon, for as long as both are there.
type attachment struct {
	*editorapi.Client
	as   identity      // as the daemon knows it
	over chan struct{} // closed when it is to be given up, since the agent has declared more

	leveled map[string]level // that servers were told of the legacy agent; session.mu guards it
	place   place            // as the daemon knows it: of link.moving, once it is attached
}

// A place is where the agent works.
type place struct {
	folders []editorapi.Folder
	chosen  bool // the agent or the user chose them
}

func (p place) is(other place) bool {
	return slices.Equal(p.folders, other.folders) && p.chosen == other.chosen
}

// A link keeps the session attached to the daemon: it connects when the session begins, attaches when
// the first request says who the agent is, and attaches anew when the daemon goes or the agent declares
// more than before. Lock order: session.mu, then mu.
type link struct {
	s     *session
	known chan struct{} // closed when the identity is known
	kick  chan struct{} // has a value when somebody wants to be attached now

	moving *rerun.Runner // runs move

	mu       sync.Mutex // guards the fields that follow
	wanted   identity
	now      *attachment   // nil while there is none
	place    place         // of now
	attempts int           // that have ended
	err      error         // of the last one
	changed  chan struct{} // closed when any of these has changed
}

func newLink(s *session) *link {
	l := &link{s: s, known: make(chan struct{}), kick: make(chan struct{}, 1), changed: make(chan struct{})}
	l.moving = rerun.New(l.move)
	l.place = place{foldersOf(s.o.Folders), len(s.o.Folders) > 0}
	if !l.place.chosen {
		l.place.folders = foldersOf(project(s.o.Dir, s.o.Home))
	}
	return l
}

// change tells who waits that something has changed. The caller holds mu.
func (l *link) change() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// identify says who the agent is, and what it can do.
func (l *link) identify(i identity) {
	l.mu.Lock()
	select {
	case <-l.known:
		l.wanted = l.wanted.with(i)
		if l.wanted.name == "" {
			l.wanted.name, l.wanted.title, l.wanted.version = i.name, i.title, i.version
		}
	default:
		l.wanted = i
		close(l.known)
	}
	l.mu.Unlock()
	l.calm()
}

// calm attaches anew if the agent has declared more than the daemon knows, unless calls are under way:
// these would be lost.
func (l *link) calm() {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	if len(l.s.calls)+len(l.s.parked) > 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == nil || reflect.DeepEqual(l.wanted.capabilities, l.now.as.capabilities) {
		return
	}
	close(l.now.over)
	l.now = nil
	l.change()
}

// attached returns the attachment, and waits for one that is under way. It fails when that fails.
func (l *link) attached(ctx context.Context) (*attachment, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.attempts
	for {
		if l.now != nil {
			return l.now, nil
		}
		if l.attempts > before && l.err != nil {
			return nil, l.err
		}
		changed := l.changed
		l.mu.Unlock()
		select {
		case l.kick <- struct{}{}:
		default:
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
		l.mu.Lock()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// failing reports whether the daemon could not be reached the last time.
func (l *link) failing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now == nil && l.err != nil
}

// run keeps the session attached until it ends. A daemon that has ended is started again by who needs
// it, for a call or a subscription, and not by all who were there: a person may have stopped it.
func (l *link) run() {
	ctx := l.s.ctx
	conn, err := l.s.o.Connect(ctx) // before anybody waits for it: the daemon may have to start
	select {
	case <-l.known:
	case <-ctx.Done():
		if err == nil {
			conn.Close()
		}
		return
	}
	needed, began := true, time.Now()
	for pause := firstPause; ctx.Err() == nil; {
		var at *attachment
		if err == nil {
			at, err = l.attach(conn)
		}
		switch {
		case err == nil:
			l.hold(at)
			needed, began, pause = l.s.subscribes(), time.Now(), firstPause
		case errors.Is(err, editorapi.ErrDaemonGone) && time.Since(began) < ending:
			// A daemon that was killed loses its connections before its socket, so all who have just
			// lost it connect to it once more: they try again, and not all at the same time.
			select {
			case <-time.After(firstPause/2 + rand.N(firstPause)):
			case <-ctx.Done():
			}
		default:
			if needed {
				l.fail(err)
			}
			select {
			case <-time.After(pause):
				needed = l.s.subscribes()
			case <-l.kick:
				needed = true
			case <-ctx.Done():
			}
			began, pause = time.Now(), min(2*pause, longestPause)
		}
		connect := l.s.o.Dial
		if needed {
			connect = l.s.o.Connect
		}
		conn, err = connect(ctx)
	}
	if err == nil {
		conn.Close()
	}
}

// fail says that the daemon could not be reached.
func (l *link) fail(err error) {
	l.s.o.Log.Warn("the daemon cannot be reached", zap.Error(err))
	l.mu.Lock()
	l.attempts++
	l.err = fmt.Errorf("mcp-editord cannot reach its daemon: %w", err)
	l.change()
	l.mu.Unlock()
	l.s.shelf.poke()
}

// attach shakes hands with the daemon over conn, which it owns.
func (l *link) attach(conn io.ReadWriteCloser) (*attachment, error) {
	ctx, cancel := context.WithTimeout(l.s.ctx, shakingHands)
	defer cancel()
	l.mu.Lock()
	identity, place := l.wanted, l.place
	l.mu.Unlock()
	agent := &editorapi.Agent{Name: cmp.Or(identity.title, withoutAnyone)}
	if !place.chosen {
		agent.Within = l.s.o.Dir
	}
	at := &attachment{as: identity, place: place, over: make(chan struct{}), leveled: map[string]level{}}
	client, err := editorapi.NewClient(ctx, conn, editorapi.ClientOptions{
		Name: cmp.Or(identity.name, withoutAnyone), Version: identity.version,
		Folders: slices.Clone(place.folders), Capabilities: identity.capabilities, Agent: agent,
		AutoStart:   true, // of those servers that nobody has ever seen; the others start when they are called
		Environment: l.s.o.Environment, Umask: l.s.o.Umask,
		Sample:         l.s.asking(at, wire.MethodSample, "sampling"),
		Elicit:         l.s.asking(at, wire.MethodElicit, "elicitation"),
		ListRoots:      l.s.asking(at, wire.MethodListRoots, "roots"),
		Relayed:        l.s.relayed,
		ServerChanged:  func(editorapi.Server) { l.s.shelf.stale() },
		ServerRemoved:  func(editorapi.ServerRemoved) { l.s.shelf.stale() },
		CatalogChanged: func(editorapi.CatalogChanged) { l.s.shelf.stale() },
		SubscriptionEnded: func(p editorapi.SubscriptionEnded) {
			l.s.o.Log.Warn("a subscription has ended", zap.String("server", p.Server), zap.String("uri", p.URI), zap.String("reason", p.Reason))
		},
		Log: l.s.o.Log,
	})
	if err != nil {
		return nil, err
	}
	at.Client = client
	return at, nil
}

// hold publishes an attachment, and returns when it has ended.
func (l *link) hold(at *attachment) {
	l.mu.Lock()
	l.now, l.err = at, nil
	l.attempts++
	l.change()
	l.mu.Unlock()
	<-l.moving.Again() // the agent may have named folders meanwhile
	l.s.shelf.renew(at)
	l.s.resubscribe(at)
	select {
	case <-at.Done():
	case <-at.over:
	case <-l.s.ctx.Done():
	}
	l.lost(at)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.s.ctx), goodbye)
	defer cancel()
	_ = at.Close(ctx) // the daemon may have gone
}

// open changes the folders of the agent. chosen says that it has chosen them.
func (l *link) open(folders []editorapi.Folder, chosen bool) {
	l.mu.Lock()
	l.place = place{folders, chosen}
	l.mu.Unlock()
	l.moving.Again()
}

// move tells the daemon the folders of now, if it knows others. Those of an editor count until the
// agent has chosen.
func (l *link) move() {
	l.mu.Lock()
	at, now := l.now, l.place
	l.mu.Unlock()
	if at == nil || now.is(at.place) || at.ChangeFolders(now.folders) != nil {
		return // it attaches with them
	}
	at.place = now
	l.s.resubscribe(at)
	l.s.shelf.stale()
}

// lost says that the daemon of an attachment has gone.
func (l *link) lost(at *attachment) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == at {
		l.now = nil
		l.change()
	}
}

// agentName returns what the agent calls itself, "" when it has not said so.
func (l *link) agentName() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wanted.name
}

// current returns the attachment, nil when there is none.
func (l *link) current() *attachment {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}
