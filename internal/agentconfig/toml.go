package agentconfig

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlFormat is TOML. A server is a table of its own, at the end of the file.
type tomlFormat struct{}

func (tomlFormat) decode(text []byte) (map[string]any, error) {
	config := map[string]any{}
	err := toml.Unmarshal(text, &config)
	if wrong := (*toml.DecodeError)(nil); errors.As(err, &wrong) {
		line, column := wrong.Position()
		return nil, fmt.Errorf("it is not valid TOML at line %d, column %d", line, column) // the rest may quote a secret
	} else if err != nil {
		return nil, errors.New("it is not valid TOML")
	}
	return config, nil
}

// splice replaces the bytes from one offset to another.
type splice struct {
	from, to int
	with     string
}

// apply makes splices, which do not overlap.
func apply(text []byte, splices ...splice) []byte {
	slices.SortFunc(splices, func(a, b splice) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, s := range splices {
		out = append(append(out, text[at:s.from]...), s.with...)
		at = s.to
	}
	return append(out, text[at:]...)
}

// expression is a line of TOML that says something: a table's header, or a key and its value.
type expression struct {
	path     []string // from the root of the file
	table    bool
	from, to int // the expression itself
}

// expressions reads a text that decode has read.
func expressions(text []byte) ([]expression, error) {
	var p unstable.Parser
	p.Reset(text)
	var found []expression
	var table []string
	for p.NextExpression() {
		node := p.Expression()
		var path []string
		first, last := -1, 0
		for keys := node.Key(); keys.Next(); {
			key := keys.Node()
			path = append(path, string(key.Data))
			if first < 0 {
				first = int(key.Raw.Offset)
			}
			last = int(key.Raw.Offset + key.Raw.Length)
		}
		e := expression{path: path, from: first, to: last}
		switch node.Kind {
		case unstable.KeyValue:
			e.path = append(slices.Clone(table), path...)
			e.to = int(node.Raw.Offset + node.Raw.Length)
		case unstable.Table, unstable.ArrayTable:
			e.table, table = true, path
			e.from = bytes.LastIndexByte(text[:first], '\n') + 1
		}
		found = append(found, e)
	}
	if p.Error() != nil {
		return nil, errors.New("it is not valid TOML")
	}
	return found, nil
}

func (f tomlFormat) set(text []byte, place []string, name string, members []member, foreign bool) ([]byte, error) {
	config, err := f.decode(text)
	if err != nil {
		return nil, err
	}
	path := append(slices.Clone(place), name)
	is := readServer(name, serversAt(config, place)[name])
	switch {
	case is.entry == nil:
		return f.append(text, path, members), nil
	case !is.ours() && !foreign:
		return nil, errTaken
	case !is.ours():
		rest, err := f.remove(text, place, []string{name}, false)
		if err != nil {
			return nil, err
		}
		return f.set(rest, place, name, members, false)
	}
	all, err := expressions(text)
	if err != nil {
		return nil, err
	}
	var splices []splice
	for _, m := range members {
		if !m.starts || m.is(is.entry[m.name]) {
			continue
		}
		index := slices.IndexFunc(all, func(e expression) bool { return slices.Equal(e.path, append(slices.Clone(path), m.name)) })
		if index < 0 {
			return nil, fmt.Errorf("%s is not written as a table of its own; remove it first", strings.Join(path, "."))
		}
		splices = append(splices, splice{all[index].from, all[index].to, m.name + " = " + tomlLiteral(m.value)})
	}
	return apply(text, splices...), nil
}

// append adds a table at the end of a text.
func (tomlFormat) append(text []byte, path []string, members []member) []byte {
	eol := newline(text)
	var keys []string
	for _, name := range path {
		keys = append(keys, tomlKey(name))
	}
	out := string(text)
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += eol
	}
	if strings.TrimSpace(out) != "" {
		out += eol
	}
	out += "[" + strings.Join(keys, ".") + "]" + eol
	for _, m := range members {
		out += m.name + " = " + tomlLiteral(m.value) + eol
	}
	return []byte(out)
}

// remove takes out tables, with the tables in them and with keys that are written elsewhere. Comments
// before a table stay. It leaves no table behind that only held ours, since there never was one.
func (f tomlFormat) remove(text []byte, place []string, names []string, _ bool) ([]byte, error) {
	for _, name := range names {
		all, err := expressions(text)
		if err != nil {
			return nil, err
		}
		path := append(slices.Clone(place), name)
		var splices []splice
		for i := 0; i < len(all); i++ {
			if !begins(all[i].path, path) {
				continue
			}
			from, last := i, i
			if all[i].table {
				for last+1 < len(all) && begins(all[last+1].path, path) {
					last++
				}
			}
			splices = append(splices, cutLines(text, all[from].from, all[last].to))
			i = last
		}
		if len(splices) == 0 {
			return nil, fmt.Errorf("%s is not written as a table of its own; take it out by hand", strings.Join(path, "."))
		}
		text = apply(text, splices...)
	}
	return text, nil
}

// cutLines takes out whole lines, with the empty line that set puts before them.
func cutLines(text []byte, from, to int) splice {
	from = bytes.LastIndexByte(text[:from], '\n') + 1
	if end := bytes.IndexByte(text[to:], '\n'); end >= 0 {
		to += end + 1
	} else {
		to = len(text)
	}
	for _, empty := range []string{"\r\n", "\n"} {
		before := bytes.TrimSuffix(text[:from], []byte(empty))
		if from == 0 && bytes.HasPrefix(text[to:], []byte(empty)) {
			return splice{0, to + len(empty), ""} // nothing is before it, so the empty line is before what follows
		}
		if len(before) < from && (len(before) == 0 || bytes.HasSuffix(before, []byte("\n"))) {
			return splice{len(before), to, ""}
		}
	}
	return splice{from, to, ""}
}

func begins(path, with []string) bool {
	return len(path) >= len(with) && slices.Equal(path[:len(with)], with)
}

// tomlKey writes a key.
func tomlKey(name string) string {
	bare := name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	})
	if bare {
		return name
	}
	return literal(name)
}

// tomlLiteral writes a value. What JSON writes is TOML too, but for DEL.
func tomlLiteral(value any) string { return strings.ReplaceAll(literal(value), "\x7f", `\u007f`) }
