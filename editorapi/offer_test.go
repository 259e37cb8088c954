package editorapi

import "testing"

// An offer takes the lists as they are, and copies nothing.
func TestOfferAliasesItsLists(t *testing.T) {
	tools := raw(`{"name":"t"}`, `{"name": "u"}`)
	o := NewOffer("s", tools, nil, tools[:1], nil)
	if &o.tools[1].definition[0] != &tools[1][0] || &o.resources[0][0] != &tools[0][0] {
		t.Error("a definition was copied")
	}
}
