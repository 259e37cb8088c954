package editorapi

import (
	"context"
	"encoding/json"
)

// Sample implements [Editor].
func (s *session) Sample(ctx context.Context, q Question) (json.RawMessage, error) {
	return s.ask(ctx, methodSample.name, q)
}

// Elicit implements [Editor].
func (s *session) Elicit(ctx context.Context, q Question) (json.RawMessage, error) {
	return s.ask(ctx, methodElicit.name, q)
}

// ask sends a request and waits for its answer. Params and answer may be large.
func (s *session) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return s.peer.ask(ctx, method, params, news)
}
