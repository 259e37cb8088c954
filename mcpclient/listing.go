package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/paramheader"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// pages is a list as it was read: the server's own bytes, all pages joined.
type pages struct {
	result json.RawMessage   // the result object, without nextCursor
	items  []json.RawMessage // alias result

	// stale is when the list becomes too old to use; the zero time when it is good until
	// the server tells of a change.
	stale time.Time

	claim budget.Claim // of the memory, for result

	// mirrored are the tools, by name, whose arguments are mirrored into headers.
	mirrored map[string]json.RawMessage
}

// readList asks for all pages of a list (MCP 2025-11-25, Pagination).
func (s *session) readList(ctx context.Context, kind wire.ListKind) (_ pages, err error) {
	method, member := kind.Method(), string(kind)
	fail := func(detail, format string, args ...any) (pages, error) {
		return pages{}, wire.Errorf(wire.KindInvalidResult, detail, "server %q cannot be listed: %s %s", s.opts.Name, method, fmt.Sprintf(format, args...))
	}
	list := pages{claim: s.opts.Memory.Claim()} // of all pages
	defer func() {
		if err != nil {
			list.claim.Release()
		}
	}()
	var first, params json.RawMessage
	read, size := 0, 0 // bytes of all pages, and of the items that are kept
	leftOut := 0
	defer func() {
		if n := leftOut - maxOmissions; n > 0 {
			s.log.say("%d more of %s are left out", n, method)
		}
	}()
	seen := map[string]bool{}
	for page := 1; ; page++ {
		p := &pending{method: method, timeout: readTimeout, list: true}
		result, err := s.requestAs(ctx, p, params)
		list.claim.Adopt(p.claimed)
		if err != nil {
			return pages{}, err
		}
		if read += len(result); page == 1 {
			first = result
		}
		items := rawjson.Get(result, member)
		if !isArray(items) {
			return fail(member, "has no array %q in its result", member)
		}
		list.stale = earlier(list.stale, s.staleAt(kind, result))
		if p.deep > 0 && wire.Deeper(rawjson.Delete(result, member)) > 0 {
			return fail("depth", "has a result that is nested over %d deep outside of %q", rawjson.MaxDepth, member)
		}
		for item := range rawjson.Elements(items) {
			if why := s.unfit(&list, kind, item, p.deep > 0); why != nil {
				if leftOut++; leftOut <= maxOmissions {
					name := clip(rawjson.String(item, "name"))
					s.log.say("the %s %q is left out: %v", kind.Item(), name, why)
				}
				continue
			}
			list.items = append(list.items, item)
			if size += len(item) + 1; len(list.items) > maxListItems || size > maxListBytes {
				return fail(member, "gave more than %d items or %d MiB", maxListItems, maxListBytes>>20)
			}
		}
		cursor, more, ok := nextCursor(result)
		switch {
		case !ok:
			return fail("nextCursor", "has a nextCursor that is not a string")
		case !more:
			if page > 1 || leftOut > 0 {
				// The items, and the first page with them, before all pages are given back.
				if !list.claim.Grow(2*size + len(first)) {
					return pages{}, s.noRoom(kind)
				}
				read += 2*size + len(first)
				first = rawjson.Set(first, member, rawjson.Array(list.items))
			}
			list.take(first, member)
			list.claim.Shrink(read - len(list.result))
			return list, nil
		case len(cursor) > maxCursor:
			return fail("nextCursor", "has a nextCursor of more than %d bytes", maxCursor)
		case seen[cursor]:
			return fail("nextCursor", "gave the cursor %.100q twice", cursor)
		case page == maxListPages:
			return fail("nextCursor", "has more than %d pages", maxListPages)
		}
		seen[cursor] = true
		params = rawjson.Set(nil, "cursor", rawjson.Quote(cursor))
	}
}

// noRoom is the error of a list for which there is no memory left.
func (s *session) noRoom(kind wire.ListKind) *wire.Error {
	return wire.Errorf(wire.KindTooLarge, kind.Method(), "server %q cannot be listed: there is no memory left for %s; have it offer less", s.opts.Name, kind.Method())
}

// take takes the result with all items. Without a nextCursor in it, the server's bytes stay as
// they are.
func (p *pages) take(result json.RawMessage, member string) {
	p.result, p.items = rawjson.Delete(result, "nextCursor"), []json.RawMessage{}
	for item := range rawjson.Elements(rawjson.Get(p.result, member)) {
		p.items = append(p.items, item)
	}
}

// maxTTL bounds how long a list counts as good.
const maxTTL = 365 * 24 * time.Hour

// staleAt returns when a page that was just received becomes too old to use: after its
// ttlMs "the client SHOULD re-fetch on next access" (MCP 2026-07-28, Caching). A page without
// one is good until the server tells of a change; if the server does not tell of changes, the page
// is stale at once. The legacy era has no such thing.
func (s *session) staleAt(kind wire.ListKind, page json.RawMessage) time.Time {
	if !s.modern.Load() {
		return time.Time{}
	}
	ttl, _ := rawjson.Int(page, "ttlMs")
	if ttl <= 0 && s.watcher.tells(kind) {
		return time.Time{}
	}
	return time.Now().Add(time.Duration(max(0, min(ttl, maxTTL.Milliseconds()))) * time.Millisecond)
}

// earlier returns the earlier of two times. Zero means never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// unfit returns why an item is left out of a list, nil for most. deep says that something in its
// page is nested too deep. unfit takes note of a tool whose arguments are mirrored into headers, and
// refuses one that demands this wrongly: "clients using the Streamable HTTP transport MUST reject
// tool definitions where any x-mcp-header value violates these constraints […] and SHOULD log a
// warning" (MCP 2026-07-28, Streamable HTTP, Schema Extension).
func (s *session) unfit(list *pages, kind wire.ListKind, item json.RawMessage, deep bool) error {
	if deep {
		if deep := wire.Deeper(item); deep > 0 {
			return deep
		}
	}
	if kind != wire.ListTools || !s.mirrors() || !bytes.Contains(item, []byte(paramheader.Annotation)) {
		return nil
	}
	if err := paramheader.Check(item); err != nil {
		return err
	}
	if list.mirrored == nil {
		list.mirrored = map[string]json.RawMessage{}
	}
	list.mirrored[rawjson.String(item, "name")] = item
	return nil
}

// maxOmissions is how many omitted items of one list the log names.
const maxOmissions = 20

// nextCursor reads the member of that name. "Clients SHOULD: Treat a missing
// nextCursor as the end of results"; some servers write null or "" for it.
func nextCursor(result json.RawMessage) (cursor string, more, ok bool) {
	raw := rawjson.Get(result, "nextCursor")
	if rawjson.IsAbsent(raw) {
		return "", false, true
	}
	cursor, ok = rawjson.Text(raw)
	return cursor, cursor != "", ok
}

func isArray(b []byte) bool { return len(b) > 0 && b[0] == '[' }
