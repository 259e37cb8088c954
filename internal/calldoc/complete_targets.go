package calldoc

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// targets completes SERVER.NAME for all servers. A server whose list is not known has its state in place of that.
func (c completer) targets(k Kind) []textdoc.Completion {
	found := newRanking(c.place.Prefix)
	for _, server := range c.book.servers {
		list := c.book.offered(k, server.Name)
		if len(list) == 0 && !server.Ready {
			found.add(server.Name+".", func() textdoc.Completion {
				return c.completion(server.Name+".", textdoc.KindModule, "server is not ready ("+server.State+")", "")
			})
		}
		for _, item := range list {
			target := server.Name + "." + rawjson.String(item, "name")
			found.add(target, func() textdoc.Completion {
				description := rawjson.String(item, "description")
				detail := rawjson.String(item, "title")
				if detail == "" {
					detail = description
				}
				if !server.Ready {
					detail = "server is not ready (" + server.State + ")"
				}
				return c.completion(target, textdoc.KindFunction, firstLine(detail), description)
			})
		}
	}
	return found.best()
}

// completion returns one that puts a text in the place of the scalar at the cursor.
func (c completer) completion(text string, kind textdoc.CompletionKind, detail, documentation string) textdoc.Completion {
	return c.item(textdoc.Completion{Label: text, Kind: kind, Detail: detail, Documentation: documentation}, c.scalar(text))
}

// serverNames completes the name of a server to read from.
func (c completer) serverNames() []textdoc.Completion {
	found := newRanking(c.place.Prefix)
	for _, server := range c.book.servers {
		found.add(server.Name, func() textdoc.Completion {
			return c.completion(server.Name, textdoc.KindModule, server.State, "")
		})
	}
	return found.best()
}

// uris completes the URI of a resource: those that the server lists, and what its templates make of what is typed.
func (c completer) uris() []textdoc.Completion {
	found := newRanking(c.place.Prefix)
	for _, resource := range c.book.Resources(c.call.Target) {
		uri := rawjson.String(resource, "uri")
		found.add(uri, func() textdoc.Completion {
			return c.completion(uri, textdoc.KindFile, firstLine(rawjson.String(resource, "name")), rawjson.String(resource, "description"))
		})
	}
	all := found.best()
	asked := 0
	for _, template := range c.book.ResourceTemplates(c.call.Target) {
		if len(all) >= MaxCompletions {
			break
		}
		all = append(all, c.fromTemplate(template, &asked)...)
	}
	return all
}

// maxAsked is how many templates a server is asked about for one completion.
const maxAsked = 4

// fromTemplate completes a URI by a template. asked counts the questions to the server.
func (c completer) fromTemplate(template json.RawMessage, asked *int) (all []textdoc.Completion) {
	spelled := rawjson.String(template, "uriTemplate")
	parts := templateParts(spelled)
	m, ok := matchTemplate(parts, c.place.Prefix)
	if !ok {
		return nil
	}
	if m.part.variable == "" { // the text before the first variable, or between two, is not complete
		one := c.completion(m.before, textdoc.KindFile, spelled, rawjson.String(template, "description"))
		return append(all, one)
	}
	if *asked++; *asked > maxAsked {
		return nil
	}
	ref := rawjson.Set([]byte(`{"type":"ref/resource"}`), "uri", rawjson.Quote(spelled))
	for _, value := range c.book.Values(c.ctx, c.call.Target, ref, m.part.variable, m.value, m.others) {
		one := c.completion(m.before+m.part.encode(value)+m.after, textdoc.KindValue, spelled, "")
		all = append(all, one)
	}
	return all
}

// A templatePart is literal text of a URI template (RFC 6570), or a variable.
type templatePart struct {
	literal, variable string
	slashes           bool // the value of the variable may have them
}

// encode returns a value as it stands in a URI.
func (p templatePart) encode(value string) string {
	value = url.PathEscape(value)
	if p.slashes {
		value = strings.ReplaceAll(value, "%2F", "/")
	}
	return value
}

// templateParts reads a URI template as far as its expressions have one variable.
func templateParts(template string) (parts []templatePart) {
	for template != "" {
		literal, rest, ok := strings.Cut(template, "{")
		if literal != "" {
			parts = append(parts, templatePart{literal: literal})
		}
		name, rest, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			break
		}
		name, reserved := strings.CutPrefix(strings.TrimSuffix(name, "*"), "+")
		if name == "" || strings.ContainsAny(name, ",:#./;?&=") {
			break
		}
		parts = append(parts, templatePart{variable: name, slashes: reserved})
		template = rest
	}
	return parts
}

// A templateMatch says where in a template the end of a typed URI is.
type templateMatch struct {
	before string            // what stands before the value, or the whole text to insert without a variable
	part   templatePart      // the variable; none when a literal is not complete
	value  string            // typed so far
	after  string            // the literal behind the variable
	others map[string]string // the variables before it
}

func matchTemplate(parts []templatePart, typed string) (templateMatch, bool) {
	m := templateMatch{others: map[string]string{}}
	for i, part := range parts {
		rest := typed[len(m.before):]
		if part.variable == "" {
			if !strings.HasPrefix(rest, part.literal) {
				if !strings.HasPrefix(part.literal, rest) {
					return m, false
				}
				m.before += part.literal
				return m, true
			}
			m.before += part.literal
			continue
		}
		next := ""
		if i+1 < len(parts) {
			next = parts[i+1].literal
		}
		if end := strings.Index(rest, next); next != "" && end >= 0 {
			m.others[part.variable], _ = url.PathUnescape(rest[:end])
			m.before += rest[:end]
			continue
		}
		m.part, m.after = part, next
		m.value, _ = url.PathUnescape(rest)
		return m, true
	}
	return m, false
}

// maxTyped is how many bytes are compared with names: nobody types more of one.
const maxTyped = 256

// A ranking keeps the completions that fit what is typed, by how well they fit. They are made only when they are
// returned.
type ranking struct {
	typed string
	found [4][]func() textdoc.Completion
}

func newRanking(typed string) *ranking {
	return &ranking{typed: strings.ToLower(typed[:min(len(typed), maxTyped)])}
}

// add adds a completion if its text fits.
func (r *ranking) add(text string, completion func() textdoc.Completion) {
	if rank, ok := fits(r.typed, strings.ToLower(text)); ok {
		r.found[rank] = append(r.found[rank], completion)
	}
}

// best returns the completions that fit best, at most [MaxCompletions].
func (r *ranking) best() (all []textdoc.Completion) {
	found := slices.Concat(r.found[:]...)
	for _, completion := range found[:min(len(found), MaxCompletions)] {
		all = append(all, completion())
	}
	return all
}

// fits reports how well what is typed fits a text: 0 its beginning, 1 the beginning of a word, 2 a part of it, 3 its
// characters in this order.
func fits(typed, text string) (rank int, ok bool) {
	if strings.HasPrefix(text, typed) {
		return 0, true
	}
	if i := strings.Index(text, typed); i > 0 {
		if strings.ContainsRune("._-/ :", rune(text[i-1])) {
			return 1, true
		}
		return 2, true
	}
	rest := typed
	for i := 0; i < len(text) && rest != ""; i++ {
		if text[i] == rest[0] {
			rest = rest[1:]
		}
	}
	return 3, rest == ""
}
