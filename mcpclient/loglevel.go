package mcpclient

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// logLevel is the level of log messages that the server was last asked for. A restarted
// server has forgotten it.
type logLevel struct {
	mu    sync.Mutex
	level string // guarded by mu; "" when nobody has asked
}

func (l *logLevel) get() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.level
}

func (l *logLevel) set(level string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.level = level
}

// setLevel serves logging/setLevel. In the modern era every request says which
// messages are wanted (MCP 2026-07-28, Logging, Per-request log level).
func (s *session) setLevel(ctx context.Context, call Call) (json.RawMessage, error) {
	level := rawjson.String(call.Params, "level")
	if !s.modern.Load() {
		result, err := s.whole(ctx, call)
		if err == nil {
			s.level.set(level)
		}
		return result, err
	}
	if logLevels[level] == "" {
		return nil, wire.Errorf(wire.KindInvalidParams, "level", "%.40q is not a log level; use debug, info, notice, warning, error, critical, alert or emergency", level)
	}
	s.level.set(level)
	return json.RawMessage("{}"), nil
}

// restoreLevel asks a restarted server of the legacy era for the same level again.
func (s *session) restoreLevel() {
	level := s.level.get()
	if level == "" || s.peer.check(wire.MethodSetLevel) != nil {
		return // nobody has asked, or the server no longer offers it
	}
	_, err := s.request(s.ctx, wire.MethodSetLevel, rawjson.Set(nil, "level", rawjson.Quote(level)), s.opts.ReadTimeout)
	if err != nil && s.ctx.Err() == nil {
		s.log.say("%s %s, asked again after a restart, failed: %v", wire.MethodSetLevel, clip(level), err)
	}
}
