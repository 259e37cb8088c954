package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
	"github.com/mcp-editord/mcp-editord/test/testkit/wiretest"
)

// nest returns a value that is nested so deep.
func nest(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

// Faults stray-answer, invalid-message and unknown-content, as far as one frame goes.
func TestDecode(t *testing.T) {
	deep := strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)
	for _, tt := range []struct{ name, frame, want string }{ // want "" means: no message
		{"a call", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1.0}}`, `request 1 ping {"a":1.0}`},
		{"a call without params", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `request 1 ping `},
		{"a string id", `{"jsonrpc":"2.0","id":"1","method":"ping"}`, `request "1" ping `},
		{"an escaped method", `{"jsonrpc":"2.0","id":1,"method":"\u0070ing"}`, `request 1 ping `},
		{"a fraction for an id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, ``},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/x","params":{}}`, `request null notifications/x {}`},
		{"a result, verbatim", `{"jsonrpc":"2.0","id":1,"result":{"n":12345678901234567890.10, "x":[ ] }}`, `result 1 {"n":12345678901234567890.10, "x":[ ] }`},
		{"a null result", `{"jsonrpc":"2.0","id":1,"result":null}`, `result 1 null`},
		{"the envelope at the end", `{"result":{},"x-unknown":1,"jsonrpc":"2.0","id":1}`, `result 1 {}`},
		{"a result without id", `{"jsonrpc":"2.0","result":{}}`, ``},
		{"an error, verbatim", `{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"a \"b\"","data":{"u": 1.00}}}`, `error 1 -32042 a "b" {"u": 1.00}`},
		{"an error without data", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`, `error 1 1  `},
		{"an error that is no object", `{"jsonrpc":"2.0","id":1,"error":"x"}`, ``},
		{"result and error", `{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"x"}}`, ``},
		{"neither", `{"jsonrpc":"2.0","id":1}`, ``},
		{"another version", `{"jsonrpc":"1.0","id":1,"result":{}}`, ``},
		{"no version", `{"id":1,"result":{}}`, ``},
		{"the case of a member", `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, ``},
		{"a member twice", `{"jsonrpc":"2.0","method":"a","method":"b"}`, ``},
		{"a member twice in a result", `{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}`, `invalidResult 1`},
		{"a lone surrogate in a result", `{"jsonrpc":"2.0","id":1,"result":{"a":"\ud800"}}`, `invalidResult 1`},
		{"a lone surrogate in params", `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"\ud800"}}`, ``},
		{"not UTF-8 in a result", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xff\"}}", `invalidResult 1`},
		{"not UTF-8 in an error", "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"\xff\"}}", `invalidResult 1`},
		{"too deep", `{"jsonrpc":"2.0","id":1,"result":` + deep + `}`, `invalidResult 1`},
		{"a result as deep as may be", `{"jsonrpc":"2.0","id":1,"result":` + nest(500) + `}`, `result 1 ` + nest(500)},
		{"a result that is too deep", `{"jsonrpc":"2.0","id":1,"result":` + nest(501) + `}`, `result 1 ` + nest(501) + ` (501 deep)`},
		{"an error that is too deep", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":` + nest(500) + `}}`, `invalidResult 1`},
		{"a request that is too deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + nest(501) + `}`, `request 1 ping  (501 deep)`},
		{"a request that is deeper than JSON", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + deep + `}`, `request 1 ping  (10000 deep)`},
		{"a notification that is too deep", `{"jsonrpc":"2.0","method":"m","params":` + nest(501) + `}`, `request null m  (501 deep)`},
		{"what nobody passes on is too deep", `{"jsonrpc":"2.0","id":1,"x":` + nest(900) + `,"method":"ping","params":{}}`, `request 1 ping {}`},
		{"a deep member and a value that is not valid", `{"jsonrpc":"2.0","id":1,"x":` + nest(900) + `,"method":"ping","params":{"a":1,"a":2}}`, ``},
		{"something after it", `{"jsonrpc":"2.0","id":1,"result":{}} x`, ``},
		{"no JSON", `starting…`, ``},
		{"nothing", ``, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			msg, err := wire.Decode([]byte(tt.frame))
			if tt.want == "" {
				if err == nil {
					t.Errorf("got %s", wiretest.Show(msg))
				}
				return
			}
			if err != nil || wiretest.Show(msg) != tt.want {
				t.Errorf("got %s, %v\nwant %s", wiretest.Show(msg), err, tt.want)
			}
		})
	}
	if _, err := wire.Decode([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`)); !errors.Is(err, wire.ErrNoID) {
		t.Errorf("an error for nobody: %v", err)
	}
}

func TestEncode(t *testing.T) {
	id := func(raw string) wire.ID {
		id, _ := wire.ParseID([]byte(raw))
		return id
	}
	for _, tt := range []struct {
		name string
		msg  wire.Message
		want string
	}{
		{"a call", &wire.Request{ID: wire.NumberID(7), Method: "tools/call", Params: json.RawMessage(`{"n":1.00}`)}, `{"jsonrpc":"2.0","method":"tools/call","params":{"n":1.00},"id":7}`},
		{"a notification", &wire.Request{Method: "notifications/initialized"}, `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{"lines in params", &wire.Request{Method: "n", Params: json.RawMessage("{\n \"a\": 1.0\r\n}")}, `{"jsonrpc":"2.0","method":"n","params":{"a":1.0}}`},
		{"a result", &wire.Response{ID: id(`"q\"1"`), Result: json.RawMessage(`{}`)}, `{"jsonrpc":"2.0","id":"q\"1","result":{}}`},
		{"an error", &wire.Response{ID: wire.NumberID(1), Error: &wire.Error{Kind: wire.KindRPC, Code: 1 << 40, Message: "a\nb", Data: json.RawMessage("[\n1.0]")}}, `{"jsonrpc":"2.0","id":1,"error":{"code":1099511627776,"message":"a\nb","data":[1.0]}}`},
		{"any error, to a string id", &wire.Response{ID: id(`"x"`), Error: wire.Errorf(wire.KindGone, "", "oops")}, `{"jsonrpc":"2.0","id":"x","error":{"code":-32603,"message":"oops"}}`},
		{"an error to nothing", &wire.Response{Error: wire.Errorf(wire.KindGone, "", "oops")}, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"oops"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line, err := wire.Encode(tt.msg)
			if err != nil || string(line) != tt.want+"\n" {
				t.Errorf("got %q, %v\nwant %q", line, err, tt.want)
			}
		})
	}
	if line, err := wire.Encode(&wire.Request{Method: "n", Params: json.RawMessage("{\n")}); err == nil {
		t.Errorf("params that would be two lines: %q", line)
	}
}

