package fakeeditor

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// recorder is a testing.TB that records how the test failed.
type recorder struct {
	testing.TB
	failure string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failure = fmt.Sprintf(format, args...)
	panic(r)
}

// failureOf returns how f fails the test of r.
func failureOf(r *recorder, f func()) (failure string) {
	defer func() {
		if v := recover(); v != nil && v != any(r) {
			panic(v)
		}
		failure = r.failure
	}()
	f()
	return ""
}

// A wait ends as soon as what it waits for is there or can no longer come, and no sooner.
func TestWaits(t *testing.T) {
	const told, answered = `{"jsonrpc":"2.0","method":"told","params":%d}`, `{"jsonrpc":"2.0","id":1,"result":"instead"}`
	for _, tt := range []struct {
		name  string
		says  []string // the daemon, a second apart, while the editor waits
		ends  bool     // the connection, after that
		wait  func(e *Editor, call *Pending)
		want  []string // texts of the failure; nil when the wait succeeds
		after time.Duration
	}{
		{"comes", []string{told, told, told}, false, func(e *Editor, _ *Pending) {
			e.Await("the third", func(m Message) bool { return string(m.Params) == "3" })
		}, nil, 3 * time.Second},
		{"comes before the answer", []string{told, answered}, false, func(e *Editor, call *Pending) {
			e.AwaitMethod("told", call)
		}, nil, time.Second},
		{"the request is answered", []string{told, answered, told}, false, func(e *Editor, call *Pending) {
			e.AwaitMethod("question", call)
		}, []string{"waiting for question, which can no longer come: request 1 (call) was answered: <-- " + answered, "the last 3 of 3 messages"}, 2 * time.Second},
		{"the connection ends", []string{told}, true, func(e *Editor, call *Pending) {
			_, _ = call.Wait() // it fails the test
		}, []string{"waiting for the answer to request 1 (call), which can no longer come: the connection has ended: EOF", fmt.Sprintf("<-- "+told, 1)}, 2 * time.Second},
		{"something else came", []string{told, told, told}, false, func(e *Editor, _ *Pending) {
			e.Expect("never two", func(conversation []Message) (bool, string) {
				if n := len(conversation); n == 3 { // the call among them
					return false, "there are two"
				}
				return false, ""
			})
		}, []string{"waiting for never two, which can no longer come: there are two"}, 2 * time.Second},
		{"nothing comes", []string{told}, false, func(e *Editor, _ *Pending) {
			e.AwaitMethod("question")
		}, []string{"waiting for question, which did not come within 2m0s"}, patience},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				r := &recorder{TB: t}
				e := New(r, near, Options{})
				var daemon sync.WaitGroup
				defer daemon.Wait()
				defer e.Vanish()
				daemon.Go(func() {
					buffer := make([]byte, 1000)
					_, _ = far.Read(buffer) // the call
					for i, message := range tt.says {
						time.Sleep(time.Second) // of the test's clock
						if strings.Contains(message, "%d") {
							message = fmt.Sprintf(message, i+1)
						}
						if _, err := far.Write(Frame([]byte(message))); err != nil {
							return // the editor has gone
						}
					}
					if tt.ends {
						time.Sleep(time.Second) // of the test's clock
						far.Close()
					}
				})
				call := e.Start("call", nil)
				began := time.Now()
				failure := failureOf(r, func() { tt.wait(e, call) })
				if took := time.Since(began); took != tt.after {
					t.Errorf("it took %v, want %v", took, tt.after)
				}
				if tt.want == nil && failure != "" {
					t.Errorf("the wait failed: %s", failure)
				}
				for _, want := range tt.want {
					if !strings.Contains(failure, want) {
						t.Errorf("the failure lacks %q:\n%s", want, failure)
					}
				}
			})
		})
	}
}
