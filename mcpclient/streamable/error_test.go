package streamable

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Fault http-refused: every status has a reason of its own, and Retry-After is passed on.
func TestStatus(t *testing.T) {
	for _, tt := range []struct {
		name       string
		status     int
		body       string
		kind       wire.Kind
		part       string
		retryAfter time.Duration // the server says 7 s when it is not 0
		ends       bool
	}{
		{"unauthorized", 401, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`, wire.KindUnauthorized, "credentials", 0, true},
		{"forbidden", 403, `no`, wire.KindHTTP, "may do this", 0, false},
		{"bad request", 400, `no`, wire.KindHTTP, "headers", 0, false},
		{"not allowed", 405, ``, wire.KindHTTP, "check the url", 0, false},
		{"too many requests", 429, `slow down`, wire.KindHTTP, "wait 7 seconds", 7 * time.Second, false},
		{"unavailable", 503, ``, wire.KindHTTP, "wait 7 seconds", 7 * time.Second, false},
		{"broken", 500, ``, wire.KindHTTP, "try again later or look into its log", 0, false},
		{"nowhere", 300, ``, wire.KindHTTP, "300", 0, false},
		{"the session is unknown", 404, ``, wire.KindSessionLost, "opened again", 0, true},
		{"the session is unknown, in JSON-RPC", 404, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"x"}}`, wire.KindSessionLost, "opened again", 0, true},
		{"the session is unknown, by 400", 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: no valid Session ID"}}`, wire.KindSessionLost, "opened again", 0, true},
		{"the server was started anew, by 400", 400, `Server Not Initialized`, wire.KindSessionLost, "opened again", 0, true},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			w := dialTest(t, noStream(func(w http.ResponseWriter, q asked) {
				if q.id == "6" {
					reply(w, q, `"result":{}`)
					return
				}
				if tt.retryAfter != 0 {
					w.Header().Set("Retry-After", "7")
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}))
			w.open()
			w.send(5, "tools/call", `{}`)
			e := w.wantError(tt.kind)
			if !strings.Contains(e.Message, tt.part) || !strings.Contains(e.Message, "server.test") || !strings.Contains(e.Message, strconv.Itoa(tt.status)) || e.Detail != strconv.Itoa(tt.status) {
				t.Errorf("got %q, detail %q", e.Message, e.Detail)
			}
			if e.RetryAfter != tt.retryAfter {
				t.Errorf("Retry-After is %v", e.RetryAfter)
			}
			if tt.ends {
				w.wantEnd(tt.kind)
			} else {
				w.send(6, "tools/call", `{}`)
				w.wantNext("result 6 {}")
			}
			if n := len(w.requests(http.MethodPost, "tools/call")); n > 2 {
				t.Errorf("%d calls were sent", n)
			}
		})
	}
}

// A notification that is refused is logged; one that tells of the end is the end.
func TestNotificationRefused(t *testing.T) {
	for _, tt := range []struct {
		status int
		end    wire.Kind // "" for none
	}{{400, ""}, {500, ""}, {401, wire.KindUnauthorized}, {404, wire.KindSessionLost}} {
		bubble(t, strconv.Itoa(tt.status), func(t *testing.T) {
			w := dialTest(t, noStream(func(w http.ResponseWriter, q asked) { w.WriteHeader(tt.status) }))
			w.open()
			w.notify("notifications/roots/list_changed", `{}`)
			synctest.Wait()
			if text := strings.Join(w.log.Lines(), "\n"); !strings.Contains(text, "notifications/roots/list_changed was not taken") {
				t.Errorf("logged %q", text)
			}
			if tt.end != "" {
				w.wantEnd(tt.end)
			} else if err := w.failure(); err != nil {
				t.Errorf("the wire ended: %v", err)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		value string
		want  time.Duration
	}{
		{"", 0}, {"0", 0}, {"7", 7 * time.Second}, {"-7", 0}, {"7.5", 0}, {"soon", 0},
		{"3601", time.Hour}, {"18446744073709551615", time.Hour}, {"99999999999999999999", time.Hour}, {"99999999999999999999x", 0}, {"-99999999999999999999", 0}, {"+7", 0},
		{"Tue, 28 Jul 2026 12:00:30 GMT", 30 * time.Second},
		{"Tue, 28 Jul 2026 11:00:00 GMT", 0}, {"Wed, 29 Jul 2026 12:00:00 GMT", time.Hour},
		{"Fri, 31 Dec 9999 23:59:59 GMT", time.Hour}, {"Mon, 01 Jan 0001 00:00:00 GMT", 0}, {"Wed, 99 Jul 2026 12:00:00 GMT", 0},
	} {
		if got := retryAfter(tt.value, now); got != tt.want {
			t.Errorf("%q is %v, want %v", tt.value, got, tt.want)
		}
	}
}

// Fault http-refused: no connection. Each reason says what it is, the request learns of it, and
// the wire ends.
func TestUnreachable(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	fails := func(err error) func(*conn) {
		return func(w *conn) {
			w.transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
			}
		}
	}
	trust := func(name string, now time.Time) func(*conn) {
		return func(w *conn) {
			pool := x509.NewCertPool()
			pool.AddCert(secure.Certificate())
			w.transport.TLSClientConfig = &tls.Config{RootCAs: pool, ServerName: name, Time: func() time.Time { return now }}
		}
	}
	for _, tt := range []struct {
		name   string
		url    string
		change func(*conn)
		part   string
	}{
		{"nothing listens", closed.URL, nil, "nothing listens at 127.0.0.1:"},
		{"no such name", "https://server.test/?key=secret", fails(&net.DNSError{Err: "no such host", Name: "server.test", IsNotFound: true}), "the name \"server.test\" is not known"},
		{"no name server", "https://server.test/?key=secret", fails(&net.DNSError{Err: "server misbehaving", Name: "server.test"}), "cannot be looked up"},
		{"nobody answers", "https://server.test/?key=secret", fails(context.DeadlineExceeded), "does not take a connection in time"},
		{"no route", "https://server.test/?key=secret", fails(errors.New("no route to host")), "no route to host"},
		{"a certificate of nobody", secure.URL, nil, "is not trusted"},
		{"a certificate for another", secure.URL, trust("other.test", time.Now()), "is for another name"},
		{"an old certificate", secure.URL, trust("example.com", time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)), "is not valid at this time"},
		{"no TLS", strings.Replace(plain.URL, "http:", "https:", 1), nil, "does not speak TLS"},
		{"the proxy", "http://server.test/?key=secret", func(w *conn) {
			fails(errors.New("no route to host"))(w)
			w.transport.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse("http://user:secret@proxy.test") }
		}, "the proxy for server.test cannot be reached"},
		{"the settings of the proxy", "http://server.test/?key=secret", nil, "the proxy settings for server.test cannot be used"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			test := dialReal(t, Dialer{URL: tt.url, Proxy: func(*http.Request) (*url.URL, error) {
				if tt.name == "the settings of the proxy" {
					return nil, errors.New("http://user:secret@")
				}
				return nil, nil
			}})
			if tt.change != nil {
				tt.change(test.conn)
			}
			test.send(5, "tools/call", modernCall(`"name":"x"`))
			if e := test.wantError(wire.KindUnreachable); !strings.Contains(e.Message, tt.part) {
				t.Errorf("got %q, want %q", e.Message, tt.part)
			}
			test.wantEnd(wire.KindUnreachable)
		})
	}
}

