package agentconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// maxDepth is how deep a file may be nested: the parser recurses.
const maxDepth = 500

// jsonFormat is JSON, in which comments and trailing commas may occur. Whether the agent allows them
// is its own affair: what is there stays, and none is added.
type jsonFormat struct{}

func (jsonFormat) decode(text []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return map[string]any{}, nil
	}
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	root.Standardize()
	decoder := json.NewDecoder(bytes.NewReader(root.Pack()))
	decoder.UseNumber()
	var config map[string]any
	if err := decoder.Decode(&config); err != nil {
		return nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	return config, nil
}

// parseJSON returns the root of a text, which is an object.
func parseJSON(text []byte) (hujson.Value, error) {
	if at := tooDeep(text); at >= 0 {
		return hujson.Value{}, fmt.Errorf("it is nested deeper than %d at %s", maxDepth, position(text, at))
	}
	// A line comment may end with the file, which the parser does not accept.
	root, err := hujson.Parse(append(bytes.Clone(text), '\n'))
	if err != nil {
		return hujson.Value{}, syntax(text, err)
	}
	if root.Value.Kind() != '{' {
		return hujson.Value{}, fmt.Errorf("it is not a JSON object at %s", position(text, root.StartOffset))
	}
	return root, nil
}

// syntax returns an error of the parser without what the file says, which may be a secret.
func syntax(text []byte, err error) error {
	var line, column int
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scanErr != nil {
		return errors.New("it is not valid JSON")
	}
	if line > 1+bytes.Count(text, []byte("\n")) { // behind the newline that the parser got
		return fmt.Errorf("it is not valid JSON at %s", position(text, len(text)))
	}
	return fmt.Errorf("it is not valid JSON at line %d, column %d", line, column)
}

// tooDeep returns where a text is nested deeper than maxDepth, -1 if it is not.
func tooDeep(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			i += comment(text[i:])
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

// comment returns how many bytes follow the first one of a comment; 0 if none begins here.
func comment(text []byte) int {
	end := -1
	switch {
	case bytes.HasPrefix(text, []byte("//")):
		end = bytes.IndexByte(text, '\n')
	case bytes.HasPrefix(text, []byte("/*")):
		if end = bytes.Index(text[2:], []byte("*/")); end >= 0 {
			end += 3
		}
	default:
		return 0
	}
	if end < 0 {
		return len(text)
	}
	return end
}

// nested writes a member, within objects that are not there yet.
func nested(place []string, name string, members []member, indent, unit, eol string) string {
	if len(place) == 0 {
		return indent + literal(name) + ": " + written(members, indent, unit, eol)
	}
	if eol == " " {
		return literal(place[0]) + ": { " + nested(place[1:], name, members, "", "", eol) + " }"
	}
	return indent + literal(place[0]) + ": {" + eol + nested(place[1:], name, members, indent+unit, unit, eol) + eol + indent + "}"
}

// written writes an entry.
func written(members []member, indent, unit, eol string) string {
	var all []string
	for _, m := range members {
		all = append(all, indent+unit+literal(m.name)+": "+literal(m.value))
	}
	return "{" + eol + strings.Join(all, ","+eol) + eol + indent + "}"
}

// literal writes a value on one line.
func literal(value any) string {
	if list, ok := value.([]string); ok {
		var all []string
		for _, item := range list {
			all = append(all, literal(item))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // strings and bools
	return strings.TrimSuffix(b.String(), "\n")
}

func dotted(place []string, name string) string {
	return strings.Join(append(append([]string(nil), place...), name), ".")
}
