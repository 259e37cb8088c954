package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/rerun"
	"github.com/mcp-editord/mcp-editord/internal/wording"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// maxCalls is how many requests of the agent are served at the same time: some fewer than the 1024 that the
// daemon serves for one editor, since the session has requests of its own.
const maxCalls = 1000

// A session is what there is between one agent and the daemon. The agent may speak both eras in it:
// "A dual-era server MAY serve both eras concurrently on the same endpoint or process" (MCP 2026-07-28,
// Versioning).
type session struct {
	o       Options
	out     *writer
	link    *link
	shelf   *shelf
	methods map[string]method
	rooting *rerun.Runner   // asks the agent for its roots
	ctx     context.Context // ends with the session
	cancel  context.CancelFunc
	calling sync.WaitGroup // the calls of the agent, of which only its reader begins any

	spawning sync.Mutex     // guards the fields that follow; taken last
	ended    bool           // nothing is spawned any more
	running  sync.WaitGroup // what serves requests and asks the agent

	mu      sync.Mutex        // guards the fields that follow
	legacy  *initialized      // what initialize has agreed on; nil before
	calls   map[wire.ID]*call // that wait for their answer, by the agent's id
	parked  map[string]*call  // that wait for a retry, by requestState
	causes  map[cause]*call   // by the daemon's name for them
	tokens  map[int64]*call   // by our progress token
	asked   map[wire.ID]chan *wire.Response
	lastID  int64 // of our requests to the agent, and of progress tokens
	listens map[wire.ID]*listen
	subs    map[subscription][]*listen // who wants to hear of a resource
}

func newSession(ctx context.Context, out io.Writer, o Options) *session {
	s := &session{
		o:       o,
		out:     newWriter(out, o.Log),
		methods: methods(),
		calls:   map[wire.ID]*call{},
		parked:  map[string]*call{},
		causes:  map[cause]*call{},
		tokens:  map[int64]*call{},
		asked:   map[wire.ID]chan *wire.Response{},
		listens: map[wire.ID]*listen{},
		subs:    map[subscription][]*listen{},
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.rooting = rerun.New(s.takeRoots)
	s.shelf = newShelf(s)
	s.link = newLink(s)
	s.spawn(s.link.run)
	return s
}

// spawn runs f on a goroutine, unless the session has ended.
func (s *session) spawn(f func()) {
	s.spawning.Lock()
	defer s.spawning.Unlock()
	if !s.ended {
		s.running.Go(f)
	}
}

// end ends everything within a second.
func (s *session) end() {
	s.closeListens()
	s.cancel()
	s.spawning.Lock()
	s.ended = true
	s.spawning.Unlock()
	ended := make(chan struct{})
	go func() {
		s.running.Wait()
		s.shelf.changes.Stop()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(goodbye):
	}
	s.out.close(flushing)
}

// awaitCalls waits until no call is under way, and so long at most. The reader has ended.
func (s *session) awaitCalls(patience time.Duration) {
	over := make(chan struct{})
	go func() {
		s.calling.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(patience):
	case <-s.ctx.Done():
	}
}

// read takes what the agent writes, until that ends: "Messages are delimited by newlines, and MUST NOT
// contain embedded newlines" (MCP 2026-07-28, stdio).
func (s *session) read(lines *wire.LineReader) error {
	for {
		s.out.awaitRoom()
		line, err := lines.Next()
		s.o.Busy()
		switch {
		case errors.As(err, new(*wire.TooLong)):
			refusal := wire.RPCErrorf(wire.CodeInvalidRequest,
				"a message is over the limit of %s", wording.Size(wire.MaxFrame))
			s.o.Log.Warn(refusal.Message)
			s.respond(wire.ID{}, nil, refusal)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading from the agent: %w", err)
		default:
			// "MCP implementations […] MUST support receiving JSON-RPC batches" (MCP 2025-03-26, Base
			// Protocol, Batching). Each message of one gets an answer of its own.
			wire.Each(bytes.Clone(line), s.take, s.refuse)
		}
	}
}

// take handles one message. It does not wait.
func (s *session) take(m wire.Message) {
	switch m := m.(type) {
	case *wire.Response:
		s.answered(m)
	case *wire.Request:
		switch {
		case !m.IsCall():
			s.notified(m)
		case m.Deep > 0:
			s.respond(m.ID, nil, wire.RPCErrorf(wire.CodeInvalidParams, "the params cannot be passed on: %v", m.Deep))
		case m.Params != nil && !rawjson.IsObject(m.Params):
			s.respond(m.ID, nil, wire.RPCErrorf(wire.CodeInvalidParams, "the params of %.100q are not an object", m.Method))
		default:
			s.requested(m)
		}
	}
}

// codeParseError is that of what is not JSON (JSON-RPC 2.0, section 5.1).
const codeParseError = -32700

// refuse answers what is not a message. The session goes on.
func (s *session) refuse(part []byte, why error) {
	s.o.Log.Warn("the agent wrote what is not a message", zap.Error(why), zap.Int("bytes", len(part)))
	if errors.Is(why, wire.ErrNoID) {
		return // it answers nothing
	}
	if err := rawjson.Check(part); err != nil {
		s.respond(wire.ID{}, nil, wire.RPCErrorf(codeParseError, "the message is not valid JSON: %v", err))
		return
	}
	id, _ := wire.ParseID(rawjson.Get(part, "id"))
	s.respond(id, nil, wire.RPCErrorf(wire.CodeInvalidRequest, "the message is not valid: %v", why))
}

// respond answers a request.
func (s *session) respond(id wire.ID, result []byte, e *wire.Error) {
	if e != nil {
		result = nil
	}
	s.o.Busy()
	s.out.send(&wire.Response{ID: id, Result: result, Error: e})
}
