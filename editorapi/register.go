package editorapi

import (
	"context"
	"maps"
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
// There is one registration for each server that has commands, so that the change of one server
// leaves the commands of the others alone. Only register uses the fields other than ready, and the
// debouncer never runs it twice at a time.
type registrar struct {
	debouncer *debounce.Debouncer
	ready     atomic.Bool // the editor has sent initialized

	last       int                     // number of the last registration
	registered map[string]registration // by server
}

// A registration is what an editor has registered of one server.
type registration struct {
	server, id string
	commands   []string // sorted; there is at least one
}

// register registers the commands of servers whose commands have changed. Their old registrations go
// first, because editors refuse a command that they know.
func (s *session) register() {
	if !s.registrar.ready.Load() || !s.client.dynamicCommands {
		return
	}
	r := &s.registrar
	gone, come := r.differences(s.attachment.Offers(""))
	if len(gone) > 0 {
		s.changeCommands(protocol.MethodClientUnregisterCapability, gone)
		for _, g := range gone {
			delete(r.registered, g.server)
		}
	}
	if len(come) == 0 {
		return
	}
	if !s.changeCommands(protocol.MethodClientRegisterCapability, come) {
		// It may have taken some. The next change registers all of them again.
		s.changeCommands(protocol.MethodClientUnregisterCapability, come)
		return
	}
	for _, c := range come {
		r.registered[c.server] = c
	}
}

// differences returns the registrations that must go, and those that must come after that.
func (r *registrar) differences(offers []*Offer) (gone, come []registration) {
	outdated := maps.Clone(r.registered)
	for _, o := range offers {
		if slices.Equal(o.ids, r.registered[o.server].commands) {
			delete(outdated, o.server)
		} else if len(o.ids) > 0 {
			r.last++
			come = append(come, registration{o.server, "mcp-commands-" + strconv.Itoa(r.last), o.ids})
		}
	}
	for _, server := range slices.Sorted(maps.Keys(outdated)) {
		gone = append(gone, outdated[server])
	}
	return gone, come
}

// changeCommands registers or unregisters commands, as the method says, and reports whether the
// editor accepted it.
func (s *session) changeCommands(method string, list []registration) bool {
	member, items := "unregisterations", []map[string]any{} // spelled so in LSP
	for _, r := range list {
		item := map[string]any{"id": r.id, "method": protocol.MethodWorkspaceExecuteCommand}
		if method == protocol.MethodClientRegisterCapability {
			member, item["registerOptions"] = "registrations", map[string]any{"commands": r.commands}
		}
		items = append(items, item)
	}
	ctx, cancel := context.WithTimeout(s.peer.ctx, registerLimit)
	defer cancel()
	_, err := s.ask(ctx, method, map[string]any{member: items})
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
	return ids
}
