// Package paramheader says which arguments of a tool are mirrored into HTTP headers, and how (MCP
// 2026-07-28, Streamable HTTP, Custom Headers from Tool Parameters). It reads a schema in one pass,
// in time linear in its size.
package paramheader

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/net/http/httpguts"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

const (
	// Annotation is the keyword in a schema that asks for a header.
	Annotation = "x-mcp-header"

	paramHeaderPrefix = "Mcp-Param-"

	// maxParamHeaders is the number of headers that one tool may have. "Clients MAY
	// independently impose limits on […] number of custom headers" (SEP-2243).
	maxParamHeaders = 64

	maxParamPlace = 200 // characters of the place of an annotation in an error

	maxSafeInteger = 1<<53 - 1 // (RFC 7493, section 2.2)
)

// Of returns the Mcp-Param-* headers of a call of tool, a definition as
// the server listed it, with these arguments, an object or nil (MCP 2026-07-28, Streamable
// HTTP, Custom Headers from Tool Parameters). Arguments that are absent, null or of
// another type than declared have no header. The error is the one that [Check] returns.
func Of(tool, arguments json.RawMessage) (map[string]string, error) {
	params, err := annotatedParams(tool)
	if err != nil {
		return nil, err
	}
	headers := map[string]string{}
	for _, p := range params {
		// "Header extraction is defined as reading the instance value at the exact
		// property path of the annotated property" (ibid., Schema Extension).
		if text, ok := p.text(rawjson.Path(arguments, p.path...)); ok {
			headers[paramHeaderPrefix+p.header] = text
		}
	}
	return headers, nil
}

// Check returns why the x-mcp-header annotations of tool, a definition
// as the server listed it, are invalid, or nil. "Clients using the Streamable HTTP
// transport MUST reject tool definitions where any x-mcp-header value violates
// these constraints" (MCP 2026-07-28, Streamable HTTP, Schema Extension).
func Check(tool json.RawMessage) error {
	_, err := annotatedParams(tool)
	return err
}

// annotatedParam is a parameter of a tool that is mirrored into a header.
type annotatedParam struct {
	path   []string // the names of the properties that lead to it
	header string   // what follows Mcp-Param-
	typ    string   // string, integer or boolean
}

// text returns value as a string (MCP 2026-07-28, Streamable HTTP, Value Encoding,
// Type conversion). ok is false when value is absent, null or not of the
// parameter's type, or an integer outside the safe range: "Integer values MUST
// be within the safe range for JavaScript (−2^53+1 to 2^53−1)" (ibid., Schema
// Extension). The server gets the argument as it is and says what is wrong with it.
func (p annotatedParam) text(value []byte) (text string, ok bool) {
	switch kind := jsontext.Value(value).Kind(); {
	case p.typ == "string" && kind == '"':
		unquoted, err := jsontext.AppendUnquote(nil, value)
		return string(unquoted), err == nil
	case p.typ == "integer" && kind == '0':
		// In JSON Schema, 2.0 and 1e3 are integers.
		n, err := strconv.ParseFloat(string(value), 64)
		if err != nil || n != math.Trunc(n) || math.Abs(n) > maxSafeInteger {
			return "", false
		}
		return strconv.FormatInt(int64(n), 10), true
	case p.typ == "boolean" && (kind == 't' || kind == 'f'):
		return string(value), true
	default:
		return "", false
	}
}

// annotatedParams returns the annotated parameters of a tool, or why an
// annotation is invalid. An inputSchema that is not an object has none.
func annotatedParams(tool json.RawMessage) ([]annotatedParam, error) {
	schema := rawjson.Get(tool, "inputSchema")
	if !rawjson.IsObject(schema) {
		return nil, nil
	}
	r := annotationReader{d: jsontext.NewDecoder(bytes.NewBuffer(schema), jsontext.AllowDuplicateNames(true))}
	if err := r.subschema(true); err != nil {
		return nil, err
	}
	return r.found, nil
}

// annotationReader finds annotations in one pass over a schema, so that its time is
// linear in the size of the schema. The decoder limits the depth. It does not follow a
// $ref.
type annotationReader struct {
	d     *jsontext.Decoder
	path  []string // of properties, from the root to the break in their chain
	found []annotatedParam
}

