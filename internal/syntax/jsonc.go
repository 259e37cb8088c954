package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// ParseJSONC reads JSON with comments and trailing commas. root is nil when there is a problem that is not about
// one member only, or nothing to read. The limits are those of [ParseYAML].
func ParseJSONC(text string) (root *Node, problems []textdoc.Problem) {
	if p := unreadable(text); p != nil {
		return nil, []textdoc.Problem{*p}
	}
	// A mark of the byte order counts as a blank. A line comment may end with the text, which the parser does not accept.
	data := []byte(text + "\n")
	if strings.HasPrefix(text, bom) {
		copy(data, "   ")
	}
	if at := tooDeep(data); at >= 0 {
		return nil, []textdoc.Problem{{Span: textdoc.Span{Start: at, End: at + 1}, Severity: textdoc.Error, Message: fmt.Sprintf("values are more than %d deep here; make the text flatter", maxDepth)}}
	}
	parsed, err := hujson.Parse(data)
	if err != nil {
		if skipComments(data, 0) == len(data) {
			return nil, nil
		}
		return nil, []textdoc.Problem{jsonProblem(data, err)}
	}
	r := jsonReader{}
	root = r.node(&parsed)
	if r.nodes > maxNodes {
		return nil, []textdoc.Problem{{Severity: textdoc.Error, Message: fmt.Sprintf("the text has more than %d values; split it into several files", maxNodes)}}
	}
	return root, r.duplicates
}

type jsonReader struct {
	nodes      int
	duplicates []textdoc.Problem
}

// node converts a value. It stops where there are too many.
func (r *jsonReader) node(v *hujson.Value) *Node {
	n := &Node{Span: textdoc.Span{Start: v.StartOffset, End: v.EndOffset}}
	if r.nodes++; r.nodes > maxNodes {
		return n
	}
	switch value := v.Value.(type) {
	case *hujson.Object:
		n.Kind = Map
		keys := map[string]bool{}
		for i := range value.Members {
			name := &value.Members[i].Name
			m := Member{Key: name.Value.(hujson.Literal).String(), KeySpan: textdoc.Span{Start: name.StartOffset, End: name.EndOffset}, Value: r.node(&value.Members[i].Value)}
			if keys[m.Key] {
				r.duplicates = append(r.duplicates, duplicate(m))
				continue
			}
			keys[m.Key] = true
			n.Members = append(n.Members, m)
		}
	case *hujson.Array:
		n.Kind = List
		for i := range value.Elements {
			n.Items = append(n.Items, r.node(&value.Elements[i]))
		}
	case hujson.Literal:
		n.Text = string(value)
		switch value.Kind() {
		case '"':
			n.Kind, n.Text = String, value.String()
		case 't', 'f':
			n.Kind = Bool
		case '0':
			n.Kind = Number
		}
	}
	return n
}

// jsonProblem converts an error of the parser, which gives the place only as text.
func jsonProblem(data []byte, err error) textdoc.Problem {
	var line, column int
	at := len(data) - 1
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scanErr == nil {
		start := 0
		for range line - 1 {
			start += bytes.IndexByte(data[start:], '\n') + 1
		}
		at = min(start+column-1, len(data)-1)
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	message, _, _ := strings.Cut(err.Error(), "invalid literal:") // the literal follows, and that may be a secret
	if message == "" {
		message = "this is not a JSON value"
	}
	return textdoc.Problem{Span: textdoc.Span{Start: at, End: min(at+1, len(data)-1)}, Severity: textdoc.Error, Message: message}
}

// tooDeep returns the bracket that goes too deep for the parser, which recurses; −1 when there is none.
func tooDeep(data []byte) int {
	depth := 0
	for at := skipComments(data, 0); at < len(data); at = skipComments(data, at) {
		switch data[at] {
		case '"':
			at = closingJSON(data, at)
			continue
		case '{', '[':
			if depth++; depth > maxDepth {
				return at
			}
		case '}', ']':
			depth--
		}
		at++
	}
	return -1
}

// closingJSON returns the end of the string that begins at a byte, or of its line.
func closingJSON[T string | []byte](text T, at int) int {
	for at++; at < len(text) && text[at] != '\n' && text[at] != '\r'; at++ {
		switch text[at] {
		case '"':
			return at + 1
		case '\\':
			if at+1 < len(text) && text[at+1] != '\n' && text[at+1] != '\r' {
				at++
			}
		}
	}
	return at
}

// skipComments returns what is next, over white space and comments.
func skipComments[T string | []byte](text T, at int) int {
	for at < len(text) {
		switch {
		case white(text[at]):
			at++
		case text[at] == '/' && at+1 < len(text) && (text[at+1] == '/' || text[at+1] == '*'):
			at = skipComment(text, at)
		default:
			return at
		}
	}
	return at
}

// skipComment returns where the comment that begins at a byte ends.
func skipComment[T string | []byte](text T, at int) int {
	line := text[at+1] == '/'
	for at += 2; at < len(text); at++ {
		if line && text[at] == '\n' {
			return at
		}
		if !line && text[at] == '*' && at+1 < len(text) && text[at+1] == '/' {
			return at + 2
		}
	}
	return at
}
