package streamable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// A request is sent at most twice, whatever the Authorizer says, and fails with what it says.
func TestRefusedForItsToken(t *testing.T) {
	again := func(err error) *fakeAuth { // it says this when the request was repeated
		return &fakeAuth{token: "secret-1", refuse: func(_ context.Context, again bool) (bool, error) {
			if again {
				return false, err
			}
			return true, nil
		}}
	}
	scope := wire.Errorf(wire.KindScope, "files:write", "more is needed")
	for _, tt := range []struct {
		name   string
		status int
		body   string
		auth   *fakeAuth
		want   string // how the call ends
		detail string
		posts  int
		ends   wire.Kind // "" for not
	}{
		{"there is always another", 401, "no", saying(true, nil), "unauthorized 5", "401", 2, wire.KindUnauthorized},
		{"none of its business", 401, "no", saying(false, nil), "unauthorized 5", "401", 1, wire.KindUnauthorized},
		{"sign in", 401, "no", saying(false, signIn()), "signInNeeded 5", "", 1, wire.KindSignInNeeded},
		{"sign in, and another token", 401, "no", saying(true, signIn()), "signInNeeded 5", "", 1, wire.KindSignInNeeded},
		{"sign in after a refresh", 401, "no", again(signIn()), "signInNeeded 5", "", 2, wire.KindSignInNeeded},
		{"nobody to ask for a token", 401, "no", saying(false, wire.Errorf(wire.KindUnreachable, "", "no route")), "unreachable 5", "", 1, wire.KindUnreachable},
		{"the refresh is refused for now", 401, "no", saying(false, wire.Errorf(wire.KindHTTP, "503", "later")), "httpError 5", "503", 1, ""},
		{"an error of another kind", 401, "no", saying(false, errors.New("out of order")), "serverGone 5", "", 1, ""},
		{"forbidden", 403, "no", &fakeAuth{}, "httpError 5", "403", 1, ""},
		{"forbidden, in JSON-RPC", 403, `{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no"}}`, &fakeAuth{}, "error 5 -1 no ", "", 1, ""},
		{"forbidden for always another", 403, "no", saying(true, nil), "httpError 5", "403", 2, ""},
		{"forbidden for its scope", 403, "no", saying(false, scope), "insufficientScope 5", "files:write", 1, ""},
		{"forbidden for its scope again", 403, "no", again(scope), "insufficientScope 5", "files:write", 2, ""},
		{"not a matter of the token", 404, "no", saying(true, nil), "httpError 5", "404", 1, ""},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			w := dialTest(t, func(w http.ResponseWriter, q asked) {
				if q.id == "6" {
					reply(w, q, `"result":{}`)
					return
				}
				w.Header().Set("WWW-Authenticate", `Bearer error="secret"`)
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}, tt.auth.use)
			w.send(5, "tools/call", modernCall(`"name":"x"`))
			if strings.HasPrefix(tt.want, "error") {
				w.wantNext(tt.want)
			} else {
				kind, _, _ := strings.Cut(tt.want, " ")
				if e := w.wantError(wire.Kind(kind)); e.Detail != tt.detail {
					t.Errorf("detail %q", e.Detail)
				}
			}
			w.posts(tt.posts)
			if tt.ends != "" {
				w.wantEnd(tt.ends)
			} else {
				w.send(6, "tools/call", modernCall(`"name":"x"`))
				w.wantNext("result 6 {}")
			}
		})
	}
}

// posts checks how many POSTs there were.
func (w *testConn) posts(want int) {
	w.t.Helper()
	if n := len(w.requests(http.MethodPost, "tools/call")); n != want {
		w.t.Errorf("%d POSTs, want %d", n, want)
	}
}

