package editorapi

import (
	"encoding/json"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// deepMessage is a message that ends with a value nested so deep.
func deepMessage(members string, depth int) string {
	return `{"jsonrpc":"2.0",` + members + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`
}

// inspect does what a stream does with a frame.
func inspect(frame []byte) (pass, answer []byte, problem string) {
	m, err := cut(frame)
	if err != nil {
		return nil, errorAnswer(nil, jsonrpc2.ParseError, err.Error()), err.Error()
	}
	return m.inspect()
}

// Fault bad-request: what is not a valid message is answered, and the id has the JSON
// type that it was sent with.
func TestInspect(t *testing.T) {
	const pass = "pass"
	for _, test := range []struct{ name, in, want string }{ // want: pass, "" for neither, or "code id"
		{"request", `{"jsonrpc":"2.0","id":1,"method":"a"}`, pass},
		{"request with white space", " {\n \"jsonrpc\" : \"2.0\" , \"id\" : 1 , \"method\" : \"a\" } ", pass},
		{"largest id", `{"jsonrpc":"2.0","id":9223372036854775807,"method":"a"}`, pass},
		{"smallest id", `{"jsonrpc":"2.0","id":-9223372036854775808,"method":"a"}`, pass},
		{"unknown members", `{"jsonrpc":"2.0","id":1,"method":"a","x":{"id":2.5}}`, pass},
		{"null params", `{"jsonrpc":"2.0","id":1,"method":"a","params":null}`, pass},
		{"notification", `{"jsonrpc":"2.0","method":"a","params":{}}`, pass},
		{"result", `{"jsonrpc":"2.0","id":1,"result":null}`, pass},
		{"error", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`, pass},

		{"not JSON", `{"jsonrpc":"2.0","id":1,`, "-32700 null"},
		{"two values", `{} {}`, "-32700 null"},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "-32700 null"},
		{"lone surrogate", `{"jsonrpc":"2.0","id":1,"method":"\ud800"}`, "-32700 null"},
		{"a member twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}`, "-32700 null"},
		{"nested 20,000 deep", `{"jsonrpc":"2.0","id":1,"method":"a","params":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}", "-32700 null"},
		{"nested as deep as may be", deepMessage(`"id":1,"method":"a","params":`, maxNesting-1), pass},
		{"nested too deep", deepMessage(`"id":7,"method":"a","params":`, maxNesting), "-32602 7"},
		{"notification that is nested too deep", deepMessage(`"method":"a","params":`, maxNesting), ""},
		{"answer that is nested too deep without an id", deepMessage(`"result":`, maxNesting), ""},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"a"}]`, "-32600 null"},
		{"empty batch", `[]`, "-32600 null"},
		{"a string", `"x"`, "-32600 null"},
		{"float id", `{"jsonrpc":"2.0","id":1.5,"method":"a"}`, "-32600 1.5"},
		{"integer with an exponent", `{"jsonrpc":"2.0","id":1e2,"method":"a"}`, "-32600 1e2"},
		{"id over 64 bits", `{"jsonrpc":"2.0","id":9223372036854775808,"method":"a"}`, "-32600 9223372036854775808"},
		{"object id", `{"jsonrpc":"2.0","id":{"a":1},"method":"a"}`, "-32600 null"},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"a"}`, "-32600 null"},
		{"no version", `{"id":7,"method":"a"}`, "-32600 7"},
		{"wrong version", `{"jsonrpc":"1.0","id":"7","method":"a"}`, `-32600 "7"`},
		{"no method", `{"jsonrpc":"2.0","id":7}`, "-32600 7"},
		{"method with capitals", `{"jsonrpc":"2.0","id":7,"Method":"a"}`, "-32600 7"},
		{"method and result", `{"jsonrpc":"2.0","id":7,"method":"a","result":1}`, "-32600 7"},
		{"params that are a string", `{"jsonrpc":"2.0","id":7,"method":"a","params":"x"}`, "-32600 7"},
		{"notification with params that are a boolean", `{"jsonrpc":"2.0","method":"a","params":true}`, "-32600 null"},
		{"escaped name of the id", `{"jsonrpc":"2.0","\u0069d":7,"method":"a"}`, "-32600 7"},
		{"escaped name of the params", `{"jsonrpc":"2.0","id":7,"method":"a","\u0070arams":{}}`, "-32600 7"},

		{"answer without an id", `{"jsonrpc":"2.0","result":1,"error":{}}`, ""},
		{"answer with a float id", `{"jsonrpc":"2.0","id":1.5,"result":1}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			passed, reply, problem := inspect([]byte(test.in))
			got := ""
			switch {
			case passed != nil && reply == nil:
				got = pass
				if string(passed) != test.in {
					t.Errorf("%s was handed on as %s", test.in, passed)
				}
			case passed == nil && reply != nil:
				var e struct {
					ID    json.RawMessage
					Error struct{ Code json.Number }
				}
				if err := json.Unmarshal(reply, &e); err != nil {
					t.Fatal(err)
				}
				got = e.Error.Code.String() + " " + string(e.ID)
			}
			if got != test.want {
				t.Errorf("inspect = %q (%s), want %q", got, problem, test.want)
			}
			if (problem == "") != (test.want == pass) {
				t.Errorf("the problem is %q", problem)
			}
		})
	}
}

