package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/schemalang"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

// maxArguments is how many MiB of arguments standard input may have.
const maxArguments = 16

// callArguments makes the arguments of a call, a JSON object, from words of the command line: one
// word that is an object, "-" for an object on in, or words key=value, whose values it converts by
// what the server says of the tool or prompt. There a key that the schema does not know is an error: few servers notice one
// that is misspelt. So is a required one that is missing, unless it is among those that bound returns.
func callArguments(words []string, k calldoc.Kind, definition json.RawMessage, in io.Reader, bound func() []string) (json.RawMessage, error) {
	if len(words) == 1 && words[0] == "-" {
		text, err := readAtMost(in, maxArguments, "the arguments")
		if err != nil {
			return nil, err
		}
		return objectArgument(text)
	}
	if len(words) == 1 && strings.HasPrefix(words[0], "{") {
		return objectArgument([]byte(words[0]))
	}
	schema := toolschema.OfTool(definition)
	if k == calldoc.Prompt {
		schema = toolschema.OfPrompt(definition)
	}
	arguments, err := keyArguments(words, schema)
	if err != nil {
		return nil, err
	}
	var keys, wrong []string
	for key := range rawjson.Members(arguments) {
		keys = append(keys, key)
	}
	advice := ""
	for _, stranger := range schemalang.Compile(k.Schema(definition)).Strangers(keys) {
		meant := ""
		if stranger.Meant != "" {
			meant = fmt.Sprintf(" (did you mean %q?)", stranger.Meant)
		} else {
			advice = "; to send it all the same, give the arguments as one JSON object"
		}
		wrong = append(wrong, fmt.Sprintf("the %s has no argument %q%s", k.Noun(), stranger.Key, meant))
	}
	lacks := slices.DeleteFunc(slices.Clone(schema), func(p toolschema.Property) bool {
		return !p.Required || slices.Contains(keys, p.Name)
	})
	if len(wrong) == 0 && len(lacks) > 0 {
		filled := bound()
		for _, p := range lacks {
			if !slices.Contains(filled, p.Name) {
				wrong = append(wrong, fmt.Sprintf("the %s needs the argument %q", k.Noun(), p.Name))
			}
		}
	}
	if len(wrong) > 0 {
		return nil, &usageError{fmt.Errorf("%s; its arguments: %s%s", strings.Join(wrong, ", "), listed(schema), advice)}
	}
	return arguments, nil
}

// maxListed is how many arguments a message names.
const maxListed = 20

// listed names the arguments of a tool or prompt, with their types, those that are required first.
func listed(schema toolschema.Schema) string {
	var all []string
	for _, first := range []string{", required", ""} {
		for _, p := range schema {
			if p.Required == (first != "") {
				types := cmp.Or(strings.Join(p.Types, " or "), "any")
				all = append(all, fmt.Sprintf("%s (%s%s)", p.Name, types, first))
			}
		}
	}
	if len(all) > maxListed {
		all = append(all[:maxListed], fmt.Sprintf("and %d more", len(all)-maxListed))
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}

// readAtMost reads all of in, what, which may have so many MiB.
func readAtMost(in io.Reader, mib int, what string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, int64(mib)<<20+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	if len(text) > mib<<20 {
		return nil, fmt.Errorf("%s: more than %d MiB", what, mib)
	}
	return text, nil
}

func objectArgument(text []byte) (json.RawMessage, error) {
	if err := rawjson.Check(text); err != nil {
		return nil, &usageError{fmt.Errorf("the arguments must be valid JSON: %w", err)}
	}
	if !rawjson.IsObject(text) {
		return nil, &usageError{errors.New("the arguments must be a JSON object")}
	}
	return text, nil
}

// keyArguments makes an object from words key=value, key=@file for a text in a file, and key:=json for a value in JSON.
func keyArguments(words []string, schema toolschema.Schema) (json.RawMessage, error) {
	arguments := json.RawMessage("{}")
	for _, word := range words {
		key, text, ok := strings.Cut(word, "=")
		name, isJSON := strings.CutSuffix(key, ":")
		value, err := json.RawMessage(text), error(nil)
		switch {
		case !ok || name == "":
			err = fmt.Errorf("%q is not an argument; write key=value, or key:=json, or one JSON object", word)
		case rawjson.Get(arguments, name) != nil:
			err = fmt.Errorf("the argument %q is given twice", name)
		case !isJSON:
			value, err = convert(name, text, schema.Property(name).Types)
		default:
			if err = rawjson.Check(value); err != nil {
				err = fmt.Errorf("the argument %q must be valid JSON: %w", name, err)
			}
		}
		if err != nil {
			return nil, &usageError{err}
		}
		arguments = rawjson.Set(arguments, name, value)
	}
	return arguments, nil
}

// maxTextFile is how many MiB the file of an argument may have.
const maxTextFile = 1

// convert turns text into a value of one of the types that the argument key may have. It is a string where that is one of
// them, or the schema names none: what is in FILE for @FILE, and for @@… what is behind the first @. Whether it is among
// the values that the schema lists, the server says.
func convert(key, text string, types []string) (json.RawMessage, error) {
	path, is := strings.CutPrefix(text, "@")
	if is && (types == nil || slices.Contains(types, "string")) {
		if text = path; !strings.HasPrefix(path, "@") {
			f, err := os.Open(path)
			if err != nil {
				return nil, fmt.Errorf("reading the argument %q: %w; a text that begins with @ is written @@…", key, err)
			}
			defer f.Close()
			content, err := readAtMost(f, maxTextFile, path)
			if err == nil && !utf8.Valid(content) {
				err = fmt.Errorf("the argument %q: %s is not text in UTF-8", key, path)
			}
			return rawjson.Quote(string(content)), err
		}
	}
	value, ok := (toolschema.Property{Types: types}).Convert(text)
	if !ok {
		return nil, fmt.Errorf("the argument %q must be of type %s, and %q is not; to pass any JSON: %s:=…", key, strings.Join(types, " or "), text, key)
	}
	return value, nil
}
