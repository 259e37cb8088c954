package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// showMessage writes a message so that every part of it can be compared.
func showMessage(msg jsonrpc.Message) string {
	switch m := msg.(type) {
	case *jsonrpc.Request:
		return fmt.Sprintf("request %#v %s %s%s", m.ID.Raw(), m.Method, m.Params, showDepth(m.Extra))
	case *jsonrpc.Response:
		if e, ok := errors.AsType[*jsonrpc.Error](m.Error); ok {
			return fmt.Sprintf("error %#v %d %s %s", m.ID.Raw(), e.Code, e.Message, e.Data)
		}
		if e, ok := errors.AsType[*Error](m.Error); ok {
			return fmt.Sprintf("%s %#v", e.Kind, m.ID.Raw())
		}
		return fmt.Sprintf("result %#v %s%s", m.ID.Raw(), m.Result, showDepth(m.Extra))
	default:
		return fmt.Sprintf("%T", msg)
	}
}

func showDepth(extra any) string {
	if deep, ok := extra.(tooDeep); ok {
		return fmt.Sprintf(" (%d deep)", int(deep))
	}
	return ""
}

// nest returns a value that is nested so deep.
func nest(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

// Rows 15, 16 and 17 of the faults, as far as one frame goes.
func TestDecode(t *testing.T) {
	deep := strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)
	for _, tt := range []struct{ name, frame, want string }{ // want "" means: no message
		{"a call", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1.0}}`, `request 1 ping {"a":1.0}`},
		{"a call without params", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `request 1 ping `},
		{"a string id", `{"jsonrpc":"2.0","id":"1","method":"ping"}`, `request "1" ping `},
		{"a string id with escapes", `{"jsonrpc":"2.0","id":"\u00e9\n","method":"ping"}`, `request "é\n" ping `},
		{"an escaped method", `{"jsonrpc":"2.0","id":1,"method":"\u0070ing"}`, `request 1 ping `},
		{"the greatest id", `{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`, `request 9007199254740991 ping `},
		{"the least id", `{"jsonrpc":"2.0","id":-9007199254740991,"method":"ping"}`, `request -9007199254740991 ping `},
		{"an id that a float64 rounds", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, ``},
		{"a fraction for an id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, ``},
		{"an object for an id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, ``},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/x","params":{}}`, `request <nil> notifications/x {}`},
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
		{"a NUL", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\x00\"}}", `invalidResult 1`},
		{"too deep", `{"jsonrpc":"2.0","id":1,"result":` + deep + `}`, `invalidResult 1`},
		{"a result as deep as may be", `{"jsonrpc":"2.0","id":1,"result":` + nest(500) + `}`, `result 1 ` + nest(500)},
		{"a result that is too deep", `{"jsonrpc":"2.0","id":1,"result":` + nest(501) + `}`, `result 1 ` + nest(501) + ` (501 deep)`},
		{"an error that is too deep", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":` + nest(500) + `}}`, `invalidResult 1`},
		{"a request that is too deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + nest(501) + `}`, `request 1 ping  (501 deep)`},
		{"a request that is deeper than JSON", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + deep + `}`, `request 1 ping  (10000 deep)`},
		{"a notification that is too deep", `{"jsonrpc":"2.0","method":"m","params":` + nest(501) + `}`, `request <nil> m  (501 deep)`},
		{"what nobody passes on is too deep", `{"jsonrpc":"2.0","id":1,"x":` + nest(900) + `,"method":"ping","params":{}}`, `request 1 ping {}`},
		{"a deep member and a value that is not valid", `{"jsonrpc":"2.0","id":1,"x":` + nest(900) + `,"method":"ping","params":{"a":1,"a":2}}`, ``},
		{"something after it", `{"jsonrpc":"2.0","id":1,"result":{}} x`, ``},
		{"no JSON", `starting…`, ``},
		{"JSON of another kind", `"text"`, ``},
		{"nothing", ``, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			frame := []byte(tt.frame)
			msg, err := decode(frame)
			for i := range frame {
				frame[i] = '#' // what was returned must not alias the frame
			}
			if tt.want == "" {
				if err == nil {
					t.Errorf("got %s", showMessage(msg))
				}
				return
			}
			if err != nil || showMessage(msg) != tt.want {
				t.Errorf("got %s, %v\nwant %s", showMessage(msg), err, tt.want)
			}
		})
	}
	if _, err := decode([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`)); !errors.Is(err, errNoID) {
		t.Errorf("an error for nobody: %v", err)
	}
}

func TestEncode(t *testing.T) {
	id := func(v any) jsonrpc.ID {
		id, err := jsonrpc.MakeID(v)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	for _, tt := range []struct {
		name string
		msg  jsonrpc.Message
		want string
	}{
		{"a call", &jsonrpc.Request{ID: id(7.0), Method: "tools/call", Params: json.RawMessage(`{"n":1.00}`)}, `{"jsonrpc":"2.0","method":"tools/call","params":{"n":1.00},"id":7}`},
		{"a notification", &jsonrpc.Request{Method: "notifications/initialized"}, `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{"lines in params", &jsonrpc.Request{Method: "n", Params: json.RawMessage("{\n \"a\": 1.0\r\n}")}, `{"jsonrpc":"2.0","method":"n","params":{"a":1.0}}`},
		{"a result", &jsonrpc.Response{ID: id("q\"1"), Result: json.RawMessage(`{}`)}, `{"jsonrpc":"2.0","id":"q\"1","result":{}}`},
		{"an error", &jsonrpc.Response{ID: id(1.0), Error: &jsonrpc.Error{Code: 1 << 40, Message: "a\nb", Data: json.RawMessage("[\n1.0]")}}, `{"jsonrpc":"2.0","id":1,"error":{"code":1099511627776,"message":"a\nb","data":[1.0]}}`},
		{"any error, to a string id", &jsonrpc.Response{ID: id("x"), Error: errors.New("oops")}, `{"jsonrpc":"2.0","id":"x","error":{"code":-32603,"message":"oops"}}`},
		{"an error to nothing", &jsonrpc.Response{Error: errors.New("oops")}, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"oops"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line, err := encode(tt.msg)
			if err != nil || string(line) != tt.want+"\n" {
				t.Errorf("got %q, %v\nwant %q", line, err, tt.want)
			}
		})
	}
	if line, err := encode(&jsonrpc.Request{Method: "n", Params: json.RawMessage("{\n")}); err == nil {
		t.Errorf("params that would be two lines: %q", line)
	}
}

