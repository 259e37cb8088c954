package mcpclient

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// kept is what a server was asked to do from then on, and forgets when it is
// restarted. Who calls bounds how many resources are watched.
type kept struct {
	mu    sync.Mutex // guards the fields that follow
	level string     // of log messages; "" when nobody has asked for them
	uris  map[string]bool
}

func (k *kept) logLevel() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.level
}

func (k *kept) setLogLevel(level string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.level = level
}

// subscribed returns the URIs that are watched, in order.
func (k *kept) subscribed() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Sorted(maps.Keys(k.uris))
}

func (k *kept) subscribe(uri string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.uris == nil {
		k.uris = map[string]bool{}
	}
	k.uris[uri] = true
}

func (k *kept) unsubscribe(uri string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.uris, uri)
}

// setLevel serves logging/setLevel. In the modern era every request says which
// messages are wanted (MCP 2026-07-28, Logging, Per-request log level).
func (s *session) setLevel(ctx context.Context, call Call) (json.RawMessage, error) {
	level := rawjson.String(call.Params, "level")
	if !s.modern.Load() {
		result, err := s.call(ctx, call)
		if err == nil {
			s.kept.setLogLevel(level)
		}
		return result, err
	}
	switch level {
	case "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency":
		s.kept.setLogLevel(level)
		return json.RawMessage("{}"), nil
	default:
		return nil, wire.Errorf(wire.KindInvalidParams, "level", "%.40q is no level of log messages: use debug, info, notice, warning, error, critical, alert or emergency", level)
	}
}

// subscription serves resources/subscribe and resources/unsubscribe. In the modern era
// a resource is watched by the stream that brings the other changes (MCP
// 2026-07-28, Subscriptions).
func (s *session) subscription(ctx context.Context, call Call) (result json.RawMessage, err error) {
	uri := rawjson.String(call.Params, "uri")
	watch := call.Method == wire.MethodSubscribe
	switch {
	case uri == "":
		return nil, wire.Errorf(wire.KindInvalidParams, "uri", "the member uri of %s is missing: it names the resource", call.Method)
	case s.modern.Load():
		result, err = json.RawMessage("{}"), s.listener.watch(ctx, uri, watch)
	default:
		result, err = s.call(ctx, call)
	}
	if watch && err == nil {
		s.kept.subscribe(uri)
	}
	return result, err
}

// restore asks a server of the legacy era again for what it was asked before it was
// restarted.
func (s *session) restore() {
	if level := s.kept.logLevel(); level != "" {
		s.remind(wire.MethodSetLevel, "level", level)
	}
	for _, uri := range s.kept.subscribed() {
		s.remind(wire.MethodSubscribe, "uri", uri)
	}
}

func (s *session) remind(method, member, value string) {
	if s.peer.check(method) != nil {
		return // it offers that no more
	}
	_, err := s.request(s.ctx, method, rawjson.Set(nil, member, rawjson.Quote(value)), s.opts.ReadTimeout)
	if err != nil && s.ctx.Err() == nil {
		s.log.say("%s %s, asked again after a restart, failed: %v", method, clip(value), err)
	}
}