func TestResponseID(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for _, tt := range []struct {
		name, frame string
		want        string // "" for not found
	}{
		{"the id first", `{"jsonrpc":"2.0","id":5,"result":{"t":"` + long + `"}}`, `5`},
		{"a string first", `{ "id" : "a" , "jsonrpc":"2.0", "result" : ["` + long + `"]}`, `"a"`},
		{"the id last", `{"result":{"t":"` + long + `"},"jsonrpc":"2.0","id":5}`, `5`},
		{"the id before the version at the end", "{\"result\":\"" + long + "\" , \"id\" : -6 ,\t\"jsonrpc\":\"2.0\" } ", `-6`},
		{"an error", `{"error":{"code":1,"message":"` + long + `"},"id":"x"}`, `"x"`},
		{"unknown members", `{"x":"id","y":null,"id":5,"result":"` + long + `"}`, `5`},
		{"a request with its id first", `{"jsonrpc":"2.0","id":5,"method":"m","params":{"t":"` + long + `"}}`, ``},
		{"a request with its method last", `{"jsonrpc":"2.0","id":5,"params":{"t":"` + long + `"},"method":"m"}`, ``},
		{"a request with its id last", `{"method":"m","params":{"result":"` + long + `"},"id":5}`, ``},
		{"a notification", `{"jsonrpc":"2.0","method":"m","params":"` + long + `"}`, ``},
		{"an id in the result only", `{"jsonrpc":"2.0","result":{"t":"` + long + `","id":5}}`, ``},
		{"an id in a text at the end", `{"jsonrpc":"2.0","result":"` + long + `,\"id\":5}"}`, ``},
		{"an id in an array at the end", `{"result":["` + long + `",{"y":1,"id":5}],"jsonrpc":"2.0"}`, ``},
		{"null", `{"jsonrpc":"2.0","id":null,"result":"` + long + `"}`, ``},
		{"a fraction", `{"jsonrpc":"2.0","id":5.5,"result":"` + long + `"}`, ``},
		{"an id too far in", `{"jsonrpc":"2.0","x":"` + long + `","id":5,"result":1}`, ``},
		{"no JSON", long, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			id, found := wire.NewTooLong(nil, []byte(tt.frame)).Answers()
			if found != (tt.want != "") || found && id.String() != tt.want {
				t.Errorf("got %v, %v; want %s", id, found, tt.want)
			}
		})
	}
}

// FuzzDecode: no frame does harm, and the id of what is read goes back as it came.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}`))
	f.Add([]byte(`{"result":{},"jsonrpc":"2.0","id":"\ud83d\ude00"}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":-0,"error":{"code":-1,"message":"x","data":null}}`))
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":` + nest(501) + `}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":` + nest(501) + `}}`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		msg, err := wire.Decode(frame)
		if err != nil {
			return
		}
		var id wire.ID
		switch m := msg.(type) {
		case *wire.Request:
			if wire.Deeper(m.Params) > 0 {
				t.Fatalf("the params of %q are too deep", frame)
			}
			if id = m.ID; !id.IsValid() {
				return
			}
		case *wire.Response:
			id = m.ID
			if m.Error == nil && rawjson.Check(m.Result) != nil {
				t.Fatalf("the result %q is not valid", m.Result)
			}
			if m.Error == nil && m.Deep != wire.Deeper(m.Result) {
				t.Fatalf("the result %q is marked with %d", m.Result, m.Deep)
			}
		}
		line, err := wire.Encode(&wire.Response{ID: id, Result: json.RawMessage(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		if err := rawjson.Check(line); err != nil || bytes.Count(line, []byte("\n")) != 1 {
			t.Fatalf("%q: %v", line, err)
		}
		back, err := wire.Decode(line)
		if err != nil || back.(*wire.Response).ID != id {
			t.Fatalf("%q came back as %s, %v", frame, line, err)
		}
	})
}
