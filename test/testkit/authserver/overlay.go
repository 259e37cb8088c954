package authserver

import (
	"encoding/json"
	"strings"
)

// overlay replaces members of a document.
func (s *Server) overlay(document, with map[string]any, words ...string) map[string]any {
	for name, value := range with {
		if value == nil {
			delete(document, name)
		} else {
			document[name] = s.fill(value, words...)
		}
	}
	return document
}

// fill puts what the words stand for into the strings of a value.
func (s *Server) fill(value any, words ...string) any {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // a value that came with a knob of the test
	}
	var out any
	_ = json.Unmarshal([]byte(s.expand(b.String(), words...)), &out)
	return out
}

// expand puts what the words stand for into a text.
func (s *Server) expand(text string, words ...string) string {
	words = append(words, "$RESOURCEMETADATA", s.resource.metadataURL(), "$RESOURCE", s.Resource(), "$URL", s.URL(), "$ISSUER", s.first.issuer(),
		"$SECOND", s.second.issuer(), "$IDP", s.IDPIssuer(), "$BASE", s.first.base(), "$HOST", s.first.front.addr, "$NOWHERE", "http://127.0.0.1:1")
	return strings.NewReplacer(words...).Replace(text)
}
