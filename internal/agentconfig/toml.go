package agentconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/mcp-editord/mcp-editord/internal/editfile"
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

func (f tomlFormat) standard(text []byte) ([]byte, error) {
	config, err := f.decode(text)
	if err != nil {
		return nil, err
	}
	return json.Marshal(config)
}

// expression is a line of TOML that says something: a table's header, or a key and its value.
type expression struct {
	path     []string // from the root of the file
	table    bool
	from, to int // where its key begins and its value, or its key, ends
}

// of reports whether an expression is about a server.
func (e expression) of(place, name string) bool {
	return len(e.path) >= 2 && e.path[0] == place && e.path[1] == name
}

// expressions reads a text.
func expressions(text []byte) ([]expression, error) {
	var p unstable.Parser
	p.Reset(text)
	var found []expression
	var table []string
	for p.NextExpression() {
		node := p.Expression()
		var e expression
		for keys := node.Key(); keys.Next(); {
			key := keys.Node()
			if e.path == nil {
				e.from = int(key.Raw.Offset)
			}
			e.path, e.to = append(e.path, string(key.Data)), int(key.Raw.Offset+key.Raw.Length)
		}
		switch node.Kind {
		case unstable.KeyValue:
			e.path = slices.Concat(table, e.path)
			e.to = int(node.Raw.Offset + node.Raw.Length)
		case unstable.Table, unstable.ArrayTable:
			e.table, table = true, e.path
		}
		found = append(found, e)
	}
	if p.Error() != nil {
		return nil, errors.New("it is not valid TOML")
	}
	return found, nil
}

// add adds a table at the end of a text.
func (tomlFormat) add(text []byte, place, name string, members []member) ([]byte, error) {
	eol := editfile.Newline(text)
	out := string(text)
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += eol
	}
	if strings.TrimSpace(out) != "" {
		out += eol
	}
	if !bareKey.MatchString(name) {
		name = literal(name)
	}
	out += "[" + place + "." + name + "]" + eol
	for _, m := range members {
		out += m.name + " = " + tomlLiteral(m.value) + eol
	}
	return []byte(out), nil
}

func (tomlFormat) update(text []byte, place, name string, members []member) ([]byte, error) {
	for _, m := range members {
		all, err := expressions(text)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(e expression) bool { return slices.Equal(e.path, []string{place, name, m.name}) })
		if i < 0 {
			return nil, fmt.Errorf("%s.%s is not written as a table of its own; remove it first", place, name)
		}
		text = slices.Concat(text[:all[i].from], []byte(m.name+" = "+tomlLiteral(m.value)), text[all[i].to:])
	}
	return text, nil
}

// remove takes out a table, with the tables in it and with keys that are written elsewhere. Comments
// before a table stay.
func (tomlFormat) remove(text []byte, place, name string) ([]byte, error) {
	all, err := expressions(text)
	if err != nil {
		return nil, err
	}
	found := false
	for i := len(all) - 1; i >= 0; i-- {
		last := i
		for i > 0 && all[i].of(place, name) && !all[i].table && all[i-1].of(place, name) {
			i--
		}
		if all[i].of(place, name) {
			found = true
			text = cutLines(text, all[i].from, all[last].to)
		}
	}
	if !found {
		return nil, fmt.Errorf("%s.%s is not written as a table of its own; take it out by hand", place, name)
	}
	return text, nil
}

// cutLines takes out whole lines, with the empty line that add puts before them. Where nothing is before them, the empty
// line is the one behind.
func cutLines(text []byte, from, to int) []byte {
	before, after := text[:bytes.LastIndexByte(text[:from], '\n')+1], text[to:]
	if end := bytes.IndexByte(after, '\n'); end >= 0 {
		after = after[end+1:]
	} else {
		after = nil
	}
	eol := []byte(editfile.Newline(text))
	if len(before) == 0 {
		after = bytes.TrimPrefix(after, eol)
	} else if bytes.HasSuffix(before, slices.Concat(eol, eol)) {
		before = before[:len(before)-len(eol)]
	}
	return slices.Concat(before, after)
}

// bareKey is a key that needs no quotes.
var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// tomlLiteral writes a value. What JSON writes is TOML too, but for DEL.
func tomlLiteral(value any) string { return strings.ReplaceAll(literal(value), "\x7f", `\u007f`) }