// An answer that is not valid becomes an error for the one who waits for it.
func TestInspectRepairsAnswers(t *testing.T) {
	for _, in := range []string{
		`{"jsonrpc":"2.0","id":3,"error":"no"}`,
		`{"jsonrpc":"2.0","id":3,"error":null}`,
		`{"jsonrpc":"2.0","id":3,"error":{"code":99999999999,"message":"x"}}`,
		`{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":2}}`,
		`{"jsonrpc":"2.0","id":3,"result":1,"error":{"code":1,"message":"x"}}`,
		`{"id":3,"result":1}`,
		deepMessage(`"id":3,"result":`, maxNesting),
		deepMessage(`"id":3,"error":`, maxNesting),
	} {
		passed, reply, problem := inspect([]byte(in))
		if reply != nil || problem == "" {
			t.Errorf("%s was answered with %s (%s)", in, reply, problem)
		}
		message, err := jsonrpc2.DecodeMessage(passed)
		if err != nil {
			t.Errorf("%s became %s: %v", in, passed, err)
			continue
		}
		if r, ok := message.(*jsonrpc2.Response); !ok || r.Err() == nil || r.ID() != jsonrpc2.NewNumberID(3) {
			t.Errorf("%s became %s", in, passed)
		}
	}
}

// No message that is handed on ends the connection, and every answer has the id as it was
// written.
func FuzzInspect(f *testing.F) {
	for _, id := range []string{`1`, `"a"`, `1.5`, `true`, `null`, `{}`, `[1]`, `-0`, `1e400`, `"\u00e9\n"`, `99999999999999999999`} {
		f.Add([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"m"}`))
		f.Add([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":1}`))
		f.Add([]byte(`{"jsonrpc":"2.0","id":` + id + `,"error":` + id + `}`))
	}
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, in []byte) {
		passed, reply, _ := inspect(in)
		if passed != nil {
			if _, err := jsonrpc2.DecodeMessage(passed); err != nil {
				t.Fatalf("jsonrpc2 refuses what was handed on: %v", err)
			}
		}
		if reply == nil {
			return
		}
		if err := rawjson.Check(reply); err != nil {
			t.Fatalf("the answer %s is not valid: %v", reply, err)
		}
		want := "null"
		if rawjson.Check(in) == nil {
			if id := rawjson.Get(in, "id"); id != nil && id[0] != '{' && id[0] != '[' {
				want = string(id)
			}
		}
		if got := string(rawjson.Get(reply, "id")); got != want {
			t.Fatalf("the id is echoed as %s, want %s", got, want)
		}
	})
}
