package editorapi

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
)

// What the daemon tells arrives where the options say, in its own types.
func TestClientIsTold(t *testing.T) {
	told := make(chan string, 8)
	server := Server{Name: "a", State: ServerNeedsSignIn, SignIn: &SignIn{URL: "https://a.example"}, Capabilities: json.RawMessage(`{"tools":{}}`)}
	b := newFakeBackend()
	connect(t, b, ClientOptions{
		Relayed:           func(method string, n MCPNotification) { told <- method + " " + n.Server + " " + string(n.Params) },
		ServerChanged:     func(s Server) { told <- fmt.Sprint("changed ", reflect.DeepEqual(server, s)) },
		ServerRemoved:     func(p ServerRemoved) { told <- "removed " + p.Server },
		Message:           func(severity Severity, text string) { told <- fmt.Sprint(severity, " ", text) },
		SubscriptionEnded: func(p SubscriptionEnded) { told <- "ended " + p.URI },
	})
	<-b.initialized
	e := b.theEditor()
	_ = e.Relay(&Notification{Server: "s", Method: "notifications/x/y", Params: json.RawMessage(`{"n":1.0}`)}, nil)
	e.ServerChanged(server)
	e.ServerRemoved("gone")
	e.ShowMessage(SeverityWarning, "look")
	e.SubscriptionEnded("s", "file:///x", "because")
	for _, want := range []string{`notifications/x/y s {"n":1.0}`, "changed true", "removed gone", "2 look", "ended file:///x"} {
		if got := <-told; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A question names the request that led to it by the id that CallNamed gave.
func TestClientKnowsTheIDOfACall(t *testing.T) {
	b := newFakeBackend()
	b.call = func(_ context.Context, c Call) (json.RawMessage, error) { return c.Cause.ID, nil }
	c, _ := connect(t, b, ClientOptions{})
	for range 3 {
		var id json.RawMessage
		result, err := c.CallNamed(t.Context(), "tools/call", MCPRequest{Server: "s"}, func(own json.RawMessage) { id = own })
		if err != nil || len(id) == 0 || string(id) != string(result) {
			t.Errorf("the daemon got the id %s, %v, want %s", result, err, id)
		}
	}
}
