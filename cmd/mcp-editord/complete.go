package main

import (
	"context"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

const (
	completionTimeout = time.Second // how long a shell waits
	maxHint           = 80          // characters of a candidate's hint
)

// candidates returns what fits one place of the command line. args are the arguments before it, prefix is what is there.
type candidates func(ctx context.Context, s *session, args []string, prefix string) ([]cobra.Completion, error)

// complete completes the arguments of a command: each place by its own function, and all later ones
// by rest, which may be nil. It asks a daemon that runs and starts nothing. When anything fails it
// has no candidates: a shell is no place for errors.
func (a *app) complete(rest candidates, places ...candidates) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		directive := cobra.ShellCompDirectiveNoFileComp
		find := rest
		if len(args) < len(places) {
			find = places[len(args)]
		}
		if find == nil {
			return nil, directive
		}
		// A shell does not wait long, and a server is not to be initialized anew for a look at what it offers.
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
		defer cancel()
		quiet := *a
		quiet.stderr = io.Discard
		var found []cobra.Completion
		if folders, err := workspaceFolders(cmd); err == nil {
			_ = quiet.attached(ctx, ipc.Dial, folders, false, func(ctx context.Context, s *session) (err error) {
				found, err = find(ctx, s, args, prefix)
				return err
			})
		}
		found = slices.DeleteFunc(found, func(c cobra.Completion) bool { return !strings.HasPrefix(c, prefix) })
		if slices.ContainsFunc(found, func(c cobra.Completion) bool { return strings.HasSuffix(word(c), "=") }) {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		return distinct(found), directive
	}
}

// word returns a candidate without its hint.
func word(c cobra.Completion) string {
	w, _, _ := strings.Cut(c, "\t")
	return w
}

// candidate adds a word with a hint, if the word is safe to offer.
func candidate(list []cobra.Completion, word, hint string) []cobra.Completion {
	if !regexp.MustCompile(safeWord).MatchString(word) {
		return list
	}
	return append(list, cobra.CompletionWithDesc(word, safetext.Line(firstLine(hint), maxHint)))
}

// safeWord is a word that a shell reads as itself, and this program does not take for a flag. Whoever writes a server
// chooses the words. bash puts the common prefix of several candidates on the command line without quoting it; zsh reads a
// leading = as the path of a program.
const safeWord = `^[A-Za-z0-9_./:@%+,][A-Za-z0-9_./:@%+=,-]*$`

// distinct leaves out words that occur again. It also leaves out the hints of words that are the
// same to a bash that ignores case, and with it the difference between - and _. bash has word and
// hint in one string, so the common prefix of such words would include the hint.
func distinct(list []cobra.Completion) (all []cobra.Completion) {
	alike := func(c cobra.Completion) string { return strings.ReplaceAll(strings.ToLower(word(c)), "_", "-") }
	seen, count := map[string]bool{}, map[string]int{}
	for _, c := range list {
		if !seen[word(c)] {
			seen[word(c)] = true
			count[alike(c)]++
			all = append(all, c)
		}
	}
	for i, c := range all {
		if count[alike(c)] > 1 {
			all[i] = word(c)
		}
	}
	return all
}

func serverNames(ctx context.Context, s *session, _ []string, _ string) (found []cobra.Completion, err error) {
	servers, err := s.servers(ctx)
	for _, server := range servers {
		found = candidate(found, server.Name, fileuri.Shown(server.Source))
	}
	return found, err
}

// namesOf offers what a server lists.
func namesOf(k calldoc.Kind) candidates {
	return func(ctx context.Context, s *session, args []string, _ string) (found []cobra.Completion, err error) {
		known, err := editorapi.MethodCatalog.Call(ctx, s.client, editorapi.CatalogParams{Server: args[0]})
		for _, o := range offered(known.Value, k) {
			found = candidate(found, o.name, rawjson.String(o.item, "description"))
		}
		return found, err
	}
}

// argumentsOf offers the arguments of a tool or a prompt that the command line lacks, and the values of the one that is
// begun.
func argumentsOf(k calldoc.Kind) candidates {
	return func(ctx context.Context, s *session, args []string, prefix string) (found []cobra.Completion, err error) {
		known, err := editorapi.MethodCatalog.Call(ctx, s.client, editorapi.CatalogParams{Server: args[0]})
		begun, value, valued := strings.Cut(prefix, "=")
		for _, o := range offered(known.Value, k) {
			if o.name != args[1] {
				continue
			}
			for name, property := range rawjson.Members(rawjson.Get(k.Schema(o.item), "properties")) {
				given := slices.ContainsFunc(args, func(arg string) bool {
					return strings.HasPrefix(arg, name+"=") || strings.HasPrefix(arg, name+":=")
				})
				switch {
				case oddName(name) || given || valued && name != begun:
				case !valued:
					found = candidate(found, name+"=", rawjson.String(property, "description"))
				case k == calldoc.Prompt:
					for _, text := range s.proposed(ctx, o, name, value, args[2:]) {
						found = candidate(found, name+"="+text, "")
					}
				default:
					for _, listed := range valuesOf(toolschema.OfTool(o.item).Property(name), property) {
						found = candidate(found, name+"="+rawjson.Bare(listed), "")
					}
				}
			}
		}
		return found, err
	}
}

// proposed returns the values that a server proposes for an argument of a prompt (MCP 2025-11-25, Server, Utilities,
// Completion); nil when it cannot.
func (s *session) proposed(ctx context.Context, o offer, name, value string, words []string) (values []string) {
	others := json.RawMessage("{}")
	for _, word := range words {
		if other, text, ok := strings.Cut(word, "="); ok {
			others = rawjson.Set(others, other, rawjson.Quote(text))
		}
	}
	params, _ := json.Marshal(map[string]any{ // strings have JSON
		"ref":      map[string]string{"type": "ref/prompt", "name": o.name},
		"argument": map[string]string{"name": name, "value": value},
		"context":  map[string]any{"arguments": others},
	})
	result, _ := s.client.Call(ctx, "completion/complete", editorapi.MCPRequest{Server: o.server, Params: params}, nil)
	for raw := range rawjson.Elements(rawjson.Path(result, "completion", "values")) {
		values = append(values, rawjson.Bare(raw))
	}
	return values
}
