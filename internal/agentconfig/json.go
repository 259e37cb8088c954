package agentconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// maxBrackets is how many opening brackets a file may have: the parser recurses.
const maxBrackets = 250_000

// jsonFormat is JSON, in which comments and trailing commas may occur. Whether the agent allows them
// is its own affair: what is there stays, and none is added.
type jsonFormat struct{}

func (jsonFormat) decode(text []byte) (config map[string]any, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return map[string]any{}, nil
	}
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	root.Standardize()
	standard := root.Pack()
	if err := rawjson.Check(standard); err != nil { // such as a name that is there twice
		return nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	return config, json.Unmarshal(standard, &config)
}

// parseJSON returns the root of a text, which is an object. A line comment may end with the file, which
// the parser does not accept; so the root ends with a newline more than the text.
func parseJSON(text []byte) (hujson.Value, error) {
	if bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) > maxBrackets {
		return hujson.Value{}, fmt.Errorf("it has more than %d brackets", maxBrackets)
	}
	root, err := hujson.Parse(append(bytes.Clone(text), '\n'))
	if err != nil {
		return hujson.Value{}, syntax(text, err)
	}
	if root.Value.Kind() != '{' {
		return hujson.Value{}, errors.New("it is not a JSON object")
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
		line, column = line-1, len(text)-bytes.LastIndexByte(text, '\n')
	}
	return fmt.Errorf("it is not valid JSON at line %d, column %d", line, column)
}

// edited changes the root of a text.
func edited(text []byte, change func(top *hujson.Object) error) ([]byte, error) {
	root, err := parseJSON(text)
	if err == nil {
		err = change(root.Value.(*hujson.Object))
	}
	if err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(root.Pack(), []byte("\n")), nil
}

// index returns where a member of an object is, -1 if there is none.
func index(object *hujson.Object, name string) int {
	return slices.IndexFunc(object.Members, func(m hujson.ObjectMember) bool { return m.Name.Value.(hujson.Literal).String() == name })
}

// inside returns the object that is a member of an object; nil if there is none.
func inside(object *hujson.Object, name string) *hujson.Object {
	i := index(object, name)
	if i < 0 {
		return nil
	}
	inner, _ := object.Members[i].Value.Value.(*hujson.Object)
	return inner
}

// layout is how what is added is written.
type layout struct{ unit, eol string }

// indentOf returns the white space before a member that begins its line.
func indentOf(m hujson.ObjectMember) (indent string, begins bool) {
	before := string(m.Name.BeforeExtra)
	newline := strings.LastIndexByte(before, '\n')
	indent = before[newline+1:]
	if newline < 0 || strings.TrimLeft(indent, " \t") != "" {
		return "", false
	}
	return indent, true
}

func (jsonFormat) add(text []byte, place, name string, members []member) ([]byte, error) {
	like := layout{unit: "  ", eol: Newline(text)}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}" + like.eol)
	}
	return edited(text, func(top *hujson.Object) error {
		if len(top.Members) > 0 {
			if unit, _ := indentOf(top.Members[0]); unit != "" {
				like.unit = unit
			}
		}
		if index(top, place) < 0 {
			like.insert(top, "", place, "{}")
		}
		var lines []string
		for _, m := range members {
			lines = append(lines, like.unit+literal(m.name)+": "+literal(m.value))
		}
		outer, _ := indentOf(top.Members[index(top, place)])
		like.insert(inside(top, place), outer, name, "{\n"+strings.Join(lines, ",\n")+"\n}")
		return nil
	})
}

// insert adds a member at the end of an object, in a line of its own. The line in which the object begins is indented by
// outer. What is behind its last member stays there.
func (like layout) insert(object *hujson.Object, outer, name, value string) {
	indent := outer + like.unit
	count := len(object.Members)
	if count > 0 {
		if own, begins := indentOf(object.Members[0]); begins {
			indent = own
		}
	}
	content := bytes.TrimRight(object.AfterExtra, " \t\r\n") // comments
	after := object.AfterExtra[len(content):]
	if !bytes.Contains(after, []byte("\n")) {
		after = hujson.Extra(like.eol + outer)
	}
	m := hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: slices.Concat(content, []byte(like.eol+indent)), Value: parsed(literal(name))},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: parsed(strings.ReplaceAll(value, "\n", like.eol+indent))},
	}
	if count > 0 && object.Members[count-1].Value.AfterExtra != nil {
		m.Value.AfterExtra = hujson.Extra{} // the last member has a comma
	}
	object.Members, object.AfterExtra = append(object.Members, m), after
}

// parsed returns a value that we have written.
func parsed(text string) hujson.ValueTrimmed {
	value, err := hujson.Parse([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("writing JSON: %v", err)) // not of a file
	}
	return value.Value
}

func (jsonFormat) update(text []byte, place, name string, members []member) ([]byte, error) {
	return edited(text, func(top *hujson.Object) error {
		entry := inside(inside(top, place), name)
		for _, m := range members {
			i := index(entry, m.name)
			if i < 0 {
				return fmt.Errorf("%s.%s has no %q; remove the entry first", place, name, m.name)
			}
			entry.Members[i].Value.Value = parsed(literal(m.value))
		}
		return nil
	})
}

// remove takes a server out, with its line. Comments before it stay.
func (jsonFormat) remove(text []byte, place, name string) ([]byte, error) {
	return edited(text, func(top *hujson.Object) error {
		object := inside(top, place)
		i := index(object, name)
		gone := object.Members[i]
		object.Members = slices.Delete(object.Members, i, i+1)
		before := bytes.TrimRight(gone.Name.BeforeExtra, " \t\r\n")
		after := &object.AfterExtra
		switch {
		case i < len(object.Members):
			after = &object.Members[i].Name.BeforeExtra
		case i > 0:
			last := &object.Members[i-1].Value
			before, last.AfterExtra = slices.Concat(last.AfterExtra, before), nil
			if gone.Value.AfterExtra != nil { // the last member has a comma
				last.AfterExtra = hujson.Extra{}
			}
		case len(before) == 0 && len(bytes.TrimSpace(*after)) == 0:
			*after = nil
		}
		*after = slices.Concat(before, *after)
		return nil
	})
}

// literal writes a value on one line.
func literal(value any) string {
	switch list := value.(type) {
	case []string:
		var all []string
		for _, item := range list {
			all = append(all, literal(item))
		}
		return "[" + strings.Join(all, ", ") + "]"
	case []any:
		if all := texts(list); all != nil {
			return literal(all)
		}
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // strings, bools, and what a file has
	return strings.TrimSuffix(b.String(), "\n")
}