// subschema reads a value that may be a schema or an array of schemas. inChain
// means that it is the root or "reachable via a chain consisting solely of
// properties keys" (MCP 2026-07-28, Streamable HTTP, Schema Extension).
func (r *annotationReader) subschema(inChain bool) error {
	switch r.d.PeekKind() {
	case '{':
		return r.object(inChain)
	case '[':
		return r.within(']', func() error { return r.subschema(false) })
	default:
		return r.d.SkipValue()
	}
}

// object reads a schema that is an object.
func (r *annotationReader) object(inChain bool) error {
	var annotated bool
	var header, typ string
	err := r.within('}', func() error {
		keyword, err := r.d.ReadToken()
		if err != nil {
			return err
		}
		switch keyword.String() {
		case Annotation:
			annotated = true
			header, err = r.text()
			return err
		case "type":
			typ, err = r.text()
			return err
		case "properties":
			return r.named(inChain)
		case "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
			return r.named(false)
		case "const", "default", "enum", "examples": // data, where names mean nothing
			return r.d.SkipValue()
		default: // it holds schemas, or it is unknown and may hold some
			return r.subschema(false)
		}
	})
	if err != nil || !annotated {
		return err
	}
	return r.add(inChain && len(r.path) > 0, header, typ)
}

// named reads an object whose names are not keywords and whose values are
// schemas. inChain means that they are properties in an unbroken chain.
func (r *annotationReader) named(inChain bool) error {
	if r.d.PeekKind() != '{' {
		return r.subschema(false)
	}
	return r.within('}', func() error {
		name, err := r.d.ReadToken()
		if err != nil {
			return err
		}
		if !inChain {
			return r.subschema(false)
		}
		r.path = append(r.path, name.String())
		defer func() { r.path = r.path[:len(r.path)-1] }()
		return r.subschema(true)
	})
}

// within reads an object or an array that ends with end; read takes one member or element.
func (r *annotationReader) within(end jsontext.Kind, read func() error) error {
	if _, err := r.d.ReadToken(); err != nil {
		return err
	}
	for kind := r.d.PeekKind(); kind != end; kind = r.d.PeekKind() {
		if err := read(); err != nil {
			return err // read also fails where PeekKind has failed
		}
	}
	_, err := r.d.ReadToken()
	return err
}

// text reads a value and returns it when it is a string, else "".
func (r *annotationReader) text() (string, error) {
	if r.d.PeekKind() != '"' {
		return "", r.d.SkipValue()
	}
	token, err := r.d.ReadToken()
	if err != nil {
		return "", err
	}
	return token.String(), nil
}

// add checks the annotation of the schema just read, and keeps it. header
// and typ are "" when they are not strings. The constraints are those of MCP
// 2026-07-28, Streamable HTTP, Schema Extension.
func (r *annotationReader) add(isParam bool, header, typ string) error {
	switch {
	case !isParam: // "An x-mcp-header annotation anywhere else makes […] the tool definition — invalid."
		return r.invalid("is not reached by properties alone")
	case header == "": // "MUST NOT be empty"
		return r.invalid("is not a string that names a header")
	case !httpguts.ValidHeaderFieldName(header): // "MUST match HTTP field-name token syntax (1*tchar […])"
		return r.invalid("is not the name of a header")
	case typ != "string" && typ != "integer" && typ != "boolean": // "MUST only be applied to parameters with primitive types"
		return r.invalid("is on a parameter whose type is not string, integer or boolean")
	case slices.ContainsFunc(r.found, func(p annotatedParam) bool { return strings.EqualFold(p.header, header) }):
		return r.invalid("names a header that another parameter already has") // "MUST be case-insensitively unique"
	case len(r.found) == maxParamHeaders:
		return r.invalid(fmt.Sprintf("is one too many: a tool may have %d", maxParamHeaders))
	}
	r.found = append(r.found, annotatedParam{path: slices.Clone(r.path), header: header, typ: typ})
	return nil
}

// invalid returns the error about the annotation of the schema just read.
func (r *annotationReader) invalid(why string) error {
	place := safetext.Line("inputSchema"+string(r.d.StackPointer()), maxParamPlace)
	return fmt.Errorf("the x-mcp-header of %s %s", place, why)
}
