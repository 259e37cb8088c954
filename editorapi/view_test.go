package editorapi

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// full is a server with a value in each member.
func full(t *testing.T) Server {
	t.Helper()
	s := Server{
		Name: "s", State: ServerReady, Scope: ScopeUser, Transport: TransportStdio, Source: "file:///c",
		ProtocolVersion: "2025-11-25", ServerInfo: json.RawMessage(`{"name":"x"}`), Instructions: "i", Capabilities: json.RawMessage(`{}`),
		PID: 1, Digest: "d", Restarts: 1, Error: &ServerError{Message: "m"}, Approval: &ApproveParams{Server: "s"},
		Shadowed: []string{"file:///d"}, Muted: true, Problems: []string{"p"}, RunBy: "c",
		SignIn: &SignIn{URL: "u"}, SignedIn: &SignedIn{Issuer: "i"}, Held: &ApproveParams{Kind: ApproveTools}, HeldDenied: true, WaitsFor: WaitInput,
	}
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Fatalf("%s has no value here", v.Type().Field(i).Name)
		}
	}
	return s
}

// A view tells of a server as long as no member differs.
func TestViewTells(t *testing.T) {
	view := NewView(full(t))
	if !view.Tells(full(t)) {
		t.Error("it does not tell of an equal server")
	}
	for i := range reflect.TypeFor[Server]().NumField() {
		other := full(t)
		reflect.ValueOf(&other).Elem().Field(i).SetZero()
		if view.Tells(other) {
			t.Errorf("it tells of a server with another %s", reflect.TypeFor[Server]().Field(i).Name)
		}
	}
}

// A view is encoded once, unless that is too large to keep.
func TestViewIsEncodedOnce(t *testing.T) {
	view := NewView(full(t))
	first, second := view.json(), view.json()
	if string(first) != string(encodeOwn(full(t))) || &first[0] != &second[0] {
		t.Errorf("it is encoded as %s, and as %s", first, second)
	}
	large := full(t)
	large.Instructions = strings.Repeat("x", maxKeptView)
	if view := NewView(large); string(view.json()) != string(encodeOwn(large)) || view.encoded != nil {
		t.Error("a large one is kept, or wrong")
	}
}
