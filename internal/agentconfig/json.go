package agentconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// maxBrackets is how many opening brackets a file may have: the parser recurses.
const maxBrackets = 250_000

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
	var config map[string]any
	if err := decodeJSON(root, &config); err != nil {
		return nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	return config, nil
}

// decodeJSON decodes a value, which stays as it is.
func decodeJSON(value hujson.Value, into any) error {
	standard := value.Clone()
	standard.Standardize()
	decoder := json.NewDecoder(bytes.NewReader(standard.Pack()))
	decoder.UseNumber()
	return decoder.Decode(into)
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
		return hujson.Value{}, fmt.Errorf("it is not a JSON object at %s", position(text, root.StartOffset))
	}
	return root, nil
}

// packText writes what parseJSON has read.
func packText(root hujson.Value) []byte { return bytes.TrimSuffix(root.Pack(), []byte("\n")) }

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

// position returns where an offset is, as people count.
func position(text []byte, at int) string {
	before := text[:at]
	return fmt.Sprintf("line %d, column %d", 1+bytes.Count(before, []byte("\n")), at-bytes.LastIndexByte(before, '\n'))
}

// step is a member on the way through objects.
type step struct {
	object *hujson.Object
	index  int // in the object
}

func (s step) member() *hujson.ObjectMember { return &s.object.Members[s.index] }

// walk follows a path as far as it goes. rest is what is left of it, to be made in the object at the end of
// the way.
func walk(text []byte, root *hujson.Value, path []string) (way []step, end *hujson.Object, rest []string, err error) {
	at := root
	for i, name := range path {
		object, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, nil, nil, fmt.Errorf("%q is not an object at %s", strings.Join(path[:i], "."), position(text, at.StartOffset))
		}
		index, err := find(text, object, name)
		if err != nil {
			return nil, nil, nil, err
		}
		if index < 0 {
			return way, object, path[i:], nil
		}
		way = append(way, step{object, index})
		at = &object.Members[index].Value
	}
	return way, nil, nil, nil
}

// find returns the index of a member of an object, -1 if there is none.
func find(text []byte, object *hujson.Object, name string) (int, error) {
	found := -1
	for i, m := range object.Members {
		if m.Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("it has %q twice, again at %s; remove one", name, position(text, m.Name.StartOffset))
		}
		found = i
	}
	return found, nil
}

// layout is how what is added is written.
type layout struct{ indent, unit, eol string }

// oneLine is the layout of what is on one line.
var oneLine = layout{eol: " "}

// indentOf returns the white space before what begins its line.
func indentOf(before hujson.Extra) (indent string, begins bool) {
	newline := bytes.LastIndexByte(before, '\n')
	space := before[newline+1:]
	return string(space), newline >= 0 && len(bytes.TrimLeft(space, " \t")) == 0
}

func (jsonFormat) set(text []byte, place []string, name string, members []member, foreign bool) ([]byte, error) {
	like := layout{unit: "  ", eol: newline(text)}
	if len(bytes.TrimSpace(text)) == 0 {
		like.indent = like.unit
		return []byte("{" + like.eol + nested(append(slices.Clone(place), name), members, like) + like.eol + "}" + like.eol), nil
	}
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	top := root.Value.(*hujson.Object)
	if len(top.Members) > 0 {
		if unit, begins := indentOf(top.Members[0].Name.BeforeExtra); begins && unit != "" {
			like.unit = unit
		}
	}
	way, end, rest, err := walk(text, &root, append(slices.Clone(place), name))
	if err != nil {
		return nil, err
	}
	begins := false // whether the last member of the way begins its line
	for _, s := range way {
		var indent string
		if indent, begins = indentOf(s.member().Name.BeforeExtra); begins {
			like.indent = indent
		}
	}
	if end != nil {
		holder := end
		if len(end.Members) == 0 && end != top { // it says nothing of how the file is written
			holder = top
		}
		broken := len(top.Members) == 0 || bytes.Contains(hujson.Value{Value: holder}.Pack(), []byte("\n"))
		insert(end, rest, members, like, broken)
		return packText(root), nil
	}
	entry := &way[len(way)-1].member().Value
	var is any
	if err := decodeJSON(*entry, &is); err != nil {
		return nil, err
	}
	if !readServer(name, is).ours() {
		if !foreign {
			return nil, errTaken
		}
		if !begins {
			like = oneLine
		}
		entry.Value = parsed(written(members, like))
		return packText(root), nil
	}
	object := entry.Value.(*hujson.Object) // as ours() has found
	for _, m := range members {
		index, err := find(text, object, m.name)
		switch {
		case err != nil:
			return nil, err
		case !m.starts || m.is(is.(map[string]any)[m.name]):
		case index < 0:
			return nil, fmt.Errorf("%s has no %q at %s; remove the entry first", dotted(place, name), m.name, position(text, entry.StartOffset))
		default:
			object.Members[index].Value.Value = parsed(literal(m.value))
		}
	}
	return packText(root), nil
}

