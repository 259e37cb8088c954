//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-editord/mcp-editord/editorapi"
	bothEras "github.com/mcp-editord/mcp-editord/test/testkit/eras"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// A lockedServer is an MCP server that wants a password in a header.
type lockedServer struct {
	*httptest.Server
	mu    sync.Mutex // guards the fields that follow
	wants string
	sent  []string // the passwords that came, each once in a row
}

func newLockedServer(t *testing.T, wants string) *lockedServer {
	t.Helper()
	s := &lockedServer{wants: wants}
	inside := bothEras.Streamable(gosdk.NewServer(&gosdk.Implementation{Name: "locked", Version: "1"}, nil))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		password := r.Header.Get("X-Password") + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		s.mu.Lock()
		fits := password == s.wants
		if r.URL.Path == "/mcp" && !slices.Contains(s.sent[max(0, len(s.sent)-1):], password) {
			s.sent = append(s.sent, password)
		}
		s.mu.Unlock()
		switch {
		case r.URL.Path != "/mcp":
			http.NotFound(w, r)
		case !fits:
			w.WriteHeader(http.StatusUnauthorized)
		default:
			inside.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Server.Close)
	return s
}

func (s *lockedServer) want(password string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wants = password
}

// got returns the passwords that came.
func (s *lockedServer) got() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.sent, " ")
}

// withPassword is an mcp.json with one server that is sent an input in a header.
func withPassword(place, url, header, value string) string {
	return marshal(object{
		"credentials": place,
		"inputs":      []object{{"id": "key", "type": "promptString", "description": "The key", "password": true}},
		"servers":     servers{"locked": object{"url": url + "/mcp", "headers": object{header: value}}},
	})
}

// types is an editor whose user types what typed has, one after the other.
func (w *world) types(typed ...string) fakeeditor.Options {
	o := in(`{"experimental":{"mcp":{"approval":{},"elicitation":{"form":{}}}}}`, w.folder("project"))
	next := make(chan string, len(typed))
	for _, text := range typed {
		next <- text
	}
	o.Answers = map[string]fakeeditor.Answer{
		"editord/approve": always(`{"decision":"allow"}`),
		elicitation: func(json.RawMessage) (any, error) {
			select {
			case text := <-next:
				return object{"action": "accept", "content": object{"value": text}}, nil
			default:
				return object{"action": "decline"}, nil
			}
		},
	}
	return o
}

// A password is asked for once, and kept for the next daemon, until somebody signs out.
func TestPasswordsAreKept(t *testing.T) {
	s, w := newLockedServer(t, "canary-right"), newWorld(t)
	w.config(withPassword("file", s.URL, "Authorization", "Bearer ${input:key}"))
	e := w.attach(w.types("canary-right"), "locked")
	request(e, "editord/restartServer", object{"server": "locked"}, nil)
	if n := received(e, elicitation); n != 1 {
		t.Errorf("the password was asked for %d times", n)
	}
	if found := w.filesWith("canary-"); len(found) != 0 {
		t.Errorf("the password is in %q", found) // in clear; the file has it in Base64
	}
	w.endDaemon(syscall.SIGKILL, e)
	again := w.attach(w.types("canary-right"), "locked")
	if n := received(again, elicitation); n != 0 {
		t.Errorf("the next daemon asks %d times", n)
	}
	request(again, "editord/signOut", object{"server": "locked"}, nil)
	var view editorapi.Server
	request(again, "editord/restartServer", object{"server": "locked"}, &view)
	if n := received(again, elicitation); n != 1 || view.State != "ready" || s.got() != "canary-right" {
		t.Errorf("after signing out, the password is asked for %d times, and the server is %s", n, marshal(view))
	}
}

// A password that the server refuses is forgotten, in whatever header it goes.
func TestPasswordIsRefused(t *testing.T) {
	t.Parallel()
	for header, value := range map[string]string{"Authorization": "Bearer ${input:key}", "X-Password": "${input:key}"} {
		t.Run(header, func(t *testing.T) {
			s, w := newLockedServer(t, "canary-right"), newWorld(t)
			w.config(withPassword("file", s.URL, header, value))
			e := w.attach(w.types("canary-wrong", "canary-right", "canary-newer"))
			v := awaitServer(e, "locked", "refuses", func(s editorapi.Server) bool { return s.Error != nil })
			if strings.Contains(marshal(v), "canary") {
				t.Errorf("the server is %s", marshal(v))
			}
			forget := func() {
				t.Helper()
				if header == "X-Password" { // a 401 may also want a sign-in: only who tries finds out that there is none
					_, err := e.Request("editord/signIn", object{"server": "locked"})
					if wantError(e, "signing in", err, "signInFailed", -32803); !strings.Contains(err.Message, "no sign-in") {
						t.Errorf("signing in: %v", err)
					}
				}
			}
			forget()
			restarted := func() bool {
				var view editorapi.Server
				request(e, "editord/restartServer", object{"server": "locked"}, &view)
				return view.State == "ready"
			}
			await(t, "the right password is asked for", restarted)
			if got := s.got(); got != "canary-wrong canary-right" {
				t.Errorf("the server was sent %s", got)
			}
			// One that was right once.
			s.want("canary-newer")
			if restarted() {
				t.Fatal("the old password works")
			}
			forget()
			await(t, "the newer password is asked for", restarted)
			if got := s.got(); got != "canary-wrong canary-right canary-newer" || received(e, elicitation) != 3 {
				t.Errorf("the server was sent %s, with %d questions", got, received(e, elicitation))
			}
		})
	}
}

// Fault credentials-shared: a password for a project's server is for the definition that it was typed for.
func TestPasswordOfAProject(t *testing.T) {
	s, w := newLockedServer(t, "canary-project"), newWorld(t)
	folder := w.folder("project")
	w.config(`{"credentials": "file", "servers": {}}`)
	project := func(url string) {
		w.write(folder+"/.mcp.json", strings.Replace(withPassword("", url, "Authorization", "Bearer ${input:key}"), `"credentials":"",`, "", 1))
	}
	project(s.URL)
	e := w.attach(w.types("canary-project"), "locked")

	// A file that has changed does not get what was typed before, though its owner allows it.
	thief := newLockedServer(t, "canary-stolen")
	project(thief.URL)
	question(e, 2)
	await(t, "the new definition is asked for its password", func() bool { return received(e, elicitation) == 2 })
	await(t, "nobody types it", func() bool { return server(e, "locked").State == "failed" })
	w.endDaemon(syscall.SIGKILL, e)
	e = w.attach(w.types())
	await(t, "the next daemon asks", func() bool { return received(e, elicitation) == 1 && server(e, "locked").State == "failed" })
	if got := thief.got(); got != "" {
		t.Errorf("another server was sent %s", got)
	}
	project(s.URL)
	await(t, "the first definition has its password", func() bool { return server(e, "locked").State == "ready" })
	if got := s.got(); got != "canary-project" || received(e, elicitation) != 1 {
		t.Errorf("the server was sent %s, with %d questions", got, received(e, elicitation))
	}
}
