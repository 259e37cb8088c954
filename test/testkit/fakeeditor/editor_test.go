package fakeeditor

import (
	"bufio"
	"encoding/json"
	"net"
	"testing"
)

// daemon is the other end of the pipe. The test speaks for it, line by line.
type daemon struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
}

func (d *daemon) expect(want string) {
	d.t.Helper()
	body, err := readFrame(d.r)
	if err != nil || string(body) != want {
		d.t.Errorf("the editor sent %s, %v, want %s", body, err, want)
	}
}

func (d *daemon) send(body string) {
	d.t.Helper()
	if _, err := d.conn.Write(Frame([]byte(body))); err != nil {
		d.t.Error(err)
	}
}

func TestConversation(t *testing.T) {
	near, far := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		d := &daemon{t, far, bufio.NewReader(far)}
		d.expect(`{"id":1,"jsonrpc":"2.0","method":"initialize","params":{"capabilities":{"x":1},"clientInfo":{"name":"fakeeditor","version":"1"},"processId":null,"rootUri":null,"workspaceFolders":[{"name":"w","uri":"file:///w"}]}}`)
		d.send(`{"jsonrpc":"2.0","id":1,"result":{ "n" : 9007199254740993 }}`)
		d.expect(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
		d.send(`{"jsonrpc":"2.0","id":"q","method":"known","params":[1]}`)
		d.expect(`{"id":"q","jsonrpc":"2.0","result":[1]}`)
		d.send(`{"jsonrpc":"2.0","id":7,"method":"unknown"}`)
		d.expect(`{"error":{"code":-32601,"message":"the fake editor has no answer to unknown"},"id":7,"jsonrpc":"2.0"}`)
		d.send(`{"jsonrpc":"2.0","method":"ready"}`)
		d.expect(`{"id":2,"jsonrpc":"2.0","method":"slow"}`)
		d.expect(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}`)
		d.send(`{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"m","data":{"kind":"cancelled","detail":"d"}}}`)
		far.Close()
	}()
	e := New(t, near, Options{
		Folders:      []string{"file:///w"},
		Capabilities: json.RawMessage(`{"x":1}`),
		Answers:      map[string]Answer{"known": func(params json.RawMessage) (any, error) { return params, nil }},
	})
	if result := e.Initialize(); string(result) != `{ "n" : 9007199254740993 }` {
		t.Errorf("the result is %s", result)
	}
	e.AwaitMethod("ready")
	slow := e.Start("slow", nil)
	if slow.Answered() {
		t.Error("the request counts as answered before its answer came")
	}
	slow.Cancel()
	if _, err := slow.Wait(); err == nil || err.Code != -32800 || err.Kind() != "cancelled" || err.Detail() != "d" {
		t.Errorf("the error is %v", err)
	}
	e.AwaitEnd()
	<-done
}
