package editorapi

import (
	"encoding/json"
	"strings"
	"testing"
)

// A view tells of a server as long as no member differs. It is encoded once, unless that is too large to keep.
func TestView(t *testing.T) {
	server := func() Server {
		return Server{Name: "s", Capabilities: json.RawMessage(`{}`), Problems: []string{"p"}, Error: &ServerError{Message: "m"}}
	}
	view, other := NewView(server()), server()
	if other.Error.Message = "another"; !view.Tells(server()) || view.Tells(other) {
		t.Error("it does not tell of an equal server, or tells of another")
	}
	first, second := view.json(), view.json()
	if string(first) != string(encodeOwn(server())) || &first[0] != &second[0] {
		t.Errorf("it is encoded as %s, and as %s", first, second)
	}
	large := server()
	large.Instructions = strings.Repeat("x", maxKeptView)
	if view := NewView(large); string(view.json()) != string(encodeOwn(large)) || view.encoded != nil {
		t.Error("a large one is kept, or wrong")
	}
}
