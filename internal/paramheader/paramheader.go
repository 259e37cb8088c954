// Package paramheader says which arguments of a tool are mirrored into HTTP headers, and how (MCP
// 2026-07-28, Streamable HTTP, Custom Headers from Tool Parameters). It looks once at every part of
// a schema.
package paramheader

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
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
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber() // no number is too large
	var root any
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	var found []annotatedParam
	err := annotated(root, nil, false, true, &found)
	return found, err
}

// annotated adds the annotated parameters in value to found. value may be a schema or an array of
// schemas or, with names, an object whose names are not keywords and whose values are schemas.
// place leads to it from the inputSchema. inChain means that it is the root or "reachable via a
// chain consisting solely of properties keys" (MCP 2026-07-28, Streamable HTTP, Schema Extension).
// A $ref is not followed.
func annotated(value any, place []string, names, inChain bool, found *[]annotatedParam) error {
	if elements, ok := value.([]any); ok {
		for i, element := range elements {
			below := append(place, strconv.Itoa(i))
			if err := annotated(element, below, false, false, found); err != nil {
				return err
			}
		}
	}
	members, _ := value.(map[string]any)
	if header, ok := members[Annotation]; ok && !names {
		param, why := newParam(place, inChain, header, members["type"], *found)
		if why != "" {
			at := safetext.Line(strings.Join(append([]string{"inputSchema"}, place...), "/"), maxParamPlace)
			return fmt.Errorf("the x-mcp-header of %s %s", at, why)
		}
		*found = append(*found, param)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		namesBelow, chainBelow := false, inChain && names
		if !names {
			switch name {
			case Annotation, "type":
				continue
			case "const", "default", "enum", "examples": // data, where names mean nothing
				continue
			case "properties":
				namesBelow, chainBelow = true, inChain
			case "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
				namesBelow = true
			} // any other holds schemas, or it is unknown and may hold some
		}
		below := append(place, name)
		if err := annotated(members[name], below, namesBelow, chainBelow, found); err != nil {
			return err
		}
	}
	return nil
}

// newParam returns the parameter with this annotation and type, or what is wrong with it beside
// those before. The constraints are those of MCP 2026-07-28, Streamable HTTP, Schema Extension.
func newParam(
	place []string, inChain bool, annotation, typ any, before []annotatedParam,
) (p annotatedParam, why string) {
	p.header, _ = annotation.(string)
	p.typ, _ = typ.(string)
	for i := 1; i < len(place); i += 2 { // between two of "properties"
		p.path = append(p.path, place[i])
	}
	same := func(other annotatedParam) bool { return strings.EqualFold(p.header, other.header) }
	switch {
	case !inChain, len(place) == 0:
		// "An x-mcp-header annotation anywhere else makes […] the tool definition — invalid."
		why = "is not reached by properties alone"
	case p.header == "": // "MUST NOT be empty"
		why = "is not a string that names a header"
	case !httpguts.ValidHeaderFieldName(p.header): // "MUST match HTTP field-name token syntax"
		why = "is not the name of a header"
	case p.typ != "string" && p.typ != "integer" && p.typ != "boolean":
		// "MUST only be applied to parameters with primitive types"
		why = "is on a parameter whose type is not string, integer or boolean"
	case slices.ContainsFunc(before, same): // "MUST be case-insensitively unique"
		why = "names a header that another parameter already has"
	case len(before) == maxParamHeaders:
		why = fmt.Sprintf("is one too many: a tool may have %d", maxParamHeaders)
	}
	return p, why
}
