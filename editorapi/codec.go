package editorapi

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// encode encodes a value for the other side. Raw JSON passes byte for byte; raw JSON inside a struct
// keeps all but its white space.
func encode(v any) ([]byte, error) {
	if raw, ok := v.(stdjson.RawMessage); ok {
		return raw, nil
	}
	return json.Marshal(v,
		json.Deterministic(true),
		jsontext.PreserveRawStrings(true),  // strings of servers keep their spelling
		jsontext.AllowDuplicateNames(true), // raw members were checked when they were read
		jsontext.AllowInvalidUTF8(true),    // becomes U+FFFD: an answer with a scar is better than none
	)
}

// encodeOwn encodes a value of our own types, which cannot fail.
func encodeOwn(v any) []byte {
	b, err := encode(v)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", v, err)) // a type without JSON: a mistake in this package
	}
	return b
}

// decode reads the params of a message into v, whose fields are the members. Absent params count
// as {}, unknown members are ignored. The error is of [KindInvalidParams] and names the member;
// prefix names the member that params are inside of, "" for none.
func decode(params []byte, v any, prefix string) error {
	if len(params) == 0 {
		return nil
	}
	if e, ok := v.(*MCPRequest); ok {
		return e.read(params)
	}
	err := json.Unmarshal(params, v)
	if err == nil {
		return nil
	}
	at, want := prefix, "valid"
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		for token := range semantic.JSONPointer.Tokens() {
			at = join(at, token)
		}
		if semantic.GoType != nil {
			want = wanted(semantic.GoType)
		}
	}
	if at == "" {
		at = "params"
	}
	return notA(want, at)
}

// decodeWhole is decode for params that must have each of their texts that has no omitempty.
func decodeWhole(params []byte, v any, prefix string) error {
	if err := decode(params, v, prefix); err != nil {
		return err
	}
	members := reflect.ValueOf(v).Elem()
	for _, field := range reflect.VisibleFields(members.Type()) {
		tag := field.Tag.Get("json")
		if field.Type.Kind() != reflect.String || strings.Contains(tag, ",") {
			continue
		}
		if strings.TrimSpace(members.FieldByIndex(field.Index).String()) == "" {
			return invalidMember(tag, "is missing; give it a value")
		}
	}
	return nil
}

// notA returns the error of a member that is something other than what it must be.
func notA(want, member string) error {
	return invalidMember(member, "is not %s; correct it and send the request again", want)
}

// join appends a step to the name of a member: a name or an index.
func join(at, token string) string {
	switch {
	case at == "":
		return token
	case strings.Trim(token, "0123456789") == "":
		return at + "[" + token + "]"
	}
	return at + "." + token
}

// wanted says what JSON a Go type is read from.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Int:
		return "an integer"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}
