package agentconfig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonText is a text that is being edited.
type jsonText struct {
	text []byte
	root hujson.Value
	eol  string
	unit string // of indentation
}

func openJSON(text []byte) (*jsonText, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	t := &jsonText{text: text, root: root, eol: newline(text), unit: "  "}
	if members := root.Value.(*hujson.Object).Members; len(members) > 0 {
		if unit, own := t.indent(members[0].Name.StartOffset); own && unit != "" {
			t.unit = unit
		}
	}
	return t, nil
}

// indent returns the white space before an offset, and whether it begins the line.
func (t *jsonText) indent(at int) (string, bool) {
	begin := bytes.LastIndexByte(t.text[:at], '\n') + 1
	space := t.text[begin:at]
	return string(space), begin > 0 && len(bytes.TrimLeft(space, " \t")) == 0
}

// member returns the index of a member of an object, -1 if there is none.
func (t *jsonText) member(object *hujson.Object, name string) (int, error) {
	found := -1
	for i, m := range object.Members {
		if m.Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("it has %q twice, again at %s; remove one", name, position(t.text, m.Name.StartOffset))
		}
		found = i
	}
	return found, nil
}

// object returns a value as an object.
func (t *jsonText) object(value hujson.Value, name string) (*hujson.Object, error) {
	object, ok := value.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%q is not an object at %s", name, position(t.text, value.StartOffset))
	}
	return object, nil
}

func (jsonFormat) set(text []byte, place []string, name string, members []member, foreign bool) (edit, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		eol := newline(text)
		whole := "{" + eol + nested(place, name, members, "  ", "  ", eol) + eol + "}" + eol
		return edit{[]byte(whole), Change{Place: dotted(place, name), Added: lines(whole)}}, nil
	}
	t, err := openJSON(text)
	if err != nil {
		return edit{}, err
	}
	at := t.root
	for i, step := range place {
		object, err := t.object(at, strings.Join(place[:i], "."))
		if err != nil {
			return edit{}, err
		}
		index, err := t.member(object, step)
		if err != nil {
			return edit{}, err
		}
		if index < 0 {
			return t.insert(at, dotted(place, name), func(indent, unit, eol string) string {
				return nested(place[i:], name, members, indent, unit, eol)
			}), nil
		}
		at = object.Members[index].Value
	}
	object, err := t.object(at, strings.Join(place, "."))
	if err != nil {
		return edit{}, err
	}
	index, err := t.member(object, name)
	if err != nil {
		return edit{}, err
	}
	if index < 0 {
		return t.insert(at, dotted(place, name), func(indent, unit, eol string) string {
			return nested(nil, name, members, indent, unit, eol)
		}), nil
	}
	return t.change(object.Members[index], dotted(place, name), members, foreign)
}

// change makes the members of an entry what they should be.
func (t *jsonText) change(entry hujson.ObjectMember, place string, members []member, foreign bool) (edit, error) {
	var is map[string]any
	standard := entry.Value.Clone()
	standard.Standardize()
	if json.Unmarshal(standard.Pack(), &is) != nil || !readServer("", is).ours() {
		if !foreign {
			return edit{}, errTaken
		}
		indent, own := t.indent(entry.Name.StartOffset)
		unit, eol := t.unit, t.eol
		if !own {
			indent, unit, eol = "", "", " "
		}
		with := written(members, indent, unit, eol)
		return edit{
			apply(t.text, splice{entry.Value.StartOffset, entry.Value.EndOffset, with}),
			Change{place, []string{"the server that has this name"}, lines(with)},
		}, nil
	}
	result := edit{t.text, Change{Place: place}}
	object, err := t.object(entry.Value, place)
	if err != nil {
		return edit{}, err
	}
	var splices []splice
	for _, m := range members {
		index, err := t.member(object, m.name)
		switch {
		case err != nil:
			return edit{}, err
		case !m.starts:
			continue
		case index < 0:
			return edit{}, fmt.Errorf("%s has no %q at %s; remove the entry first", place, m.name, position(t.text, entry.Value.StartOffset))
		}
		value := object.Members[index].Value
		if equal(t.text[value.StartOffset:value.EndOffset], m.value) {
			continue
		}
		was := string(t.text[value.StartOffset:value.EndOffset])
		splices = append(splices, splice{value.StartOffset, value.EndOffset, literal(m.value)})
		result.change.Removed = append(result.change.Removed, lines(literal(m.name)+": "+was)...)
		result.change.Added = append(result.change.Added, literal(m.name)+": "+literal(m.value))
	}
	result.text = apply(t.text, splices...)
	return result, nil
}

// equal reports whether JSON means a value.
func equal(text []byte, value any) bool {
	standard, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return false
	}
	var is, want any
	return json.Unmarshal(standard, &is) == nil && json.Unmarshal([]byte(literal(value)), &want) == nil && reflect.DeepEqual(is, want)
}

