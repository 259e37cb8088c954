package editorapi

import (
	"context"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/debounce"
)

// Commands are registered once the catalog has been quiet for registerQuiet, and at the latest
// registerMax after it changed. No user has to answer a registration, so an editor has
// registerLimit for it.
const (
	registerQuiet = 100 * time.Millisecond
	registerMax   = time.Second
	registerLimit = 30 * time.Second
)

// A registrar keeps the commands of tools and prompts registered with an editor that allows it.
// There is one registration for all. Only register uses the fields other than ready, and the
// debouncer never runs it twice at a time.
type registrar struct {
	debouncer *debounce.Debouncer
	ready     atomic.Bool // the editor has sent initialized

	id       string   // of the current registration, "" when there is none
	last     int      // number of the last registration
	commands []string // that are registered
}

// register registers the commands of the catalog with the editor. The old registration goes first,
// because editors refuse a command that they know.
func (s *session) register() {
	if !s.registrar.ready.Load() || !s.client.dynamicCommands {
		return
	}
	r := &s.registrar
	commands := s.knownCommands()
	if slices.Equal(commands, r.commands) {
		return
	}
	if r.id != "" {
		s.changeCommands(protocol.MethodClientUnregisterCapability, protocol.UnregistrationParams{
			Unregisterations: []protocol.Unregistration{{ID: r.id, Method: protocol.MethodWorkspaceExecuteCommand}},
		})
		r.id, r.commands = "", nil
	}
	if len(commands) == 0 {
		return
	}
	r.last++
	id := "mcp-commands-" + strconv.Itoa(r.last)
	ok := s.changeCommands(protocol.MethodClientRegisterCapability, protocol.RegistrationParams{
		Registrations: []protocol.Registration{{
			ID:              id,
			Method:          protocol.MethodWorkspaceExecuteCommand,
			RegisterOptions: encodeOwn(protocol.ExecuteCommandOptions{Commands: commands}),
		}},
	})
	if ok {
		r.id, r.commands = id, commands
	}
}

// changeCommands registers or unregisters commands, and reports whether the editor accepted it.
func (s *session) changeCommands(method string, params any) bool {
	ctx, cancel := context.WithTimeout(s.peer.ctx, registerLimit)
	defer cancel()
	_, err := s.ask(ctx, method, params)
	if err != nil {
		s.peer.log.Warn("the editor did not take a change of its commands", zap.String("method", method), zap.Error(err))
	}
	return err == nil
}

// knownCommands returns the ids of the commands of all ready servers, sorted.
func (s *session) knownCommands() []string {
	var ids []string
	for _, o := range s.attachment.Offers("") {
		ids = append(ids, o.ids...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
