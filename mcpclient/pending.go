package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/wording"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// pending is one request that waits for its answer. Its fields are set before it
// enters the table and do not change, except where it is said.
type pending struct {
	id       int64
	method   string
	caller   bool                         // it belongs to a [Call], not to the session
	owner    Owner                        // of the Call
	told     json.RawMessage              // as in Call
	progress func(params json.RawMessage) // of the Call; may be nil
	timeout  time.Duration                // without a sign of life; 0: only its sender bounds it
	mirrored map[string]string            // arguments in headers, as in [wire.Request]

	waiter waiter

	// list says that it asks for a list: its reader leaves out items that are nested too
	// deep. deep is how deep the answer is nested when that is too deep; roundTrip sets it.
	list bool
	deep wire.TooDeep

	// claimed is the memory that the answer to a list has. Its reader gives it back. roundTrip
	// sets it.
	claimed int

	// acknowledged gets the first answer to subscriptions/listen; nil for all other
	// methods. It has room for one.
	acknowledged chan json.RawMessage

	thin thinProgress

	// session.mu guards the fields that follow.
	message  wire.Request // what was posted
	deadline time.Time    // when timeout is over, unless all clocks stand still
}

// A waiter gets exactly one answer to its request, once progress does not run and never will again.
// answered is called without a lock held and must not wait for anybody; the result is the wire's
// memory, and only valid until answered returns.
type waiter interface{ answered(a answer) }

// answers is the waiter of a goroutine that waits. It has room for one.
type answers chan answer

func (c answers) answered(a answer) {
	a.result = bytes.Clone(a.result)
	c <- a
}

// answer is how a request ended.
type answer struct {
	result  json.RawMessage
	deep    wire.TooDeep // of result; 0 when that may be passed on
	claimed int          // of the memory
	err     error
	tell    string     // why we gave up, for the server; "" when we do not tell it
	cork    *cork.Cork // of the reader, while it has more; else nil
}

// request sends a request of the session's own, without a progress token.
func (s *session) request(ctx context.Context, method string, params json.RawMessage, timeout time.Duration) (json.RawMessage, error) {
	return s.requestAs(ctx, &pending{method: method, timeout: timeout}, params)
}

// requestAs is request with a choice of how it waits.
func (s *session) requestAs(ctx context.Context, p *pending, params json.RawMessage) (json.RawMessage, error) {
	result, err := s.roundTrip(ctx, p, params)
	if err == nil && s.modern.Load() && !complete(result) {
		return nil, wire.Errorf(wire.KindInvalidResult, "resultType", "server %q answered %s with a result of type %.100s, which has no meaning there", s.opts.Name, p.method, rawjson.Get(result, "resultType"))
	}
	return result, err
}

// roundTrip sends p and waits for its end.
func (s *session) roundTrip(ctx context.Context, p *pending, params json.RawMessage) (json.RawMessage, error) {
	if ctx.Err() != nil {
		return nil, gaveUp(ctx, p.method)
	}
	over := make(answers, 1)
	p.waiter = over
	if err := s.begin(p, params, nil); err != nil {
		return nil, err
	}
	var a answer
	select {
	case a = <-over:
	case <-ctx.Done():
		s.giveUp(p, gaveUp(ctx, p.method))
		a = <-over // or what the reader has handed over at the same moment
	}
	if p.list {
		p.claimed, p.deep = a.claimed, a.deep
	}
	return a.result, a.err
}

// begin sends p, now or as c has it, and returns at once.
func (s *session) begin(p *pending, params json.RawMessage, c *cork.Cork) error {
	if err := s.enter(p, params); err != nil {
		return err
	}
	s.post(&p.message, c)
	return nil
}

// giveUp ends p with err, and tells the server, unless p has ended already.
func (s *session) giveUp(p *pending, err error) {
	s.finish(p.id, answer{err: err, tell: "the request was cancelled"})
}

// enter puts p in the table and starts its clock.
func (s *session) enter(p *pending, params json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != nil {
		return notReady(s.opts.Name, StateRestarting, s.ended)
	}
	s.lastID++
	p.id = s.lastID
	p.message = wire.Request{ID: wire.NumberID(p.id), Method: p.method, Mirrored: p.mirrored}
	p.message.Params = s.stamp(p, params)
	p.thin.bucket = newBucket(thinRate, thinBurst)
	s.pending[p.id] = p
	s.alive(p)
	return nil
}

// finish takes a request out of the table and hands it its answer. It reports
// whether the request was there.
func (s *session) finish(id int64, a answer) bool {
	s.mu.Lock()
	p := s.pending[id]
	if p == nil {
		s.mu.Unlock()
		return false
	}
	over := s.take(p, a)
	s.mu.Unlock()
	s.settle(over)
	return true
}