// All calls that are refused for the token hear so, whichever is first; one that is being carried out
// may still be answered in the same moment.
func TestSignInNeededByTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dialTest(t, func(w http.ResponseWriter, q asked) {
			switch q.id {
			case "4":
				openStream(w)
				<-time.After(othersWait / 2)
				openStream(w, "data: "+message(q, `"result":{}`))
				return
			case "6":
				<-time.After(othersWait / 3)
			case "7":
				openStream(w) // and no answer
				<-q.ctx.Done()
				return
			}
			w.WriteHeader(http.StatusUnauthorized)
		}, saying(false, signIn()).use)
		w.send(4, "tools/call", modernCall(`"name":"x"`))
		w.send(7, "tools/call", modernCall(`"name":"x"`))
		w.send(6, "tools/call", modernCall(`"name":"x"`))
		synctest.Wait()
		w.send(5, "tools/call", modernCall(`"name":"x"`))
		w.wantError(wire.KindSignInNeeded)
		w.wantError(wire.KindSignInNeeded)
		w.wantNext("result 4 {}")
		w.wantEnd(wire.KindSignInNeeded)
		w.posts(4)
	})
}

// The standalone stream that is refused for its token is not asked for again, which the log says. The
// session goes on.
func TestStandaloneStreamRefusedForItsToken(t *testing.T) {
	for _, err := range []*wire.Error{signIn(), wire.Errorf(wire.KindScope, "listen", "more is needed")} {
		bubble(t, string(err.Kind), func(t *testing.T) {
			w := dialTest(t, inLegacy(func(w http.ResponseWriter, q asked) {
				if q.http == http.MethodPost {
					reply(w, q, `"result":{}`)
					return
				}
				w.WriteHeader(http.StatusForbidden)
			}), saying(false, err).use)
			w.open()
			<-time.After(10 * time.Minute)
			synctest.Wait()
			w.one(http.MethodGet, "")
			if text := strings.Join(w.log.Lines(), "\n"); !strings.Contains(text, "cannot speak unasked: "+err.Message) {
				t.Errorf("logged %q", text)
			}
			w.send(5, "tools/call", `{}`)
			w.wantNext("result 5 {}")
		})
	}
}

// A stream of a call that cannot be resumed, for its token or a lost session: the call may have been
// carried out, so its error says that it is not repeated.
func TestResumeRefused(t *testing.T) {
	for _, tt := range []struct {
		status int
		err    *wire.Error // of the token
		ends   wire.Kind   // "" for not
	}{
		{http.StatusUnauthorized, signIn(), wire.KindSignInNeeded},
		{http.StatusUnauthorized, wire.Errorf(wire.KindScope, "a", "more is needed"), ""},
		{http.StatusNotFound, nil, wire.KindSessionLost},
	} {
		bubble(t, fmt.Sprint(tt.status, tt.ends), func(t *testing.T) {
			w := dialTest(t, polled("id: a\ndata:", func(w http.ResponseWriter, q, call asked, n int) { w.WriteHeader(tt.status) }), saying(false, tt.err).use)
			w.open()
			synctest.Wait()
			w.send(5, "tools/call", `{}`)
			if e := w.wantError(wire.KindGone); !strings.Contains(e.Message, "not repeated") {
				t.Errorf("got %q", e.Message)
			}
			if tt.ends != "" {
				w.wantEnd(tt.ends)
			} else if err := w.failure(); err != nil {
				t.Errorf("the wire ended: %v", err)
			}
		})
	}
}

// A server of HTTP+SSE may refuse its stream for its token, whether it was found or configured.
func TestLinkRefusedForItsToken(t *testing.T) {
	for _, err := range []*wire.Error{signIn(), wire.Errorf(wire.KindScope, "a b", "more is needed")} {
		for name, change := range map[string][]func(*Dialer, *limits){"configured": {overSSE}, "found out": nil} {
			bubble(t, string(err.Kind)+" "+name, func(t *testing.T) {
				w := dialTest(t, func(w http.ResponseWriter, q asked) {
					if q.http == http.MethodGet {
						w.WriteHeader(http.StatusUnauthorized)
						return
					}
					w.WriteHeader(http.StatusMethodNotAllowed)
				}, append(change, saying(false, err).use)...)
				w.send(1, wire.MethodInitialize, `{}`)
				if e := w.wantError(wire.KindSignInNeeded); e.Message != err.Message || e.Detail != err.Detail {
					t.Errorf("got %q, detail %q", e.Message, e.Detail)
				}
				w.wantEnd(wire.KindSignInNeeded)
			})
		}
	}
}
