package wire

import "strings"

// ListKind is one of the lists that a server offers, by the member of a result that has its items.
type ListKind string

// The lists of a server.
const (
	ListTools             ListKind = "tools"
	ListPrompts           ListKind = "prompts"
	ListResources         ListKind = "resources"
	ListResourceTemplates ListKind = "resourceTemplates"
)

// ListKinds returns all kinds, in the order in which they are reported.
func ListKinds() []ListKind {
	return []ListKind{ListTools, ListPrompts, ListResources, ListResourceTemplates}
}

// ListOf returns the list that an MCP method asks for, false for a method that asks for none.
func ListOf(method string) (ListKind, bool) {
	for _, kind := range ListKinds() {
		if kind.Method() == method {
			return kind, true
		}
	}
	return "", false
}

// Method returns the method that asks for the list.
func (k ListKind) Method() string {
	if k == ListResourceTemplates {
		return MethodListTemplates
	}
	return string(k) + "/list"
}

// Capability returns the capability that the list belongs to. Templates have that of resources, and
// with it the notification and the flag.
func (k ListKind) Capability() string {
	if k == ListResourceTemplates {
		return string(ListResources)
	}
	return string(k)
}

// Changed returns the notification that the list has changed.
func (k ListKind) Changed() string { return "notifications/" + k.Capability() + "/list_changed" }

// ChangedFlag returns the member with which subscriptions/listen asks for that notification.
func (k ListKind) ChangedFlag() string { return k.Capability() + "ListChanged" }

// Item returns what one of the items is called.
func (k ListKind) Item() string {
	if k == ListResourceTemplates {
		return "resource template"
	}
	return strings.TrimSuffix(string(k), "s")
}
