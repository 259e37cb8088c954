package daemon

import (
	"context"
	"reflect"
	"slices"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// What an editor is told of its servers goes through one goroutine for each editor (editor.telling),
// at the pace at which the editor reads. Of what changes faster than that it is told the last: a
// project with a thousand servers is a thousand notifications, and not as many for each of their
// steps.

// listed notes that lists of a server are others than the editor has been told of. d.mu is held.
func (e *editor) listed(server string, kinds ...string) {
	if e.lists == nil {
		e.lists = map[string][]string{}
	}
	for _, kind := range kinds {
		if !slices.Contains(e.lists[server], kind) {
			e.lists[server] = append(e.lists[server], kind)
		}
	}
	e.telling.Again()
}

// tell tells the editor of every server that is another than it was told last: first how it is,
// then which of its lists have changed; of those that are gone, that they are. Then it tells which
// subscriptions have ended, and what is new in logs. It runs on e.telling.
func (e *editor) tell() {
	e.d.mu.Lock()
	if !e.initialized || e.closed {
		e.d.mu.Unlock()
		return
	}
	lists := e.lists
	e.lists = nil
	views := map[string]editorapi.Server{}
	var names []string // in their order
	for _, def := range e.set.Servers {
		names = append(names, def.Name)
		views[def.Name] = e.d.view(e, def)
		if _, known := e.shown[def.Name]; !known && len(lists[def.Name]) == 0 { // it may be one that others have started
			if kinds := e.on[def.Name].kinds(); kinds != nil {
				if lists == nil {
					lists = map[string][]string{}
				}
				lists[def.Name] = kinds
			}
		}
	}
	e.d.mu.Unlock()

	// Only this function changes shown: it may read it without the lock.
	for _, name := range names {
		view := views[name]
		before, known := e.shown[name]
		if !known || !reflect.DeepEqual(before, view) {
			e.api.ServerChanged(view)
		}
		if kinds := lists[name]; !known || before.State != view.State || len(kinds) > 0 {
			e.api.CatalogChanged(name, kinds)
		}
	}
	for name := range e.shown {
		if _, still := views[name]; !still {
			e.api.ServerRemoved(name)
			e.api.CatalogChanged(name, nil)
		}
	}
	e.d.mu.Lock()
	e.shown = views
	e.d.mu.Unlock()
	e.tellEnded()
	e.tellLogs()
}

// answering notes that the answer to a request, which answered tells of (see [editorapi.Call]), says
// what the editor must not be told the end of before. d.mu is held.
func (e *editor) answering(answered func() <-chan struct{}) {
	e.answers = slices.DeleteFunc(e.answers, func(on <-chan struct{}) bool {
		select {
		case <-on:
			return true
		default:
			return false
		}
	})
	if answered != nil {
		e.answers = append(e.answers, answered())
	}
}

// awaitAnswers waits for answers that come before what is told next.
func (e *editor) awaitAnswers(answers []<-chan struct{}) {
	for _, on := range answers {
		select {
		case <-on:
		case <-e.ctx.Done():
		}
	}
}

// told waits until the editor was told of all that has happened so far, for an answer that says how
// a server is.
func (e *editor) told(ctx context.Context) {
	select {
	case <-e.telling.Again():
	case <-ctx.Done():
	case <-e.ctx.Done():
	}
}
