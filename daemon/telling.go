package daemon

import (
	"context"
	"reflect"
	"slices"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// One goroutine for each editor (editor.telling) tells it about its servers, at the pace at which
// the editor reads. When things change faster, it tells only the last state: a project with a
// thousand servers costs a thousand notifications, not a thousand for each step of theirs.

// listed notes that lists of a server have changed since the editor was told. d.mu is held.
func (e *editor) listed(server string, kinds ...string) {
	for _, kind := range kinds {
		if !slices.Contains(e.lists[server], kind) {
			e.lists[server] = append(e.lists[server], kind)
		}
	}
	e.telling.Again()
}

// tell tells the editor of every server that has changed since it was told last: first its state,
// then which of its lists have changed. Then come the servers that are gone, the subscriptions that
// have ended, and new lines in logs. It runs on e.telling.
func (e *editor) tell() {
	e.d.mu.Lock()
	if !e.initialized || e.closed {
		e.d.mu.Unlock()
		return
	}
	lists := e.lists
	e.lists = map[string][]string{}
	views := map[string]editorapi.Server{}
	var names []string // in the order of e.set
	for _, def := range e.set.Servers {
		names = append(names, def.Name)
		views[def.Name] = e.d.view(e, def)
		_, known := e.shown[def.Name]
		if c := e.on[def.Name]; c != nil && !known && len(lists[def.Name]) == 0 { // others may have started it
			lists[def.Name] = kindsIn(c.client.Lists())
		}
	}
	e.d.mu.Unlock()

	// Only this function changes shown, so it may read it without the lock.
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

// answering notes an answer that must reach the editor before it is told what comes after, such as
// the end of a subscription. answered is that of [editorapi.Call]. d.mu is held.
func (e *editor) answering(answered <-chan struct{}) {
	e.answers = slices.DeleteFunc(e.answers, func(on <-chan struct{}) bool {
		select {
		case <-on:
			return true
		default:
			return false
		}
	})
	if answered != nil {
		e.answers = append(e.answers, answered)
	}
}

// awaitAnswers waits for answers that must come before what the editor is told next.
func (e *editor) awaitAnswers(answers []<-chan struct{}) {
	for _, on := range answers {
		await(e.ctx, on)
	}
}

// told waits until the editor has been told of all that has happened so far. Answers that describe a
// server call it first.
func (e *editor) told(ctx context.Context) {
	select {
	case <-e.telling.Again():
	case <-ctx.Done():
	case <-e.ctx.Done():
	}
}
