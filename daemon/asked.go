package daemon

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// asked keeps count of the questions of one server. d.mu guards it.
type asked struct {
	sampling, elicitation quota

	refused int  // questions in a row that were declined, cancelled, or failed
	muted   bool // until you unmute the server or start it anew
	open    map[*context.CancelCauseFunc]struct{}
}

// errMuted ends a question that is open when its server is muted.
var errMuted = errors.New("the server was muted")

// quota counts the questions under one limit.
type quota struct {
	taken []time.Time // within the limit's time
	over  int64       // how many were refused
}

// take takes one more, unless that is over the limit. A limit of zero means no limit.
func (q *quota) take(limit config.Rate, now time.Time) bool {
	if limit.N == 0 {
		return true
	}
	q.taken = slices.DeleteFunc(q.taken, func(t time.Time) bool { return now.Sub(t) > limit.Per })
	if len(q.taken) >= limit.N {
		q.over++
		return false
	}
	q.taken = append(q.taken, now)
	return true
}

// mayElicit enforces the server's elicitationLimit.
func (c *connection) mayElicit(now time.Time) error {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	return c.mayAsk(&c.asked.elicitation, wire.MethodElicit, "elicitationLimit", c.def.ElicitationLimit, now)
}

// mayAsk enforces a limit on the server's questions. key is its name in the configuration. d.mu is
// held.
func (c *connection) mayAsk(q *quota, method, key string, limit config.Rate, now time.Time) error {
	if q.take(limit, now) {
		return nil
	}
	// Only powers of two are logged, so that a flood leaves the log readable.
	if q.over&(q.over-1) == 0 {
		c.log.Warn("a question was refused: over the limit", zap.String("method", method),
			zap.Int("limit", limit.N), zap.Duration("per", limit.Per), zap.Int64("refused", q.over))
	}
	return wire.RPCErrorf(codeRejected, "more than %d %q requests in %s; raise %q if you want more", limit.N, method, limit.Per, key)
}

// openQuestion opens a question. refused is how many were refused in a row before it. The context
// ends when the server is muted. The caller must call closeQuestion.
func (c *connection) openQuestion(ctx context.Context) (_ context.Context, refused int, closeQuestion func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	if c.asked.muted { // since the caller looked
		cancel(errMuted)
	}
	if c.asked.open == nil {
		c.asked.open = map[*context.CancelCauseFunc]struct{}{}
	}
	c.asked.open[&cancel] = struct{}{}
	return ctx, c.asked.refused, func() {
		c.d.mu.Lock()
		defer c.d.mu.Unlock()
		delete(c.asked.open, &cancel)
		cancel(nil)
	}
}

// muted reports whether the server is muted.
func (c *connection) muted() bool {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	return c.asked.muted
}

// answered counts an answer.
func (c *connection) answered(accepted bool) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	c.asked.refused++
	if accepted {
		c.asked.refused = 0
	}
}

// unmute starts the count anew. d.mu is held.
func (a *asked) unmute() { a.muted, a.refused = false, 0 }

// MuteServer implements [editorapi.Attachment]. It withdraws the server's open questions.
func (e *editor) MuteServer(server string, muted bool) editorapi.Change {
	event := auditMute
	if !muted {
		event = auditUnmute
	}
	e.Used()
	err := e.needsPerson(server, "mute a server or unmute it")
	if err == nil {
		err = e.mute(server, muted)
	}
	if err != nil {
		return e.audited(event, server, failed(err))
	}
	return e.audited(event, server, func(ctx context.Context) (editorapi.Server, error) { return e.answer(ctx, server) })
}

// mute is MuteServer without the audit and the answer.
func (e *editor) mute(server string, muted bool) error {
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	_, c, err := e.placed(server)
	if err != nil {
		return err
	}
	c.asked.unmute()
	if c.asked.muted = muted; muted {
		for cancel := range c.asked.open {
			(*cancel)(errMuted)
		}
	}
	c.show()
	return nil
}