// insert adds a member at the end of an object. body writes it: a name and a value, of which every
// line but the first begins with indent.
func (t *jsonText) insert(value hujson.Value, place string, body func(indent, unit, eol string) string) edit {
	object := value.Value.(*hujson.Object)
	inner := t.text[value.StartOffset+1 : value.EndOffset-1]
	content := value.StartOffset + 1 + len(bytes.TrimRight(inner, " \t\r\n")) // the end of what is in the object
	oneLine := !bytes.Contains(inner, []byte("\n"))
	count := len(object.Members)
	root := t.root.Value.(*hujson.Object)
	if count == 0 && len(root.Members) > 0 {
		oneLine = !bytes.Contains(t.text[t.root.StartOffset:t.root.EndOffset], []byte("\n"))
	} else if count == 0 {
		oneLine = false
	}
	comma, trailing := splice{content, content, ""}, ""
	if count > 0 {
		last := object.Members[count-1].Value
		if last.AfterExtra == nil {
			comma = splice{last.EndOffset, last.EndOffset, ","}
		} else {
			trailing = ","
		}
	}
	if oneLine {
		added := body("", "", " ")
		space := ""
		if count > 0 {
			space = " "
		}
		return edit{
			apply(t.text, comma, splice{content, content, space + added + trailing}),
			Change{Place: place, Added: []string{added}},
		}
	}
	outer := t.lineIndent(value.StartOffset)
	indent := outer + t.unit
	if count > 0 {
		if own, begins := t.indent(object.Members[0].Name.StartOffset); begins {
			indent = own
		}
	}
	added := body(indent, t.unit, t.eol)
	end := value.EndOffset - 1
	after := string(t.text[content:end])
	if !strings.Contains(after, "\n") {
		after = t.eol + outer
	}
	return edit{
		apply(t.text, comma, splice{content, end, t.eol + added + trailing + after}),
		Change{Place: place, Added: lines(added)},
	}
}

// lineIndent returns the white space at the beginning of the line of an offset.
func (t *jsonText) lineIndent(at int) string {
	line := t.text[bytes.LastIndexByte(t.text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

func (jsonFormat) remove(text []byte, place []string, names []string, empty bool) ([]byte, error) {
	for _, name := range names {
		t, err := openJSON(text)
		if err != nil {
			return nil, err
		}
		if text, err = t.remove(append(append([]string(nil), place...), name), empty); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// remove takes out the member at the end of a path.
func (t *jsonText) remove(path []string, empty bool) ([]byte, error) {
	at := t.root
	var holders []hujson.Value // the objects on the way
	var indexes []int
	for i, step := range path {
		object, err := t.object(at, strings.Join(path[:i], "."))
		if err != nil {
			return nil, err
		}
		index, err := t.member(object, step)
		if err != nil {
			return nil, err
		}
		if index < 0 {
			return nil, fmt.Errorf("it has no %q", strings.Join(path, "."))
		}
		holders, indexes = append(holders, at), append(indexes, index)
		at = object.Members[index].Value
	}
	level := len(path) - 1
	for empty && level > 0 && len(holders[level].Value.(*hujson.Object).Members) == 1 && t.blank(holders[level]) {
		level--
	}
	return t.cut(holders[level], indexes[level]), nil
}

// blank reports whether an object with one member has no comment.
func (t *jsonText) blank(value hujson.Value) bool {
	object := value.Value.(*hujson.Object)
	first := object.Members[0]
	between := append(bytes.Clone(t.text[value.StartOffset+1:first.Name.StartOffset]), t.text[first.Value.EndOffset:value.EndOffset-1]...)
	return len(bytes.Trim(between, " \t\r\n,")) == 0
}

// cut takes out one member of an object.
func (t *jsonText) cut(value hujson.Value, index int) []byte {
	object := value.Value.(*hujson.Object)
	m := object.Members[index]
	last := index == len(object.Members)-1
	from := m.Name.StartOffset
	for from > 0 && (t.text[from-1] == ' ' || t.text[from-1] == '\t') {
		from--
	}
	if from > 0 && t.text[from-1] == '\n' {
		from--
		if from > 0 && t.text[from-1] == '\r' {
			from--
		}
	}
	to := m.Value.EndOffset
	if !last || m.Value.AfterExtra != nil {
		to += len(m.Value.AfterExtra) + 1 // the comma
	}
	splices := []splice{{from, to, ""}}
	if last && m.Value.AfterExtra == nil && index > 0 {
		comma := object.Members[index-1].Value
		at := comma.EndOffset + len(comma.AfterExtra)
		splices = append(splices, splice{at, at + 1, ""})
	}
	if len(object.Members) == 1 && t.blank(value) {
		splices = []splice{{value.StartOffset + 1, value.EndOffset - 1, ""}}
	}
	return apply(t.text, splices...)
}
