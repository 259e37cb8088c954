package agentconfig

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/schemalang"
	"github.com/mcp-editord/mcp-editord/internal/syntax"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// yamlFormat is YAML, which is only read.
type yamlFormat struct{}

func (yamlFormat) standard(text []byte) ([]byte, error) {
	docs, problems := syntax.ParseYAML(string(text))
	if len(problems) > 0 { // its message may quote a secret
		at := textdoc.New(string(text)).Position(problems[0].Start)
		return nil, fmt.Errorf("it is not YAML that can be read, at line %d, column %d; "+
			"at most 1 MiB can be, without anchors, aliases and tags", at.Line+1, at.Character+1)
	}
	docs = slices.DeleteFunc(docs, func(doc syntax.Doc) bool { return doc.Root == nil }) // only comments
	if len(docs) == 0 {
		return []byte("{}"), nil
	}
	if len(docs) > 1 || docs[0].Root.Kind != syntax.Map {
		return nil, errors.New("it is not one YAML object")
	}
	return schemalang.Compile(nil).Value(docs[0].Root, nil)
}