func TestResponseID(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for _, tt := range []struct {
		name, frame string
		want        any // nil: not found
	}{
		{"the id first", `{"jsonrpc":"2.0","id":5,"result":{"t":"` + long + `"}}`, int64(5)},
		{"a string first", `{ "id" : "a" , "jsonrpc":"2.0", "result" : ["` + long + `"]}`, "a"},
		{"the id last", `{"result":{"t":"` + long + `"},"jsonrpc":"2.0","id":5}`, int64(5)},
		{"the id before the version at the end", "{\"result\":\"" + long + "\" , \"id\" : -6 ,\t\"jsonrpc\":\"2.0\" } ", int64(-6)},
		{"an error", `{"error":{"code":1,"message":"` + long + `"},"id":"x"}`, "x"},
		{"unknown members", `{"x":{"id":9},"y":null,"id":5,"result":"` + long + `"}`, int64(5)},
		{"a request with its id first", `{"jsonrpc":"2.0","id":5,"method":"m","params":{"t":"` + long + `"}}`, nil},
		{"a request with its method last", `{"jsonrpc":"2.0","id":5,"params":{"t":"` + long + `"},"method":"m"}`, nil},
		{"a request with its id last", `{"method":"m","params":{"result":"` + long + `"},"id":5}`, nil},
		{"a notification", `{"jsonrpc":"2.0","method":"m","params":"` + long + `"}`, nil},
		{"an id in the result only", `{"jsonrpc":"2.0","result":{"t":"` + long + `","id":5}}`, nil},
		{"an id in a text at the end", `{"jsonrpc":"2.0","result":"` + long + `,\"id\":5}"}`, nil},
		{"an id in an array at the end", `{"result":["` + long + `",{"y":1,"id":5}],"jsonrpc":"2.0"}`, nil},
		{"null", `{"jsonrpc":"2.0","id":null,"result":"` + long + `"}`, nil},
		{"a fraction", `{"jsonrpc":"2.0","id":5.5,"result":"` + long + `"}`, nil},
		{"an id too far in", `{"jsonrpc":"2.0","x":"` + long + `","id":5,"result":1}`, nil},
		{"no JSON", long, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newLineReader(strings.NewReader(tt.frame+"\n"), 1000, nil)
			_, err := r.next()
			tooLong, ok := errors.AsType[*tooLongError](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			id, found := tooLong.responseID()
			if found != (tt.want != nil) || id.Raw() != tt.want {
				t.Errorf("got %#v, %v; want %#v", id.Raw(), found, tt.want)
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
		msg, err := decode(frame)
		if err != nil {
			return
		}
		var id jsonrpc.ID
		switch m := msg.(type) {
		case *jsonrpc.Request:
			if deeper(m.Params) > 0 {
				t.Fatalf("the params of %q are too deep", frame)
			}
			if id = m.ID; !id.IsValid() {
				return
			}
		case *jsonrpc.Response:
			id = m.ID
			if m.Error == nil && rawjson.Check(m.Result) != nil {
				t.Fatalf("the result %q is not valid", m.Result)
			}
			if deep, _ := m.Extra.(tooDeep); m.Error == nil && deep != deeper(m.Result) {
				t.Fatalf("the result %q is marked with %d", m.Result, deep)
			}
		}
		line, err := encode(&jsonrpc.Response{ID: id, Result: json.RawMessage(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		if err := rawjson.Check(line); err != nil || bytes.Count(line, []byte("\n")) != 1 {
			t.Fatalf("%q: %v", line, err)
		}
		back, err := decode(line)
		if err != nil || back.(*jsonrpc.Response).ID != id {
			t.Fatalf("%q came back as %s, %v", frame, line, err)
		}
	})
}
