package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// listing is how a list is asked for. Its items are the member named as its kind.
type listing struct {
	method     string
	capability string
}

// listKinds are all kinds, in the order in which they are reported.
func listKinds() []ListKind {
	return []ListKind{ListTools, ListPrompts, ListResources, ListResourceTemplates}
}

// ListOf returns the list that an MCP method asks for, false for a method that
// asks for none.
func ListOf(method string) (ListKind, bool) {
	for _, kind := range listKinds() {
		if kind.how().method == method {
			return kind, true
		}
	}
	return "", false
}

// how returns how the list is asked for.
func (k ListKind) how() listing {
	switch k {
	case ListTools:
		return listing{"tools/list", "tools"}
	case ListPrompts:
		return listing{"prompts/list", "prompts"}
	case ListResources:
		return listing{"resources/list", "resources"}
	default:
		return listing{"resources/templates/list", "resources"}
	}
}

// pages is a list as it was read: the server's own bytes, all pages joined.
type pages struct {
	result json.RawMessage   // the result object, without nextCursor
	items  []json.RawMessage // alias result
}

// readList asks for all pages of a list (MCP 2025-11-25, Pagination).
func (s *session) readList(ctx context.Context, kind ListKind) (pages, error) {
	method, member := kind.how().method, string(kind)
	fail := func(detail, format string, args ...any) (pages, error) {
		return pages{}, errorf(KindInvalidResult, detail, "server %q cannot be listed: %s %s", s.opts.Name, method, fmt.Sprintf(format, args...))
	}
	var first, params json.RawMessage
	joined := []byte{'['}
	count := 0
	seen := map[string]bool{}
	for page := 1; ; page++ {
		result, err := s.request(ctx, method, params, s.opts.ReadTimeout)
		if err != nil {
			return pages{}, err
		}
		items := rawjson.Get(result, member)
		if !isArray(items) {
			return fail(member, "has no array %q in its result", member)
		}
		for item := range rawjson.Elements(items) {
			if count++; count > 1 {
				joined = append(joined, ',')
			}
			joined = append(joined, item...)
			if count > maxListItems || len(joined) > maxListBytes {
				return fail(member, "gave more than %d items or %d MiB", maxListItems, maxListBytes>>20)
			}
		}
		cursor, more, ok := nextCursor(result)
		switch {
		case !ok:
			return fail("nextCursor", "has a nextCursor that is not a string")
		case !more && page == 1:
			return onePage(result, member), nil
		case !more:
			return onePage(rawjson.Set(first, member, append(joined, ']')), member), nil
		case len(cursor) > maxCursor:
			return fail("nextCursor", "has a nextCursor of more than %d bytes", maxCursor)
		case seen[cursor]:
			return fail("nextCursor", "gave the cursor %.100q twice", cursor)
		case page == maxListPages:
			return fail("nextCursor", "has more than %d pages", maxListPages)
		}
		if page == 1 {
			first = result
		}
		seen[cursor] = true
		params = rawjson.Set(nil, "cursor", rawjson.Quote(cursor))
	}
}

// onePage makes the list of one result: the server's bytes as they are when there
// is no nextCursor in it.
func onePage(result json.RawMessage, member string) pages {
	if rawjson.Get(result, "nextCursor") != nil {
		result = rawjson.Delete(result, "nextCursor")
	}
	p := pages{result: result, items: []json.RawMessage{}}
	for item := range rawjson.Elements(rawjson.Get(result, member)) {
		p.items = append(p.items, item)
	}
	return p
}

// nextCursor reads the member of that name. "Clients SHOULD: Treat a missing
// nextCursor as the end of results"; null and "" are what some servers write for it.
func nextCursor(result json.RawMessage) (cursor string, more, ok bool) {
	raw := rawjson.Get(result, "nextCursor")
	if raw == nil || string(raw) == "null" {
		return "", false, true
	}
	if raw[0] != '"' {
		return "", false, false
	}
	cursor = rawjson.String(result, "nextCursor")
	return cursor, cursor != "", true
}

func isArray(b []byte) bool { return len(b) > 0 && b[0] == '[' }
