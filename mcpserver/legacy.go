package mcpserver

import (
	"encoding/json"
	"slices"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// What initialize has agreed on, for the rest of the process. session.mu guards the members from answered on.
type initialized struct {
	version      string
	capabilities json.RawMessage // MCP's ClientCapabilities
	answered     bool            // the agent has the answer to initialize
	confirmed    bool            // it has sent notifications/initialized
	listen       *listen         // of all lists; among those of the session when it is ready
	level        level           // of logging/setLevel; noLevel before
	levelName    json.RawMessage // as the agent wrote it
}

// ready reports whether an agent of the legacy era can be told and asked.
func (i *initialized) ready() bool { return i != nil && i.answered && i.confirmed }

// initialize serves initialize. What follows it finds the session initialized; the answer comes when
// there is a catalog, or after a moment.
func (s *session) initialize(r *wire.Request) {
	capabilities := json.RawMessage(rawjson.Get(r.Params, "capabilities"))
	info := rawjson.Get(r.Params, "clientInfo")
	requested := rawjson.String(r.Params, "protocolVersion")
	if requested == "" {
		s.respond(r.ID, nil, wire.RPCErrorf(wire.CodeInvalidParams, "the member protocolVersion is missing"))
		return
	}
	agreed := &initialized{version: negotiate(requested), capabilities: capabilities, listen: &listen{lists: map[string]bool{}, acknowledged: true}}
	for _, kind := range wire.ListKinds() {
		agreed.listen.lists[kind.Changed()] = true
	}
	s.mu.Lock()
	again := s.legacy != nil
	if !again {
		s.legacy = agreed
	}
	s.mu.Unlock()
	// "The initialization phase MUST be the first interaction between client and server" (MCP 2025-11-25,
	// Lifecycle): there is no second one.
	if again {
		s.respond(r.ID, nil, wire.RPCErrorf(wire.CodeInvalidRequest, "the session is initialized already"))
		return
	}
	s.link.identify(identityOf(info, capabilities, s.single() != ""))
	s.spawn(func() {
		known := s.shelf.hello(s.ctx)
		result := rawjson.Set(nil, "protocolVersion", rawjson.Quote(agreed.version))
		result = rawjson.Set(result, "capabilities", known.capabilities())
		result = rawjson.Set(result, "serverInfo", s.info(known))
		result = instructed(result, known)
		s.begin(func() { // at once: the agent may have sent initialized and a call before this goroutine goes on
			s.respond(r.ID, result, nil)
			agreed.answered = true
		})
	})
}

// begin does note, with mu held, and begins to tell and ask the agent if it may be told and asked now: "The
// server SHOULD NOT send requests other than pings and logging before receiving the initialized
// notification" (MCP 2025-11-25, Lifecycle), nor does anything come before the answer to initialize.
func (s *session) begin(note func()) {
	s.mu.Lock()
	note()
	first := s.legacy.ready() && s.listens[wire.ID{}] == nil
	if first {
		s.listens[wire.ID{}] = s.legacy.listen
	}
	s.mu.Unlock()
	if first {
		s.askRoots()
		s.shelf.tell()
	}
}

// instructed adds the instructions, where there are some.
func instructed(result json.RawMessage, known *catalog) json.RawMessage {
	if text := known.instructions(); text != "" {
		return rawjson.Set(result, "instructions", rawjson.Quote(text))
	}
	return result
}

// refuseEarly refuses requests of the legacy era before initialize: "The client SHOULD NOT send requests
// other than pings before the server has responded to the initialize request" (MCP 2025-11-25,
// Lifecycle). In the modern era it is the request that is malformed, whose code that is.
func (s *session) refuseEarly(method string) *wire.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.legacy != nil || method == wire.MethodPing {
		return nil
	}
	return wire.RPCErrorf(wire.CodeInvalidParams, "%.100q came before initialize, and names no version in _meta[%q]", method, wire.MetaVersion)
}

// notified handles a notification of the agent.
func (s *session) notified(r *wire.Request) {
	switch r.Method {
	case wire.MethodInitialized:
		s.begin(func() {
			if s.legacy != nil {
				s.legacy.confirmed = true
			}
		})
	case wire.MethodCancelled:
		s.cancelled(r.Params)
	case wire.MethodRootsChanged:
		s.askRoots()
	case wire.MethodProgress: // of a question: nobody waits for it at the daemon
	default:
		at := s.link.current()
		if s.single() == "" || r.Deep > 0 || at == nil {
			return
		}
		if err := at.Notify(s.single(), r.Method, unstamp(r.Params)); err != nil {
			s.o.Log.Debug("a notification was not passed on", zap.String("method", r.Method), zap.Error(err))
		}
	}
}

// setLevel serves logging/setLevel for all servers that log. One that does not run now is told when it
// does: no server starts for that.
func (s *session) setLevel(c *call) (json.RawMessage, error) {
	name := rawjson.Get(c.params, "level")
	wanted := parseLevel(name)
	if wanted == noLevel {
		// "Invalid log level: -32602 (Invalid params)" (MCP 2025-11-25, Logging, Error Handling).
		return nil, wire.RPCErrorf(wire.CodeInvalidParams, "the level is not one of RFC 5424")
	}
	s.mu.Lock()
	s.legacy.level, s.legacy.levelName = wanted, name
	s.mu.Unlock()
	if at := s.link.current(); at != nil {
		s.tellLevel(at)
	}
	return json.RawMessage("{}"), nil
}

// tellLevel tells all servers that run which messages the agent wants, if it has said so.
func (s *session) tellLevel(at *attachment) {
	servers := s.shelf.current().servers
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.legacy == nil || s.legacy.level == noLevel {
		return
	}
	params := rawjson.Set(nil, "level", s.legacy.levelName)
	for _, of := range servers {
		server := of.Server
		if server.State != editorapi.ServerReady {
			delete(at.leveled, server.Name)
			continue
		}
		if at.leveled[server.Name] == s.legacy.level || rawjson.Get(server.Capabilities, "logging") == nil {
			continue
		}
		at.leveled[server.Name] = s.legacy.level
		s.spawn(func() {
			request := editorapi.MCPRequest{Server: server.Name, Params: params}
			if _, err := at.Call(s.ctx, wire.MethodSetLevel, request, nil); err != nil {
				s.o.Log.Debug("a server was not told the log level", zap.String("server", server.Name), zap.Error(err))
			}
		})
	}
}

// serves reports whether a server is one of those that the agent gets.
func (s *session) serves(server string) bool {
	return len(s.o.Servers) == 0 || slices.Contains(s.o.Servers, server)
}
