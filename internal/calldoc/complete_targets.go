package calldoc

import (
	"encoding/json"
	"net/url"
	"regexp"
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

// expression is a variable in a URI template (RFC 6570). The value of one with a + may have slashes.
var expression = regexp.MustCompile(`^\{(\+?)([^{}+*,:#./;?&=]+)\*?\}`)

// fromTemplate completes a URI by a template, as far as each of its expressions has one variable. asked counts the
// questions to the server.
func (c completer) fromTemplate(template json.RawMessage, asked *int) (all []textdoc.Completion) {
	spelled := rawjson.String(template, "uriTemplate")
	rest, before, others := spelled, "", map[string]string{}
	for {
		literal, _, _ := strings.Cut(rest, "{")
		typed := c.place.Prefix[len(before):]
		before += literal
		if !strings.HasPrefix(typed, literal) {
			if strings.HasPrefix(literal, typed) { // it is not complete
				all = append(all, c.completion(before, textdoc.KindFile, spelled, rawjson.String(template, "description")))
			}
			return all
		}
		typed = typed[len(literal):]
		variable := expression.FindStringSubmatch(rest[len(literal):])
		if variable == nil {
			return nil
		}
		rest = rest[len(literal)+len(variable[0]):]
		next, _, _ := strings.Cut(rest, "{")
		if end := strings.Index(typed, next); next != "" && end >= 0 {
			others[variable[2]], _ = url.PathUnescape(typed[:end])
			before += typed[:end]
			continue
		}
		if *asked++; *asked > maxAsked {
			return nil
		}
		ref := rawjson.Set([]byte(`{"type":"ref/resource"}`), "uri", rawjson.Quote(spelled))
		begun, _ := url.PathUnescape(typed)
		for _, value := range c.book.Values(c.ctx, c.call.Target, ref, variable[2], begun, others) {
			value = url.PathEscape(value)
			if variable[1] != "" {
				value = strings.ReplaceAll(value, "%2F", "/")
			}
			all = append(all, c.completion(before+value+next, textdoc.KindValue, spelled, ""))
		}
		return all
	}
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
