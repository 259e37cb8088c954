package mcpclient

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const (
	// maxVisit is how long users may take at the address that a server sent them to,
	// before the call that waits for them fails.
	maxVisit = 10 * time.Minute

	// After firstRetry the call is tried again if the server has not said that the user
	// is done, and then less and less often: "servers MAY send" that.
	firstRetry = 5 * time.Second
	maxRetry   = time.Minute
)

// A visitor sends the user of one call to where the server wants them before it does
// what was asked (MCP 2025-11-25, Elicitation, URL Elicitation Required Error).
type visitor struct {
	s     *session
	call  Call
	asked int               // how often the user was
	at    map[string]*visit // by elicitationId: where the user has agreed to go
	wait  time.Duration     // before the call is tried again unasked
	until time.Time         // then the call fails
}

// visit makes the call worth another try, and reports whether it is. Otherwise the
// error is the server's: the caller may try again when it is time.
func (v *visitor) visit(ctx context.Context, refusal *wire.Error) (again bool, err error) {
	s := v.s
	if s.modern.Load() || rawjson.Path(s.told(v.call), "elicitation", "url") == nil {
		return false, refusal
	}
	var inputs []*input
	var ids []string
	for params := range rawjson.Elements(rawjson.Get(refusal.Data, "elicitations")) {
		id := rawjson.String(params, "elicitationId")
		// "Any elicitations returned in the error MUST be URL mode elicitations and
		// have an elicitationId property."
		if id == "" || rawjson.String(params, "mode") != "url" {
			return false, refusal
		}
		ids = append(ids, id)
		if v.at[id] == nil {
			inputs = append(inputs, &input{key: id, method: wire.MethodElicit, params: params})
		}
	}
	if len(ids) == 0 || len(ids) > maxIncoming || len(inputs) > 0 && v.asked == maxRounds {
		return false, refusal
	}
	v.wait = min(2*v.wait, maxRetry)
	if len(inputs) > 0 {
		// From before the user is asked: the server may be faster than the editor.
		v.expect(inputs)
		v.asked++
		err := s.ask(ctx, v.call, inputs)
		if wire.AsRPC(err) != nil {
			return false, refusal
		}
		if err != nil {
			return false, err
		}
		for _, in := range inputs {
			if rawjson.String(in.result, "action") != "accept" {
				return false, refusal
			}
		}
		v.wait, v.until = firstRetry, time.Now().Add(maxVisit)
	}
	return v.await(ctx, ids, refusal)
}

// await returns when the server has said that the user is done at all of ids, or
// when it is time to try without that.
func (v *visitor) await(ctx context.Context, ids []string, refusal *wire.Error) (again bool, err error) {
	left := time.Until(v.until)
	if left <= 0 {
		return false, refusal
	}
	soon := time.NewTimer(min(v.wait, left))
	defer soon.Stop()
	for _, id := range ids {
		select {
		case <-v.at[id].done:
		case <-soon.C:
			return true, nil
		case <-ctx.Done():
			return false, gaveUp(ctx, v.call.Method)
		case <-v.s.ctx.Done():
			return false, v.s.gone(v.call.Method)
		}
	}
	for _, id := range ids {
		v.forget(id) // a user who is wanted there again is asked again
	}
	return true, nil
}

// A visit is one elicitationId that calls wait for. session.mu guards it.
type visit struct {
	done  chan struct{} // closed by the server's notification
	calls int
}

// expect begins to wait for the server to say that the user is done at the addresses
// of inputs.
func (v *visitor) expect(inputs []*input) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	if v.at == nil {
		v.at = map[string]*visit{}
	}
	for _, in := range inputs {
		if v.at[in.key] != nil {
			continue // it is there twice
		}
		one := v.s.visits[in.key]
		if one == nil {
			one = &visit{done: make(chan struct{})}
			v.s.visits[in.key] = one
		}
		one.calls++
		v.at[in.key] = one
	}
}

// forget stops waiting for one of them.
func (v *visitor) forget(id string) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	one := v.at[id]
	if one == nil {
		return
	}
	delete(v.at, id)
	if one.calls--; one.calls == 0 && v.s.visits[id] == one {
		delete(v.s.visits, id)
	}
}

// end stops waiting for all of them.
func (v *visitor) end() {
	for id := range v.at {
		v.forget(id)
	}
}

// visited handles notifications/elicitation/complete. "Clients MUST ignore
// notifications referencing unknown or already-completed IDs" (ibid., Completion
// Notifications for URL Mode Elicitation).
func (s *session) visited(params json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := rawjson.String(params, "elicitationId")
	if v := s.visits[id]; v != nil {
		delete(s.visits, id)
		close(v.done)
	}
}
