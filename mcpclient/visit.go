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
	asked int           // how often the user was
	wait  time.Duration // before the call is tried again unasked
	until time.Time     // then the call fails

	at   map[string]bool // by elicitationId: whether the user is done there; guarded by session.mu
	news chan struct{}   // one token: the user is done somewhere
}

// visit makes the call worth another try, and reports whether it is. Otherwise the
// error is the server's: the caller may try again when it is time.
func (v *visitor) visit(ctx context.Context, refusal *wire.Error) (again bool, err error) {
	s := v.s
	if s.modern.Load() || rawjson.Path(s.told(v.call), "elicitation", "url") == nil {
		return false, refusal
	}
	var addresses []*input
	for params := range rawjson.Elements(rawjson.Get(refusal.Data, "elicitations")) {
		id := rawjson.String(params, "elicitationId")
		// "Any elicitations returned in the error MUST be URL mode elicitations and
		// have an elicitationId property."
		if id == "" || rawjson.String(params, "mode") != "url" {
			return false, refusal
		}
		addresses = append(addresses, &input{key: id, method: wire.MethodElicit, params: params})
	}
	if len(addresses) == 0 || len(addresses) > maxIncoming {
		return false, refusal
	}
	// Before the user is asked: the server may be faster than the editor.
	inputs := v.expect(addresses)
	v.wait = min(2*v.wait, maxRetry)
	if len(inputs) > 0 {
		if v.asked++; v.asked > maxRounds {
			return false, refusal
		}
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
	return v.await(ctx, addresses, refusal)
}

// await returns when the server has said that the user is done at all of the addresses, or
// when it is time to try without that.
func (v *visitor) await(
	ctx context.Context, addresses []*input, refusal *wire.Error,
) (again bool, err error) {
	left := time.Until(v.until)
	if left <= 0 {
		return false, refusal
	}
	soon := time.After(min(v.wait, left))
	for !v.done(addresses) {
		select {
		case <-v.news:
		case <-soon:
			return true, nil
		case <-ctx.Done():
			return false, gaveUp(ctx, v.call.Method)
		case <-v.s.ctx.Done():
			return false, v.s.gone(v.call.Method)
		}
	}
	return true, nil
}

// expect waits from now on for the server to say that the user is done at the addresses, and
// returns those at which it did not wait before.
func (v *visitor) expect(addresses []*input) (others []*input) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	if v.at == nil {
		v.at, v.news = map[string]bool{}, make(chan struct{}, 1)
		v.s.visitors[v] = struct{}{}
	}
	for _, to := range addresses {
		if _, has := v.at[to.key]; !has {
			v.at[to.key] = false
			others = append(others, to)
		}
	}
	return others
}

// done reports whether the user is done at all of the addresses, and forgets them then: a user who
// is wanted there again is asked again.
func (v *visitor) done(addresses []*input) bool {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	for _, to := range addresses {
		if !v.at[to.key] {
			return false
		}
	}
	clear(v.at)
	return true
}

// end stops waiting.
func (v *visitor) end() {
	if v.at != nil {
		v.s.mu.Lock()
		defer v.s.mu.Unlock()
		delete(v.s.visitors, v)
	}
}

// visited handles notifications/elicitation/complete. "Clients MUST ignore
// notifications referencing unknown or already-completed IDs" (ibid., Completion
// Notifications for URL Mode Elicitation).
func (s *session) visited(params json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := rawjson.String(params, "elicitationId")
	for v := range s.visitors {
		if _, waits := v.at[id]; !waits {
			continue
		}
		v.at[id] = true
		poke(v.news)
	}
}
