package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

const (
	defaultFound   = 20  // tools in a result
	maxFound       = 100 // tools in a result
	maxQueryWords  = 20
	maxOneLine     = 160  // characters of a description in a result
	maxDescription = 4096 // bytes of a description in which words are looked for
)

// found is a tool in the result of find_tools.
type found struct {
	Name        string `json:"name"`
	Server      string `json:"server"`
	Description string `json:"description,omitempty"`
	CallWith    string `json:"callWith"`
}

// find answers find_tools. Of what fits equally well, the first of the catalog comes first.
func (c *catalog) find(arguments json.RawMessage) json.RawMessage {
	query, ok := rawjson.Text(rawjson.Get(arguments, "query"))
	if !ok && !rawjson.IsAbsent(rawjson.Get(arguments, "query")) {
		return refusal(`"query" must be a string.`)
	}
	server := rawjson.Get(arguments, "server")
	only, ok := rawjson.Text(server)
	if !ok && !rawjson.IsAbsent(server) {
		return refusal(`"server" must be a string.`)
	}
	limit := int64(defaultFound)
	if given := rawjson.Get(arguments, "limit"); !rawjson.IsAbsent(given) {
		if limit, ok = rawjson.Int(arguments, "limit"); !ok || limit < 1 || limit > maxFound {
			return refusal(`"limit" must be a whole number from 1 to %d.`, maxFound)
		}
	}
	if only != "" && !slices.ContainsFunc(c.found, func(t target) bool { return t.server == only }) {
		return refusal("No server %s has tools. %s", echo(only), c.serverList())
	}
	type ranked struct {
		target
		rank int
	}
	words := splitWords(query)
	words = words[:min(len(words), maxQueryWords)]
	var matches []ranked
	for _, t := range c.found {
		if only != "" && t.server != only {
			continue
		}
		if r := rank(t, words); r > 0 || len(words) == 0 {
			matches = append(matches, ranked{t, r})
		}
	}
	slices.SortStableFunc(matches, func(a, b ranked) int { return b.rank - a.rank })
	result := struct {
		Tools []found `json:"tools"`
		Total int     `json:"total"` // how many match
	}{[]found{}, len(matches)}
	for _, m := range matches[:min(len(matches), int(limit))] {
		result.Tools = append(result.Tools, found{
			Name:        rawjson.String(m.definition, "name"),
			Server:      m.server,
			Description: oneLine(m.definition),
			CallWith:    callerOf(m.definition),
		})
	}
	return structured(result)
}

// oneLine returns the first line of what a tool says of itself.
func oneLine(definition json.RawMessage) string {
	text := strings.TrimSpace(rawjson.String(definition, "description"))
	if text == "" {
		text = rawjson.String(definition, "title")
	}
	first, _, _ := strings.Cut(text, "\n")
	return safetext.Line(strings.TrimSpace(first), maxOneLine)
}

// rank says how well a tool fits words: 0 for not at all. A tool that has more of them comes before
// all that have fewer; then counts where they are.
func rank(t target, words []string) (rank int) {
	name := splitWords(rawjson.String(t.definition, "name"))
	title := splitWords(rawjson.String(t.definition, "title") + " " + rawjson.String(rawjson.Get(t.definition, "annotations"), "title"))
	description := rawjson.String(t.definition, "description")
	text := splitWords(description[:min(len(description), maxDescription)])
	for _, word := range words {
		best := max(9*in(name, word), 6*in(title, word), 3*in(text, word))
		if best > 0 {
			rank += 1000 + best
		}
	}
	return rank
}

// in says whether a word is among others: 2 as it is, 1 as the beginning of one or the other, such as
// "repo" and "repositories", else 0.
func in(words []string, word string) (how int) {
	for _, w := range words {
		if w == word {
			return 2
		}
		if shorter := min(len(w), len(word)); shorter >= minStem && w[:shorter] == word[:shorter] {
			how = 1
		}
	}
	return how
}

// minStem is how long the beginning of a word must be to count, in bytes.
const minStem = 3

// splitWords returns the words of s in lower case. A word ends where letters and digits end, and
// where a capital letter follows a small one.
func splitWords(s string) (words []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			continue
		}
		if len(word) > 0 && unicode.IsUpper(r) && !unicode.IsUpper(word[len(word)-1]) {
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}
