//go:build linux || darwin

package e2e

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// rawResult has the fake server answer with a result, byte for byte.
func rawResult(result string) string {
	return marshal(object{"lines": []string{`{"jsonrpc":"2.0","id":$ID,"result":` + result + `}`}})
}

// What agent and server say to each other arrives as it was written, in both eras on both sides.
func TestAgentFidelity(t *testing.T) {
	w := newWorldWith(t, scripts{"old": {}, "new": {ProtocolVersions: []string{modernVersion}}})
	folder := w.folder("project")
	const arguments = `{"n":1.0e+2,"big":12345678901234567890,"u":"\u00e9é\ud83d\ude00","x":[{"deep":null}],"z":-0}`
	for _, version := range []string{"2024-11-05", fidelityVersion, modernVersion} {
		for _, server := range []string{"old", "new"} {
			t.Run(version+" to "+server, func(t *testing.T) {
				a := openLines(w, version, agentCannot, folder, "--server", server)
				defer a.Close()
				call := func(name, arguments, more string) line {
					t.Helper()
					id := a.start("tools/call", `{"name":"`+name+`","arguments":`+arguments+more+`}`)
					return a.answer(id)
				}
				a.result("tools/list", `{}`)
				echoed := call("echo", arguments, `,"x-mine":{"a":1.50},"_meta":{"example.com/mine":[1e2]}`)
				for _, want := range []string{`"x-mine":{"a":1.50}`, `"example.com/mine":[1e2]`, `"x-grease":{"n":12345678901234567890,"x":null}`, `{"type":"x-grease","value":1}`} {
					if !bytes.Contains(echoed.raw, []byte(want)) {
						t.Errorf("%s is not in %s", want, echoed.raw)
					}
				}
				if version != modernVersion { // there the test writes the arguments anew, to add its _meta
					got := w.recorded(server, "tools/call")
					if last := got[len(got)-1]; !bytes.Contains(last.Params, []byte(arguments)) {
						t.Errorf("the server got %s", last.Params)
					}
				}
				result := `{ "content":[],"structuredContent":{"n":1.0e+2,"u":"\u00e9é"}, "x-theirs":[-0,1.50],"_meta":{"x/y":{}},"resultType":"complete" }`
				if got := call("raw", rawResult(result), ""); string(got.Result) != result {
					t.Errorf("the result %s arrives as %s", result, got.Result)
				}
				refused := call("refuse", `{"code":-32042,"message":"Visit it","data":{"elicitations":[{"mode":"url","n":1.0}],"x":null}}`, "")
				if refused.Error == nil || refused.Error.Code != -32042 || refused.Error.Message != "Visit it" || string(refused.Error.Data) != `{"elicitations":[{"mode":"url","n":1.0}],"x":null}` {
					t.Errorf("the error arrives as %s", refused.raw)
				}
				if refused := a.ask("x/unknown", `{}`); refused.Error == nil || refused.Error.Code != -32601 {
					t.Errorf("a method that nobody knows: %s", refused.raw)
				}
				if version == modernVersion {
					return // there no notification comes unasked
				}
				a.call("notify", `{"method":"notifications/x-theirs","params":{"n":1.0e+2,"u":"\u00e9"}}`)
				if got := a.awaitMethod("notifications/x-theirs"); !bytes.Contains(got.raw, []byte(`{"n":1.0e+2,"u":"`)) {
					t.Errorf("the notification arrives as %s", got.raw)
				}
				a.write(`{"jsonrpc":"2.0","method":"notifications/x-mine","params":{"n":1.0e+2}}`)
				await(t, "the notification of the agent is with the server", func() bool { return len(w.recorded(server, "notifications/x-mine")) > 0 })
			})
		}
	}
}

// Results may be large and deep, as far as the protocol of the daemon goes.
func TestAgentLargeResults(t *testing.T) {
	w := newWorldWith(t, scripts{"fake": {Plain: true}})
	a := openLines(w, fidelityVersion, agentCannot, w.folder("project"), "--result-limit", "0")
	const size = 20 << 20
	if got := len(a.call("fake__big", fmt.Sprintf(`{"bytes":%d}`, size)).text()); got != size {
		t.Errorf("%d bytes arrive as %d", size, got)
	}
	deep := func(n int) string {
		return rawResult(`{"content":[],"structuredContent":` + strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) + `}`)
	}
	params := `{"name":"fake__raw","arguments":` + deep(450) + `}`
	if got := a.ask("tools/call", params); !bytes.Contains(got.Result, []byte(strings.Repeat(`{"a":`, 450)+"1")) {
		t.Errorf("a deep result arrives as %.300s", got.raw)
	}
	params = `{"name":"fake__raw","arguments":` + deep(5000) + `}`
	if got := a.ask("tools/call", params); got.Error == nil && !bytes.Contains(got.Result, []byte("isError")) || !bytes.Contains(got.raw, []byte("deep")) {
		t.Errorf("a result that is too deep arrives as %.300s", got.raw)
	}
	a.call("fake__echo", `{}`)
}
