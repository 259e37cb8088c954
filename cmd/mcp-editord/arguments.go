package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/schemalang"
	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

// maxArguments is how many MiB of arguments standard input may have.
const maxArguments = 16

// callArguments makes the arguments of a call, a JSON object, from words of the command line: one
// word that is an object, "-" for an object on in, or words key=value, whose values it converts by
// the inputSchema of the tool. A key that the schema does not know is an error: few servers notice one that is misspelt.
func callArguments(words []string, tool json.RawMessage, in io.Reader) (json.RawMessage, error) {
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
	arguments, err := keyArguments(words, toolschema.OfTool(tool))
	if err != nil {
		return nil, err
	}
	var keys []string
	for key := range rawjson.Members(arguments) {
		keys = append(keys, key)
	}
	if strangers := schemalang.Compile(rawjson.Get(tool, "inputSchema")).Strangers(keys); len(strangers) > 0 {
		advice := "; to send it all the same, give the arguments as one JSON object"
		if meant := strangers[0].Meant; meant != "" {
			advice = fmt.Sprintf(" (did you mean %q?)", meant)
		}
		return nil, &usageError{fmt.Errorf("the tool has no argument %q%s", strangers[0].Key, advice)}
	}
	return arguments, nil
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

// keyArguments makes an object from words key=value, and key:=json for a value in JSON. What the schema does not know is a
// string.
func keyArguments(words []string, schema toolschema.Schema) (json.RawMessage, error) {
	arguments := json.RawMessage("{}")
	for _, word := range words {
		key, text, ok := strings.Cut(word, "=")
		name, isJSON := strings.CutSuffix(key, ":")
		if !ok || name == "" {
			return nil, &usageError{fmt.Errorf("%q is not an argument; write key=value, or key:=json, or one JSON object", word)}
		}
		if rawjson.Get(arguments, name) != nil {
			return nil, &usageError{fmt.Errorf("the argument %q is given twice", name)}
		}
		value := json.RawMessage(text)
		var err error
		if !isJSON {
			value, err = convert(name, text, schema.Property(name).Types)
		} else if err = rawjson.Check(value); err != nil {
			err = fmt.Errorf("the argument %q must be valid JSON: %w", name, err)
		}
		if err != nil {
			return nil, &usageError{err}
		}
		arguments = rawjson.Set(arguments, name, value)
	}
	return arguments, nil
}

// convert turns text into a value of one of the types that the argument key may have. It is a string where
// that is one of them, or the schema names none. Whether it is among the values that the schema lists, the server says.
func convert(key, text string, types []string) (json.RawMessage, error) {
	if value, ok := (toolschema.Property{Types: types}).Convert(text); ok {
		return value, nil
	}
	return nil, fmt.Errorf("the argument %q must be of type %s, and %q is not; to pass any JSON: %s:=…", key, strings.Join(types, " or "), text, key)
}
