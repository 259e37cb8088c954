package agentconfig

import (
	"fmt"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/editfile"
)

// jsonFormat is JSON, in which comments and trailing commas may occur. Whether the agent allows them
// is its own affair: what is there stays, and none is added.
type jsonFormat struct{}

func (jsonFormat) decode(text []byte) (map[string]any, error) { return editfile.DecodeJSON(text) }

func (jsonFormat) standard(text []byte) ([]byte, error) { return editfile.StandardJSON(text) }

func (jsonFormat) add(text []byte, place, name string, members []member) ([]byte, error) {
	var lines []string
	for _, m := range members {
		lines = append(lines, "  "+literal(m.name)+": "+literal(m.value))
	}
	return editfile.SetJSON(text, "{\n"+strings.Join(lines, ",\n")+"\n}", place, name)
}

func (f jsonFormat) update(text []byte, place, name string, members []member) (_ []byte, err error) {
	config, err := f.decode(text)
	if err != nil {
		return nil, err
	}
	entry, _ := servers(config, place)[name].(map[string]any)
	for _, m := range members {
		if _, there := entry[m.name]; !there {
			return nil, fmt.Errorf("%s.%s has no %q; remove the entry first", place, name, m.name)
		}
		if text, err = editfile.SetJSON(text, literal(m.value), place, name, m.name); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func (jsonFormat) remove(text []byte, place, name string) ([]byte, error) {
	return editfile.RemoveJSON(text, place, name)
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
	return editfile.Literal(value)
}
