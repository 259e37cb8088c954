package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// Who waits for a slow server is told which one it is, once.
func TestWaitsFor(t *testing.T) {
	for _, test := range []struct {
		name  string
		takes time.Duration
		json  bool
		asked bool // the user is answering a question
		want  string
	}{
		{name: "a quick start", takes: slowStart - 1},
		{name: "a slow start", takes: 3 * slowStart, want: "waiting for \"a\\u202e\" to start…\n"},
		{name: "for a program", takes: 3 * slowStart, json: true},
		{name: "while the user answers", takes: 3 * slowStart, asked: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stderr bytes.Buffer
				s := &session{app: &app{json: test.json, stderr: &stderr}}
				if test.asked {
					s.terminal = newTerminal(&stderr, nil)
					if _, err := s.terminal.ask(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				over := s.waitsFor("a\u202e")
				time.Sleep(test.takes) // of the bubble
				synctest.Wait()
				over()
				if got := stderr.String(); got != test.want {
					t.Errorf("it says %q, want %q", got, test.want)
				}
			})
		})
	}
}

// What takes long is said in a terminal, unless there is a progress or a question, and goes when it is over.
func TestBusy(t *testing.T) {
	for _, test := range []struct {
		name  string
		takes time.Duration
		title string // of the progress that the server tells
		asked bool   // the user is answering a question
		want  string
	}{
		{name: "a quick call", takes: slowStart - 1},
		{name: "a slow call", takes: 3 * slowStart, want: "calling\\n…\r\x1b[K"},
		{name: "a slow call with progress", takes: 3 * slowStart, title: "half", want: "half\r\x1b[K"},
		{name: "while the user answers", takes: 3 * slowStart, asked: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				terminal := newTerminal(&out, nil)
				if test.asked {
					if _, err := terminal.ask(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				over := terminal.busy("calling\n…")
				if test.title != "" {
					terminal.progress(editorapi.WorkDone{Title: test.title})
				}
				time.Sleep(test.takes) // of the bubble
				synctest.Wait()
				over()
				terminal.clear()
				if got := out.String(); got != test.want {
					t.Errorf("it shows %q, want %q", got, test.want)
				}
			})
		})
	}
}
