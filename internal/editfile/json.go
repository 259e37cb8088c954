package editfile

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

// SetJSON returns text with a member set, where names lead to it from the root. value is JSON, and is indented as the
// text is when it has several lines. A new member comes last; objects on the way to it that are not there are made.
// Whether comments and trailing commas are allowed is the owner's affair: what is there stays, and none is added.
// A text without anything in it counts as {}.
func SetJSON(text []byte, value string, names ...string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}" + Newline(text))
	}
	return edited(text, func(top *hujson.Object, like layout) error {
		object, outer := top, ""
		for i, name := range names {
			at, last := index(object, name), i == len(names)-1
			switch {
			case at < 0 && last:
				like.insert(object, outer, name, value)
				return nil
			case at < 0:
				like.insert(object, outer, name, "{}")
				at = len(object.Members) - 1
			}
			m := &object.Members[at]
			if indent, begins := indentOf(m.Name.BeforeExtra); begins {
				outer = indent
			}
			if last {
				m.Value.Value = like.parsed(value, outer)
				return nil
			}
			inner, ok := m.Value.Value.(*hujson.Object)
			if !ok {
				return fmt.Errorf("%q is not an object", name)
			}
			object = inner
		}
		return nil
	})
}

// AppendJSON returns text with value as the last element of a list that is a member of the root. A list that is not there
// is made. value is as for [SetJSON].
func AppendJSON(text []byte, value, name string) ([]byte, error) {
	absent := len(bytes.TrimSpace(text)) == 0
	if absent {
		text = []byte("{}" + Newline(text))
	}
	after, err := edited(text, func(top *hujson.Object, like layout) error {
		i := index(top, name)
		if absent = absent || i < 0; absent {
			return nil
		}
		list, ok := top.Members[i].Value.Value.(*hujson.Array)
		if !ok {
			return fmt.Errorf("%q is not a list", name)
		}
		var before, outer string // in a list on one line
		if n := len(list.Elements); n > 0 {
			before = " "
			if indent, begins := indentOf(list.Elements[n-1].BeforeExtra); begins {
				before, outer = like.eol+indent, indent
			}
		}
		comments := bytes.TrimRight(list.AfterExtra, " \t\r\n")
		list.AfterExtra = list.AfterExtra[len(comments):]
		element := hujson.Value{BeforeExtra: slices.Concat(comments, []byte(before)), Value: like.parsed(value, outer)}
		if n := len(list.Elements); n > 0 && list.Elements[n-1].AfterExtra != nil {
			element.AfterExtra = hujson.Extra{} // the last element has a comma
		}
		list.Elements = append(list.Elements, element)
		return nil
	})
	if err == nil && absent {
		return SetJSON(text, "[\n  "+strings.ReplaceAll(value, "\n", "\n  ")+"\n]", name)
	}
	return after, err
}

// RemoveJSON returns text without a member of an object, with its line, where place leads to the object from the root.
// Comments before it stay.
func RemoveJSON(text []byte, place, name string) ([]byte, error) {
	return edited(text, func(top *hujson.Object, _ layout) error {
		at, i := index(top, place), -1
		var object *hujson.Object
		if at >= 0 {
			object, _ = top.Members[at].Value.Value.(*hujson.Object)
		}
		if object != nil {
			i = index(object, name)
		}
		if i < 0 {
			return fmt.Errorf("there is no %s.%s", place, name)
		}
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

// DecodeJSON reads an object with comments and trailing commas. A text without anything in it counts as {}. The
// errors name line and column.
func DecodeJSON(text []byte) (config map[string]any, err error) {
	standard, err := StandardJSON(text)
	if err != nil {
		return nil, err
	}
	return config, json.Unmarshal(standard, &config)
}

// StandardJSON is [DecodeJSON], and returns the object without its comments and trailing commas.
func StandardJSON(text []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return []byte("{}"), nil
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
	return standard, nil
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

// edited changes the root of a text. What is added is written as like says.
func edited(text []byte, change func(top *hujson.Object, like layout) error) ([]byte, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	top, like := root.Value.(*hujson.Object), layout{unit: "  ", eol: Newline(text)}
	if len(top.Members) > 0 {
		if unit, _ := indentOf(top.Members[0].Name.BeforeExtra); unit != "" {
			like.unit = unit
		}
	}
	if err := change(top, like); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(root.Pack(), []byte("\n")), nil
}

// index returns where a member of an object is, -1 if there is none.
func index(object *hujson.Object, name string) int {
	return slices.IndexFunc(object.Members, func(m hujson.ObjectMember) bool { return m.Name.Value.(hujson.Literal).String() == name })
}

// layout is how what is added is written.
type layout struct{ unit, eol string }

// indentOf returns the white space before what begins its line, from what is before it.
func indentOf(before hujson.Extra) (indent string, begins bool) {
	newline := bytes.LastIndexByte(before, '\n')
	indent = string(before[newline+1:])
	if newline < 0 || strings.TrimLeft(indent, " \t") != "" {
		return "", false
	}
	return indent, true
}

// insert adds a member at the end of an object, in a line of its own. The line in which the object begins is indented by
// outer. What is behind its last member stays there.
func (like layout) insert(object *hujson.Object, outer, name, value string) {
	indent := outer + like.unit
	count := len(object.Members)
	if count > 0 {
		if own, begins := indentOf(object.Members[0].Name.BeforeExtra); begins {
			indent = own
		}
	}
	content := bytes.TrimRight(object.AfterExtra, " \t\r\n") // comments
	after := object.AfterExtra[len(content):]
	if !bytes.Contains(after, []byte("\n")) {
		after = hujson.Extra(like.eol + outer)
	}
	m := hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: slices.Concat(content, []byte(like.eol+indent)), Value: parsed(Literal(name))},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: like.parsed(value, indent)},
	}
	if count > 0 && object.Members[count-1].Value.AfterExtra != nil {
		m.Value.AfterExtra = hujson.Extra{} // the last member has a comma
	}
	object.Members, object.AfterExtra = append(object.Members, m), after
}

// parsed returns a value that we have written, whose lines are indented by two spaces at each level, as it stands in a
// line that is indented by outer.
func (like layout) parsed(value, outer string) hujson.ValueTrimmed {
	lines := strings.Split(value, "\n")
	for i, line := range lines[1:] {
		text := strings.TrimLeft(line, " ")
		lines[i+1] = outer + strings.Repeat(like.unit, (len(line)-len(text))/2) + text
	}
	return parsed(strings.Join(lines, like.eol))
}

// parsed returns a value that we have written.
func parsed(text string) hujson.ValueTrimmed {
	value, err := hujson.Parse([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("writing JSON: %v", err)) // not of a file
	}
	return value.Value
}

// Literal writes a value on one line.
func Literal(value any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // who calls it has made it of strings, bools and numbers
	return strings.TrimSuffix(b.String(), "\n")
}
