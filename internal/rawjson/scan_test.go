package rawjson_test

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

func TestScan(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		depth    int
		members  []member
		err      string
	}{
		{"members in order", " {\"b\" : 1 ,\"a\":\n[ {\"c\":2} ]\t} ", 3, []member{{"b", "1"}, {"a", `[ {"c":2} ]`}}, ""},
		{"no members", `{}`, 1, nil, ""},
		{"members of members are not handed over", `[{"a":1}]`, 2, nil, ""},
		{"a name with escapes", `{"\u0061\n":{"\u0062":{"\u0063":1}},"d":2}`, 3, []member{{"a\n", `{"\u0062":{"\u0063":1}}`}, {"d", "2"}}, ""},
		{"many names with escapes", `{"\u0061":[` + strings.Repeat(`{"\n":1},`, 9999) + `1]}`, 3, []member{{"a", `[` + strings.Repeat(`{"\n":1},`, 9999) + `1]`}}, ""},
		{"something after it", `{"a":1} x`, 1, []member{{"a", "1"}}, "there is more after the JSON value, at byte 8"},
		{"nothing", ``, 0, nil, "it ends before the value does, at byte 0: unexpected EOF"},
		{"an early end", `{"a":1,"b":[2`, 2, []member{{"a", "1"}}, "it ends before the value does, at byte 13: unexpected EOF"},
		{"an early end in a string", `"\u12`, 0, nil, "it ends before the value does, at byte 5: unexpected EOF"},
		{"an early end in a character", "\"\xf0\x9f\x98", 0, nil, "it ends before the value does, at byte 4: unexpected EOF"},
		{"a wrong value", `{"a":1,"b":x}`, 1, []member{{"a", "1"}}, "at byte 11"},
		{"no value", `{"a":}`, 1, nil, "at byte 5"},
		{"not even a character", "[\xff]", 1, nil, "at byte 1"},
		{"a wrong name", `{a:1}`, 1, nil, "at byte 1"},
		{"no colon", `{"a" 1}`, 1, nil, "at byte 5"},
		{"no comma in an object", `{"a":1 "b":2}`, 1, []member{{"a", "1"}}, "at byte 7"},
		{"no comma in an array", `[1 2]`, 1, nil, "at byte 3"},
		{"another bracket", `{"a":[1}}`, 2, nil, "at byte 7"},
		{"a name twice", `{"a":1,"a":2}`, 1, []member{{"a", "1"}}, `the name "a" is there twice, at byte 7`},
		{"a name twice, once with an escape", `{"a":1,"\u0061":2}`, 1, []member{{"a", "1"}}, `the name "a" is there twice, at byte 7`},
		{"a name twice, deep inside", `{"a":1,"b":[{"c":1,"c":2}]}`, 3, []member{{"a", "1"}}, `the name "c" is there twice, at byte 19`},
		{"a wrong literal", `nulL`, 0, nil, "at byte 3"},
		{"a line break in a string", "\"a\nb\"", 0, nil, "at byte 2"},
		{"a wrong escape", `"ab\x"`, 0, nil, "at byte 3"},
		{"half a character", `"\ud83d!"`, 0, nil, "at byte 1"},
		{"the other half", `"\ude00"`, 0, nil, "at byte 1"},
		{"not UTF-8", "\"abc\xed\xa0\x80\"", 0, nil, "at byte 4"},
		{"too deep", strings.Repeat("[", 10_001), 10_000, nil, "at byte 10000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			depth, members, err := scan([]byte(tt.in))
			if depth != tt.depth || !slices.Equal(members, tt.members) {
				t.Errorf("got %d %q, want %d %q", depth, members, tt.depth, tt.members)
			}
			if got := fmt.Sprint(err); (err != nil) != (tt.err != "") || err != nil && !strings.HasSuffix(got, tt.err) {
				t.Errorf("got error %q, want %q at its end", got, tt.err)
			}
		})
	}
}

// An object with very many names takes time and memory in proportion to them.
func TestScanMillionNames(t *testing.T) {
	names := []byte("{")
	for i := range 1_000_000 {
		names = append(strconv.AppendInt(append(names, '"'), int64(i), 36), `":1,`...)
	}
	names = append(names, `"lflr":1}`...) // which is the last of them again
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := rawjson.Check(names); fmt.Sprint(err) != fmt.Sprintf(`the name "lflr" is there twice, at byte %d`, len(names)-len(`"lflr":1}`)) {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 32*uint64(len(names)) {
		t.Errorf("%d bytes of memory for %d", used, len(names))
	}
}

// What is ordinary costs no memory.
func TestReadingAllocatesNothing(t *testing.T) {
	in := []byte(`{"jsonrpc":"2.0","id":12,"method":"m","params":{"server":"x","params":{"name":"echo","arguments":{"text":"hello"}}}}`)
	for name, read := range map[string]func(){
		"Get":  func() { rawjson.Get(in, "params") },
		"Path": func() { rawjson.Path(in, "params", "params", "arguments") },
		"Walk": func() { rawjson.Walk(in, func(name, value []byte) bool { return !bytes.Equal(name, value) }) },
	} {
		if got := testing.AllocsPerRun(100, read); got > 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}

// A frame that is cut off or wrong shows what comes before.
func TestWalk(t *testing.T) {
	for _, tt := range []struct {
		in    string
		want  []member
		ended bool
	}{
		{` {"a" : 1 , "b":[{"c":"]}"}]} `, []member{{"a", "1"}, {"b", `[{"c":"]}"}]`}}, true},
		{`{}`, nil, true},
		{`{} x`, nil, false},
		{`[1]`, nil, false},
		{`{"\u0061":1}`, []member{{`\u0061`, "1"}}, true},
		{`{"a":1,"a":2}`, []member{{"a", "1"}, {"a", "2"}}, true},
		{`{"a":nonsense,"b":"\x"}`, []member{{"a", "nonsense"}, {"b", `"\x"`}}, true},
		{`{"a":"\\\"","b":"\\"}`, []member{{"a", `"\\\""`}, {"b", `"\\"`}}, true},
		{`{"a":1,"b":{"c":`, []member{{"a", "1"}}, false},
		{`{"a":1,"b":"c`, []member{{"a", "1"}}, false},
		{`{"a":1 "b":2}`, []member{{"a", "1"}}, false},
		{`{"a":1,b:2}`, []member{{"a", "1"}}, false},
		{`{"a":1,"b" 2}`, []member{{"a", "1"}}, false},
		{`{"a":,"b":2}`, nil, false},
		{`{"a`, nil, false},
		{``, nil, false},
	} {
		var got []member
		ended := rawjson.Walk([]byte(tt.in), func(name, value []byte) bool {
			got = append(got, member{string(name), string(value)})
			return true
		})
		if ended != tt.ended || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q %v, want %q %v", tt.in, got, ended, tt.want, tt.ended)
		}
	}
	n := 0
	if rawjson.Walk([]byte(`{"a":1,"b":2}`), func([]byte, []byte) bool { n++; return false }) || n != 1 {
		t.Errorf("%d members after the first was enough", n)
	}
}