// settled is a request that is out of the table, with its answer.
type settled struct {
	p *pending
	a answer
}

// take takes p out of the table. What it returns must be settled after s.mu, which is held, is
// released.
func (s *session) take(p *pending, a answer) settled {
	delete(s.pending, p.id)
	return settled{p, a}
}

// settle hands a request its answer, and tells the server if nobody waits for one any more.
func (s *session) settle(o settled) {
	p, a := o.p, o.a
	p.release(true)
	if a.tell != "" && !s.out.drop(&p.message) {
		s.withdraw(p, a.tell)
		s.abandon(p.id)
	}
	if a.deep > 0 && !p.list {
		s.counts.deep.Add(1)
		a.result, a.err = nil, a.deep.Invalid()
	}
	p.waiter.answered(a)
	if !p.list {
		s.opts.Memory.Release(a.claimed)
	}
}

// withdraw tells the server that nobody waits for p any more: "the sender SHOULD
// issue a cancellation notification for that request and stop waiting for a
// response" (MCP 2025-11-25, Lifecycle, Timeouts). It does not wait: a server
// that lets the queue fill up is not told.
func (s *session) withdraw(p *pending, reason string) {
	// "The initialize request MUST NOT be cancelled by clients". "For
	// task-augmented requests, the tasks/cancel request MUST be used instead" (MCP
	// 2025-11-25, Cancellation, Behavior Requirements). The modern era has no such
	// requests.
	if p.method == wire.MethodInitialize || !s.modern.Load() && rawjson.Get(p.message.Params, "task") != nil {
		return
	}
	cancelled := rawjson.Set(nil, "requestId", []byte(p.message.ID.String()))
	cancelled = rawjson.Set(cancelled, "reason", rawjson.Quote(reason))
	if s.post(&wire.Request{Method: wire.MethodCancelled, Params: cancelled}, nil) != nil {
		s.log.say("%s was given up and the server could not be told, because it does not read", p.method)
	}
}

// answered hands a response to the request that waits for it. "The sender of the
// cancellation notification SHOULD ignore any response to the request that
// arrives afterward" (MCP 2025-11-25, Cancellation): late, doubled and unknown
// ids are dropped alike.
func (s *session) answered(r *wire.Response) {
	a := s.readAnswer(r)
	id, ok := r.ID.Number() // "1" is not 1
	a.cork = &s.cork
	if ok && s.finish(id, a) {
		return
	}
	s.opts.Memory.Release(a.claimed)
	s.counted(&s.counts.late, "dropped an answer to request %.80q, which nobody waits for", r.ID)
}

// readAnswer classifies a response, and takes memory for its result.
func (s *session) readAnswer(r *wire.Response) answer {
	if r.Error == nil {
		// "result: { [key: string]: unknown; }" (MCP 2025-11-25, Base Protocol,
		// Result Responses).
		if !rawjson.IsObject(r.Result) {
			return answer{err: wire.Errorf(wire.KindInvalidResult, "result", "server %q answered with something that is not an object", s.opts.Name)}
		}
		if !s.opts.Memory.Acquire(len(r.Result)) {
			return answer{err: s.noMemory(len(r.Result))}
		}
		return answer{result: r.Result, deep: r.Deep, claimed: len(r.Result)}
	}
	return answer{err: r.Error}
}

// noMemory is the error of a call whose answer there is no room for.
func (s *session) noMemory(size int) error {
	return wire.Errorf(wire.KindTooLarge, "", "the answer of server %q has %s, and there is no memory left for it; ask for less, or later", s.opts.Name, wording.Size(int64(size)))
}

// underWay returns the Calls under way that are somebody's, with their ids, in the order in which they
// began. s.mu is held.
func (s *session) underWay() (ids []int64, calls []Call) {
	for id, p := range s.pending {
		if p.owner != (Owner{}) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	calls = make([]Call, len(ids))
	for i, id := range ids {
		p := s.pending[id]
		calls[i] = Call{Method: p.method, Params: p.message.Params, Owner: p.owner}
	}
	return ids, calls
}

// ownersOf returns whose calls these are, with the tool of each.
func ownersOf(calls []Call) []Owner {
	var owners []Owner
	for _, call := range calls {
		owner := call.Owner
		if owner == (Owner{}) {
			continue
		}
		if call.Method == wire.MethodCallTool {
			owner.Tool = rawjson.String(call.Params, "name")
		}
		owners = append(owners, owner)
	}
	return owners
}
