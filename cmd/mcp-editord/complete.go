package main

import (
	"context"
	"io"
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
)

const (
	completionTimeout = time.Second // how long a shell waits
	maxHint           = 80          // characters of a candidate's hint
)

// candidates returns what fits one place of the command line. args are the arguments before it.
type candidates func(ctx context.Context, s *session, args []string) ([]cobra.Completion, error)

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
		var fitting []cobra.Completion
		for _, c := range a.find(cmd, find, args) {
			if !strings.HasPrefix(c, prefix) {
				continue
			}
			fitting = append(fitting, c)
			if word, _, _ := strings.Cut(c, "\t"); strings.HasSuffix(word, "=") {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
		}
		return distinct(fitting), directive
	}
}

// find returns the candidates of find.
func (a *app) find(cmd *cobra.Command, find candidates, args []string) (found []cobra.Completion) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
	defer cancel()
	folders, err := workspaceFolders(cmd)
	if err != nil {
		return nil
	}
	quiet := *a
	quiet.stderr = io.Discard
	// It can answer nothing: a server is not to be initialized anew for a look at what it offers.
	_ = quiet.attached(ctx, ipc.Dial, folders, false, func(ctx context.Context, s *session) (err error) {
		found, err = find(ctx, s, args)
		return err
	})
	return found
}

// candidate adds a word with a hint, if the word is safe to offer.
func candidate(list []cobra.Completion, word, hint string) []cobra.Completion {
	if !isWord(word) {
		return list
	}
	return append(list, cobra.CompletionWithDesc(word, safetext.Line(firstLine(hint), maxHint)))
}

// argumentCandidate is candidate for the name of an argument. It leaves out a name that would make
// name= read as something else.
func argumentCandidate(list []cobra.Completion, name, hint string) []cobra.Completion {
	if name == "" || strings.Contains(name, "=") || strings.HasSuffix(name, ":") {
		return list
	}
	return candidate(list, name+"=", hint)
}

// isWord reports whether a shell reads word as itself, and this program does not take it for a
// flag. Whoever writes a server chooses the words. bash puts the common prefix of several candidates
// on the command line without quoting it; zsh reads a leading = as the path of a program.
func isWord(word string) bool {
	return word != "" && word[0] != '-' && word[0] != '=' && !strings.ContainsFunc(word, func(r rune) bool {
		switch {
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return false
		}
		return !strings.ContainsRune("_./:@%+=,-", r)
	})
}

// distinct leaves out words that occur again. It also leaves out the hints of words that are the
// same to a bash that ignores case, and with it the difference between - and _. bash has word and
// hint in one string, so the common prefix of such words would include the hint.
func distinct(list []cobra.Completion) []cobra.Completion {
	word := func(c cobra.Completion) string {
		w, _, _ := strings.Cut(c, "\t")
		return w
	}
	alike := func(c cobra.Completion) string { return strings.ReplaceAll(strings.ToLower(word(c)), "_", "-") }
	seen, count := map[string]bool{}, map[string]int{}
	list = slices.DeleteFunc(list, func(c cobra.Completion) bool {
		again := seen[word(c)]
		if !again {
			seen[word(c)] = true
			count[alike(c)]++
		}
		return again
	})
	for i, c := range list {
		if count[alike(c)] > 1 {
			list[i] = word(c)
		}
	}
	return list
}

func serverNames(ctx context.Context, s *session, _ []string) (found []cobra.Completion, err error) {
	servers, err := s.servers(ctx)
	for _, server := range servers {
		found = candidate(found, server.Name, fileuri.Shown(server.Source))
	}
	return found, err
}

// namesOf offers the tools or the prompts of a server.
func namesOf(k calldoc.Kind) candidates {
	return func(ctx context.Context, s *session, args []string) (found []cobra.Completion, err error) {
		known, err := editorapi.MethodCatalog.Call(ctx, s.client, editorapi.CatalogParams{Server: args[0]})
		for _, o := range offered(known.Value, k) {
			found = candidate(found, rawjson.String(o.item, "name"), rawjson.String(o.item, "description"))
		}
		return found, err
	}
}

// argumentsOf offers the arguments of a tool or a prompt that the command line lacks.
func argumentsOf(k calldoc.Kind) candidates {
	return func(ctx context.Context, s *session, args []string) (found []cobra.Completion, err error) {
		known, err := editorapi.MethodCatalog.Call(ctx, s.client, editorapi.CatalogParams{Server: args[0]})
		for _, o := range offered(known.Value, k) {
			if rawjson.String(o.item, "name") != args[1] {
				continue
			}
			for name, property := range rawjson.Members(rawjson.Get(k.Schema(o.item), "properties")) {
				if !given(args, name) {
					found = argumentCandidate(found, name, rawjson.String(property, "description"))
				}
			}
		}
		return found, err
	}
}

// given reports whether the command line has the argument name already.
func given(args []string, name string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return strings.HasPrefix(arg, name+"=") || strings.HasPrefix(arg, name+":=")
	})
}