// parsed returns a value that we have written.
func parsed(text string) hujson.ValueTrimmed {
	value, err := hujson.Parse([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("writing JSON: %v", err)) // not of a file
	}
	return value.Value
}

// insert adds the member at the end of a path at the end of an object. What is behind its last member stays there.
func insert(object *hujson.Object, path []string, members []member, outer layout, broken bool) {
	count := len(object.Members)
	content := bytes.TrimRight(object.AfterExtra, " \t\r\n") // comments
	after := object.AfterExtra[len(content):]
	like, before := oneLine, ""
	switch {
	case broken:
		like = outer
		like.indent += like.unit
		if count > 0 {
			if own, begins := indentOf(object.Members[0].Name.BeforeExtra); begins {
				like.indent = own
			}
		}
		before = like.eol + like.indent
		if !bytes.Contains(after, []byte("\n")) {
			after = hujson.Extra(outer.eol + outer.indent)
		}
	case count > 0:
		before = " "
	}
	m := parsed("{" + nested(path, members, like) + "}").(*hujson.Object).Members[0]
	m.Name.BeforeExtra = slices.Concat(content, []byte(before))
	if count > 0 && object.Members[count-1].Value.AfterExtra != nil {
		m.Value.AfterExtra = hujson.Extra{} // the last member has a comma
	}
	object.Members, object.AfterExtra = append(object.Members, m), after
}

// nested writes a member, within objects that are not there yet.
func nested(path []string, members []member, like layout) string {
	if len(path) == 1 {
		return like.indent + literal(path[0]) + ": " + written(members, like)
	}
	inner := like
	inner.indent += like.unit
	return like.indent + literal(path[0]) + ": {" + like.eol + nested(path[1:], members, inner) + like.eol + like.indent + "}"
}

// written writes an entry.
func written(members []member, like layout) string {
	var all []string
	for _, m := range members {
		all = append(all, like.indent+like.unit+literal(m.name)+": "+literal(m.value))
	}
	return "{" + like.eol + strings.Join(all, ","+like.eol) + like.eol + like.indent + "}"
}

func (jsonFormat) remove(text []byte, place []string, names []string, empty bool) ([]byte, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		way, _, rest, err := walk(text, &root, append(slices.Clone(place), name))
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("it has no %q", dotted(place, name))
		}
		if err != nil {
			return nil, err
		}
		for empty && len(way) > 1 && bare(way[len(way)-1].object) {
			way = way[:len(way)-1]
		}
		way[len(way)-1].cut()
	}
	return packText(root), nil
}

// bare reports whether an object has one member and no comment.
func bare(object *hujson.Object) bool {
	if len(object.Members) != 1 {
		return false
	}
	m := object.Members[0]
	return len(bytes.TrimSpace(slices.Concat(m.Name.BeforeExtra, m.Value.AfterExtra, object.AfterExtra))) == 0
}

// cut takes a member out of its object, with its line. Comments before it stay.
func (s step) cut() {
	if bare(s.object) {
		*s.object = hujson.Object{}
		return
	}
	m := *s.member()
	before := bytes.TrimRight(m.Name.BeforeExtra, " \t")
	before = bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("\n")), []byte("\r"))
	s.object.Members = slices.Delete(s.object.Members, s.index, s.index+1)
	if s.index < len(s.object.Members) {
		next := &s.member().Name
		next.BeforeExtra = slices.Concat(before, next.BeforeExtra)
		return
	}
	if s.index > 0 {
		last := &s.object.Members[s.index-1].Value
		if m.Value.AfterExtra != nil { // the last member has a comma
			last.AfterExtra = append(hujson.Extra{}, last.AfterExtra...)
		} else {
			before, last.AfterExtra = slices.Concat(last.AfterExtra, before), nil
		}
	}
	s.object.AfterExtra = slices.Concat(before, s.object.AfterExtra)
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

func dotted(place []string, name string) string {
	return strings.Join(append(slices.Clone(place), name), ".")
}