// The transport speaks HTTP/2 where the server does, and a call of 2026-07-28 is
// cancelled there too.
func TestHTTP2(t *testing.T) {
	told := make(chan string, 2)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		told <- r.Proto
		openStream(w, aNotification)
		<-r.Context().Done()
		told <- "let go"
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	test := dialReal(t, Dialer{URL: server.URL})
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	test.transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	test.send(5, "tools/call", modernCall(`"name":"x"`))
	test.wantNext("request null notifications/x {}")
	test.notify(wire.MethodCancelled, `{"requestId":5}`)
	for _, want := range []string{"HTTP/2.0", "let go"} {
		if got := <-told; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// Fault http-redirect: a redirect to another server is refused, and gets nothing of ours: no header
// and no access token.
func TestRedirect(t *testing.T) {
	for _, tt := range []struct {
		name     string
		status   int
		location string
		followed bool
	}{
		{"on the same server", 307, "/other", true},
		{"for good", 308, "http://server.test:80/other", true},
		{"to TLS", 307, "https://server.test/other", true},
		{"to TLS at another port", 307, "https://server.test:8443/other", false},
		{"moved", 301, "/other", false},
		{"found", 302, "/other", false},
		{"see other", 303, "/other", false},
		{"to another port", 307, "http://server.test:81/other", false},
		{"to this machine", 307, "http://127.0.0.1/other", false},
		{"to the cloud's own", 308, "http://169.254.169.254/other", false},
		{"to another name", 307, "https://sub.server.test/other", false},
		{"to no HTTP", 307, "file:///etc/passwd", false},
		{"in a circle", 307, "/mcp", false},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			hosts := map[string]int{}
			auth := &fakeAuth{token: "secret-1"}
			w := dialTest(t, func(w http.ResponseWriter, q asked) { panic("replaced") }, auth.use)
			w.client.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
				rec := httptest.NewRecorder()
				hosts[r.URL.Scheme+"://"+r.URL.Host]++
				body, _ := io.ReadAll(r.Body)
				switch {
				case r.URL.Path != "/other":
					rec.Header().Set("Location", tt.location)
					rec.WriteHeader(tt.status)
				case r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer secret-1" || len(body) == 0:
					rec.WriteHeader(http.StatusTeapot)
				default:
					rec.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(rec, `{"jsonrpc":"2.0","id":5,"result":{}}`)
				}
				return rec.Result(), nil
			})
			w.send(5, "tools/call", modernCall(`"name":"x"`))
			if tt.followed {
				w.wantNext("result 5 {}")
				return
			}
			e := w.wantError(wire.KindHTTP)
			if e.Detail != strconv.Itoa(tt.status) || !strings.Contains(e.Message, "server.test redirects to ") {
				t.Errorf("got %q, detail %q", e.Message, e.Detail)
			}
			if to, err := url.Parse(tt.location); err == nil && !strings.Contains(e.Message, to.Host) {
				t.Errorf("%q does not name %s", e.Message, to.Host)
			}
			if len(hosts) != 1 || hosts["http://server.test"] > 1+maxRedirects {
				t.Errorf("asked were %v", hosts)
			}
		})
	}
}

// What TestRedirect does not have.
func TestSameServer(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		want     bool
	}{
		{"https://a.test", "https://A.test:443", true},
		{"https://a.test", "http://a.test", false},
		{"https://a.test", "https://a.test.evil.test", false},
		{"http://a.test", "https://b.test", false},
		{"http://a.test:80", "https://a.test:443", true},
		{"http://a.test:8080", "https://a.test", false},
		{"http://a.test:8080", "https://a.test:8080", false},
	} {
		from, _ := url.Parse(tt.from)
		to, _ := url.Parse(tt.to)
		if got := sameServer(from, to); got != tt.want {
			t.Errorf("%s to %s: %v", from, to, got)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
