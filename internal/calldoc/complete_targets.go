package calldoc

import (
	"cmp"
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
	var all []textdoc.Completion
	for _, server := range c.book.servers {
		list, waits := c.book.Offered(k, server.Name), ""
		if !server.Ready {
			waits = "server is not ready (" + server.State + ")"
		}
		if len(list) == 0 && waits != "" {
			all = append(all, c.completion(server.Name+".", textdoc.KindModule, waits, ""))
		}
		for _, item := range list {
			target := server.Name + "." + rawjson.String(item, "name")
			description := rawjson.String(item, "description")
			detail := cmp.Or(waits, rawjson.String(item, "title"), description)
			all = append(all, c.completion(target, textdoc.KindFunction, firstLine(detail), description))
		}
	}
	return ranked(c.place.Prefix, all)
}

// completion returns one that puts a text in the place of the scalar at the cursor.
func (c completer) completion(text string, kind textdoc.CompletionKind, detail, documentation string) textdoc.Completion {
	return c.item(textdoc.Completion{Label: text, Kind: kind, Detail: detail, Documentation: documentation}, c.scalar(text))
}

// serverNames completes the name of a server to read from.
func (c completer) serverNames() []textdoc.Completion {
	var all []textdoc.Completion
	for _, server := range c.book.servers {
		all = append(all, c.completion(server.Name, textdoc.KindModule, server.State, ""))
	}
	return ranked(c.place.Prefix, all)
}

// uris completes the URI of a resource: those that the server lists, and what its templates make of what is typed.
func (c completer) uris() []textdoc.Completion {
	var listed []textdoc.Completion
	for _, resource := range c.book.Resources(c.call.Target) {
		name, description := rawjson.String(resource, "name"), rawjson.String(resource, "description")
		uri := rawjson.String(resource, "uri")
		listed = append(listed, c.completion(uri, textdoc.KindFile, firstLine(name), description))
	}
	all := ranked(c.place.Prefix, listed)
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

// ranked returns the completions that fit what is typed, the best first, at most [MaxCompletions].
func ranked(typed string, all []textdoc.Completion) []textdoc.Completion {
	typed = strings.ToLower(typed[:min(len(typed), maxTyped)])
	var byRank [4][]textdoc.Completion
	for _, completion := range all {
		if rank, ok := fits(typed, strings.ToLower(completion.Label)); ok {
			byRank[rank] = append(byRank[rank], completion)
		}
	}
	found := slices.Concat(byRank[:]...)
	return found[:min(len(found), MaxCompletions)]
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
