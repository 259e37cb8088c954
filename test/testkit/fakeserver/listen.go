package fakeserver

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
)

// A listener is an open `subscriptions/listen`.
type listener struct {
	id     json.RawMessage
	filter listenFilter
	end    chan outcome // has room for the only outcome

	// writing guards out. It is held until the acknowledgment is written.
	writing sync.Mutex
	out     func(line string)
}

// listenFilter says what a client wants to hear of (MCP 2026-07-28, Subscriptions,
// Notification Filter).
type listenFilter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	Updates   []string `json:"resourceSubscriptions,omitempty"`
}

// concernsNoRequest tells whether a notification goes to clients and not on the stream of a
// request.
func concernsNoRequest(method string) bool {
	return strings.HasSuffix(method, "/list_changed") || method == "notifications/resources/updated" || method == "notifications/elicitation/complete"
}

func (f listenFilter) wants(method string, params json.RawMessage) bool {
	switch method {
	case "notifications/tools/list_changed":
		return f.Tools
	case "notifications/prompts/list_changed":
		return f.Prompts
	case "notifications/resources/list_changed":
		return f.Resources
	case "notifications/resources/updated":
		return slices.Contains(f.Updates, member(params, "uri"))
	default:
		return false
	}
}

// watches tells whether a resource can be watched.
func (s *server) watches(uri string) bool {
	b, _ := os.ReadFile(s.script.Unwatched)
	return !slices.Contains(strings.Split(string(b), "\n"), uri)
}

// subscribe answers resources/subscribe of the legacy era.
func (s *server) subscribe(params json.RawMessage) outcome {
	if uri := member(params, "uri"); !s.watches(uri) {
		return failure(-32002, "no such resource: "+uri)
	}
	return outcome{result: json.RawMessage(`{}`)}
}

// listen answers when the client or `end_listen` ends the subscription.
func (s *server) listen(m message) outcome {
	var params struct {
		Notifications listenFilter `json:"notifications"`
	}
	if err := json.Unmarshal(m.Params, &params); err != nil {
		return failure(-32602, err.Error())
	}
	params.Notifications.Updates = slices.DeleteFunc(params.Notifications.Updates, func(uri string) bool { return !s.watches(uri) })
	l := &listener{id: m.ID, filter: params.Notifications, out: m.out, end: make(chan outcome, 1)}
	// "The server MUST send `notifications/subscriptions/acknowledged` as the first
	// message carrying the subscription's ID", and nothing that changes after it is missed.
	l.writing.Lock()
	s.mu.Lock()
	s.listeners[l] = true
	s.mu.Unlock()
	l.out(l.notification("notifications/subscriptions/acknowledged", object("notifications", l.filter)))
	l.writing.Unlock()
	defer s.unlisten(l)
	select {
	case out := <-l.end:
		return out
	case <-m.gone:
		return outcome{silent: true}
	}
}

// notification returns the line of a notification that names its subscription.
func (l *listener) notification(method string, params json.RawMessage) string {
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal(params, &members)
	members["_meta"] = raw(map[string]json.RawMessage{metaSubscription: l.id})
	return notification(method, raw(members))
}

func (s *server) unlisten(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, l)
}

// announceListeners sends a notification to the listeners that want it.
func (s *server) announceListeners(method string, params json.RawMessage) {
	s.eachListener(func(l *listener) {
		if l.filter.wants(method, params) {
			l.writing.Lock()
			defer l.writing.Unlock()
			l.out(l.notification(method, params))
		}
	})
}

// cancelListen ends the subscription that a notification withdraws, the way of stdio.
func (s *server) cancelListen(params json.RawMessage) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(params, &p)
	s.eachListener(func(l *listener) {
		if string(l.id) == string(p.RequestID) {
			s.unlisten(l)
			l.finish(outcome{silent: true})
		}
	})
}

// endListen ends every subscription: "it SHOULD send a successful
// `subscriptions/listen` response to signal a graceful end".
func endListen(s *server, _ args, _ message) outcome {
	s.eachListener(func(l *listener) {
		l.finish(outcome{result: object("_meta", map[string]json.RawMessage{metaSubscription: l.id})})
	})
	return outcome{}
}

// finish ends a subscription, once.
func (l *listener) finish(out outcome) {
	select {
	case l.end <- out:
	default:
	}
}

func (s *server) eachListener(do func(*listener)) {
	s.mu.Lock()
	var all []*listener
	for l := range s.listeners {
		all = append(all, l)
	}
	s.mu.Unlock()
	for _, l := range all {
		do(l)
	}
}
