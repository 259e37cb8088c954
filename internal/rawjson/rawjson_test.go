package rawjson

import (
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestSet(t *testing.T) {
	for _, tt := range []struct{ name, in, member, value, want string }{
		{"replace in place", `{ "a" : 1.0 , "b":2}`, "a", `"x"`, `{ "a" : "x" , "b":2}`},
		{"append", `{"a":12345678901234567890}`, "b", `{}`, `{"a":12345678901234567890,"b":{}}`},
		{"append to empty", `{ }`, "b", `1`, `{ "b":1}`},
		{"nothing there", ``, "b", `1`, `{"b":1}`},
		{"a nested member of the name stays", `{"x":{"b":1}}`, "b", `2`, `{"x":{"b":1},"b":2}`},
		{"a brace in a string", `{"x":"}"}`, "b", `2`, `{"x":"}","b":2}`},
		{"an escaped name", `{"\u0062":1}`, "b", `2`, `{"\u0062":2}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Set([]byte(tt.in), tt.member, []byte(tt.value))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestArray(t *testing.T) {
	for want, values := range map[string][][]byte{"[]": nil, "[1]": {[]byte("1")}, `[1,"a",{}]`: {[]byte("1"), []byte(`"a"`), []byte("{}")}} {
		if got := Array(values); string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestSetPath(t *testing.T) {
	for in, want := range map[string]string{
		``:                         `{"_meta":{"progressToken":7}}`,
		`{"name":"x"}`:             `{"name":"x","_meta":{"progressToken":7}}`,
		`{"_meta":{"k":[1 ,2]}}`:   `{"_meta":{"k":[1 ,2],"progressToken":7}}`,
		`{"_meta":null,"name":""}`: `{"_meta":{"progressToken":7},"name":""}`,
	} {
		if got := string(SetPath([]byte(in), []byte("7"), "_meta", "progressToken")); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestUnion(t *testing.T) {
	for _, tt := range []struct{ name, a, b, want string }{
		{"nothing", ``, ``, ``},
		{"only b", ``, `{"x": 1}`, `{"x": 1}`},
		{"only a", `{ "x":1 }`, ``, `{ "x":1 }`},
		{"the same, byte for byte", `{ "x":1 }`, `{"x":2}`, `{ "x":1 }`},
		{"beside", `{"x":1}`, `{"y":2}`, `{"x":1,"y":2}`},
		{"within", `{"x":{"a":1}}`, `{"x":{"b":2},"y":{}}`, `{"x":{"a":1,"b":2},"y":{}}`},
		{"not both objects", `{"x":1}`, `{"x":{"b":2}}`, `{"x":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bytesOf := func(s string) []byte {
				if s == "" {
					return nil
				}
				return []byte(s)
			}
			if got := Union(bytesOf(tt.a), bytesOf(tt.b)); string(got) != tt.want {
				t.Errorf("it is %s, want %s", got, tt.want)
			}
		})
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{`"a"`: "a", `""`: "", `"\u0061\n\"é"`: "a\n\"é"} {
		if got, ok := Text([]byte(in)); got != want || !ok {
			t.Errorf("%s: got %q, %v", in, got, ok)
		}
	}
	for _, in := range []string{``, `"`, `7`, `null`, `{"a":"b"}`, `["a"]`} {
		if got, ok := Text([]byte(in)); got != "" || ok {
			t.Errorf("%s: got %q, %v", in, got, ok)
		}
	}
}

func TestReading(t *testing.T) {
	in := []byte("{\"a\": {\"b\" :\t\"c\\n\"}, \"n\": -5, \"big\": 9007199254740993, \"l\":[ 1 , {\"x\":2} ,\"3\" ]}")
	if got := String(Get(in, "a"), "b"); got != "c\n" {
		t.Errorf("String: %q", got)
	}
	if got := string(Path(in, "a", "b")); got != `"c\n"` {
		t.Errorf("Path: %s", got)
	}
	if n, ok := Int(in, "n"); !ok || n != -5 {
		t.Errorf("Int: %d %v", n, ok)
	}
	if got := string(Get(in, "big")); got != "9007199254740993" {
		t.Errorf("Get: %s", got)
	}
	if got := Get(in, "none"); got != nil {
		t.Errorf("Get of nothing: %s", got)
	}
	var elements []string
	for e := range Elements(Get(in, "l")) {
		elements = append(elements, string(e))
	}
	if want := []string{"1", `{"x":2}`, `"3"`}; !slices.Equal(elements, want) {
		t.Errorf("Elements: %q", elements)
	}
	if got, want := string(Delete([]byte(`{"a":1, "b":2, "c":3}`), "b")), `{"a":1,"c":3}`; got != want {
		t.Errorf("Delete: %s", got)
	}
}

func FuzzSet(f *testing.F) {
	f.Add(`{"a":[1,{"b":"}"}]}`, "b")
	f.Add(`{}`, "not UTF-8: \xee\xfa")
	f.Fuzz(func(t *testing.T, in, name string) {
		if Check([]byte(in)) != nil || !IsObject([]byte(in)) {
			t.Skip()
		}
		out := Set([]byte(in), name, []byte(`"v"`))
		if err := Check(out); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if String(out, string([]rune(name))) != "v" {
			t.Fatalf("%s: member %q is not there", out, name)
		}
	})
}

// Promise 4: Measure finds the depth of a value in the pass that checks it.
func TestPromise4Measure(t *testing.T) {
	for _, tt := range []struct {
		in    string
		depth int
		ok    bool
	}{
		{`1`, 0, true}, {`"[[["`, 0, true}, {`[]`, 1, true}, {` {"a":[[1],{}]} `, 3, true},
		{`[[],[[[]]],[]]`, 4, true}, {`{"[":"[[[[["}`, 1, true},
		{``, 0, false}, {`[[`, 2, false}, {`[[]`, 2, false}, {`[]]`, 1, false}, {`[1]2`, 1, false},
		{strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), 10_000, true},
		{strings.Repeat("[", 1_000_000), 10_000, false},
	} {
		if depth, err := Measure([]byte(tt.in)); depth != tt.depth || (err == nil) != tt.ok {
			t.Errorf("%.40s: %d, %v; want %d, %v", tt.in, depth, err, tt.depth, tt.ok)
		}
	}
}

// A caller that reads a value may read others meanwhile, on any goroutine, and stop at any time.
func TestReadingWithinReading(t *testing.T) {
	in := []byte(`{"a":[{"x":1},{"x":2}],"b":{"y":[3]}}`)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				var got []string
				for name, value := range Members(in) {
					for element := range Elements(value) {
						got = append(got, name+string(Get(element, "x")))
						if len(got) == 2 {
							break
						}
					}
					if Check(value) != nil || Check([]byte(`{"a":1,"a":2}`)) == nil {
						t.Error("a value has changed")
					}
				}
				if !slices.Equal(got, []string{"a1", "a2"}) {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	all.Wait()
}

func TestCompact(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"white space everywhere", " {\n\t\"a\" : [ 1 , 2.50 ] ,\r\n\"b\": { } } ", `{"a":[1,2.50],"b":{}}`},
		{"white space in strings stays", `{"a b": " c \" d ","e":"\\" }`, `{"a b":" c \" d ","e":"\\"}`},
		{"spelling stays", `[ 1e400, 9007199254740993, "\u00e9\/<" ]`, `[1e400,9007199254740993,"\u00e9\/<"]`},
		{"a string", `" \\"`, `" \\"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Compact([]byte(test.in)); string(got) != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
