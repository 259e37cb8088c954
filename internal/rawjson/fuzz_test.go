package rawjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

type member struct{ name, value string }

// scan returns all that Scan finds.
func scan(b []byte) (depth int, members []member, err error) {
	depth, err = rawjson.Scan(b, func(name, value []byte) {
		members = append(members, member{string(name), string(value)})
	})
	return depth, members, err
}

// reference is scan by another implementation, which is slow. It is for JSON that is valid but for
// names that are there twice, and reports whether there are any.
func reference(b []byte) (depth int, members []member, twice bool) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var value func(level int)
	value = func(level int) {
		token, _ := d.Token()
		if token != json.Delim('{') && token != json.Delim('[') {
			return
		}
		depth = max(depth, level)
		names := map[string]bool{}
		for d.More() {
			if token == json.Delim('[') {
				value(level + 1)
				continue
			}
			token, _ := d.Token()
			name, begin := token.(string), d.InputOffset()
			value(level + 1)
			if level == 1 {
				members = append(members, member{name, string(bytes.TrimLeft(b[begin:d.InputOffset()], " \t\r\n:"))})
			}
			twice = twice || names[name]
			names[name] = true
		}
		_, _ = d.Token()
	}
	value(1)
	return depth, members, twice
}

// surrogate is an escape, with half a character or without.
var surrogate = regexp.MustCompile(`(?i)\\(?:ud[89ab]..\\ud[cdef]..|(ud[89abcdef]..)|.)`)

// halves reports whether an escape in b is half a character. b is valid JSON but for that.
func halves(b []byte) bool {
	return slices.ContainsFunc(surrogate.FindAllSubmatch(b, -1), func(m [][]byte) bool { return m[1] != nil })
}

// nested returns a value that is nested so deep.
func nested(depth int, begin, end string) string {
	return strings.Repeat(begin, depth) + "1" + strings.Repeat(end, depth)
}

// seeds are values of every kind, valid and not.
func seeds() (all [][]byte) {
	for _, s := range []string{
		``, ` `, `1`, `null`, ` {"a":[1e400,"\u0000"]} `, "\ufeff{}", `{} {}`, `[]]`, `[1]2`, `nulL`, `{nul`,
		// Objects and arrays.
		`{`, `{}`, `[`, `[]`, `[1,]`, `[,1]`, `[1 2]`, `{,}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a" 1}`, `{"a":1 "b":2}`, `{a:1}`, `{[]:1}`,
		`{"a":1]`, `[1}`, `[1:2]`, `{"a",1}`, `}`, `:`, `[]{`, `{"a":{"a":{"a":[{}, []]}}}`, "[ 1 ,\t2\r\n, [ ] , { } ]", "[\v1]",
		"{ \"a\" : 1 , \"b\"\t:\n[ 2 ]\r}", `{"jsonrpc":"2.0","id":12,"method":"m","params":{"server":"x","params":{"name":"echo","arguments":{"text":"hello"}}}}`,
		// Names.
		`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"\u0061":1,"a":2}`, `{"a":{"a":1},"b":{"a":1}}`, `{"a":{"x":1,"x":2}}`, `[{"a":1},{"a":1}]`,
		`{"":1,"":2}`, `{"\\":1,"\u005c":2}`, `{"\"":1,"\u0022":2}`, `{"\ud83d\ude00":1,"😀":2}`, `{"a\n":[1,{"b\n":2,"c\n":{"d\n":[]}}],"e\n":3,"b\n":4,"a\u000a":5}`,
		// Numbers and strings.
		`-0`, `-`, `01`, `1e`, `1.e1`, `.1`, `1E+01`, `-Infinity`, `12345678901234567890123456789012345678901234567890`,
		`"`, `""`, `"a`, `"\"`, `"\\"`, `"\\\"`, `"\"\\\/\b\f\n\r\t"`, `"\a"`, `"\u12`, `"\u123g"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`, `"\ud83d\`, "\"a\nb\"",
		"\"aé中😀b\"", "\"\xff\"", "\"\xc2", "\"\xed\xa0\x80\"", "{\"中\":1,\"\\u4e2d\":2}", "\xff",
		// Nesting.
		nested(500, "[", "]"), nested(10_000, "[", "]"), nested(10_001, `{"a":`, "}"), strings.Repeat(`[{"a":`, 5_001),
	} {
		all = append(all, []byte(s))
	}
	return all
}

// FuzzScan compares Scan with another implementation.
func FuzzScan(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		given := bytes.Clone(b)
		depth, members, err := scan(b)
		valid := json.Valid(b) && utf8.Valid(b) && !halves(b)
		wantDepth, wantMembers, twice := depth, members, false
		if valid {
			wantDepth, wantMembers, twice = reference(b)
		}
		if (err == nil) != (valid && !twice) || err == nil && (depth != wantDepth || !slices.Equal(members, wantMembers)) {
			t.Fatalf("%.200q:\ngot  %d %.200q %v\nwant %d %.200q %v %v", b, depth, members, err, wantDepth, wantMembers, valid, twice)
		}
		if !bytes.Equal(b, given) {
			t.Fatalf("%.200q became %.200q", given, b)
		}
		if err != nil || len(b) > 500 || strings.ContainsAny(string(b[:1]), "-0123456789 \t\r\n") {
			return
		}
		for n := range len(bytes.TrimRight(b, " \t\r\n")) {
			if err := rawjson.Check(b[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%q ends early: %v", b[:n], err)
			}
		}
	})
}

// FuzzRead compares the functions that do not check with another implementation, on what is valid.
// On anything else they must return.
func FuzzRead(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var members, walked []member
		for name, value := range rawjson.Members(b) {
			members = append(members, member{name, string(value)})
			rawjson.Get(b, name)
			rawjson.Path(b, name, name)
			rawjson.Int(b, name)
			rawjson.String(b, name)
		}
		rawjson.Text(b)
		ended := rawjson.Walk(b, func(name, value []byte) bool {
			walked = append(walked, member{string(name), string(value)})
			return true
		})
		var elements []string
		for element := range rawjson.Elements(b) {
			elements = append(elements, string(element))
		}
		if len(walked) != len(members) {
			t.Fatalf("%.200q: Walk %.200q, Members %.200q", b, walked, members)
		}
		if rawjson.Check(b) != nil {
			return
		}
		_, wantMembers, _ := reference(b)
		if !slices.Equal(members, wantMembers) || ended != rawjson.IsObject(b) {
			t.Fatalf("%.200q:\ngot  %.200q\nwant %.200q", b, members, wantMembers)
		}
		for _, m := range wantMembers {
			if got := rawjson.Get(b, m.name); string(got) != m.value {
				t.Fatalf("%.200q: Get(%q) is %.200q", b, m.name, got)
			}
			if want, _ := jsontext.AppendUnquote(nil, []byte(m.value)); m.value[0] == '"' && rawjson.String(b, m.name) != string(want) {
				t.Fatalf("%.200q: String(%q) is %.200q", b, m.name, rawjson.String(b, m.name))
			}
		}
		if want := referenceElements(b); !slices.Equal(elements, want) {
			t.Fatalf("%.200q:\ngot  %.200q\nwant %.200q", b, elements, want)
		}
	})
}

// referenceElements returns the elements of b when it is an array.
func referenceElements(b []byte) (elements []string) {
	d := jsontext.NewDecoder(bytes.NewBuffer(b))
	if token, err := d.ReadToken(); err != nil || token.Kind() != '[' {
		return nil
	}
	for d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		elements = append(elements, string(value))
	}
	return elements
}
