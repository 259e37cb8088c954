package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// A desk is a terminal, with somebody who types.
type desk struct {
	t        *testing.T
	keyboard *os.File
	tty      *os.File
	screen   *transcript // without what the terminal echoes
	terminal *terminal
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, screen: newTranscript()}
	d.keyboard, d.tty = openTerminal(t)
	t.Cleanup(func() { d.tty.Close() })
	d.terminal = onKeyboard(d.screen, d.tty)
	return d
}

func (d *desk) typeIn(text string) {
	d.t.Helper()
	if _, err := io.WriteString(d.keyboard, text); err != nil {
		d.t.Fatal(err)
	}
}

// echoed waits until the terminal shows what was typed, as it does before a program can read it.
func (d *desk) echoed(text string) {
	d.t.Helper()
	shown := make([]byte, len(text))
	if _, err := io.ReadFull(d.keyboard, shown); err != nil || string(shown) != text {
		d.t.Fatalf("the terminal shows %q, %v", shown, err)
	}
}

type outcome struct {
	answer any
	err    error
}

// ask has a server ask a question, and returns once the n-th prompt is there.
func (d *desk) ask(ctx context.Context, form string, n int) <-chan outcome {
	d.t.Helper()
	ended := make(chan outcome, 1)
	go func() {
		answer, err := d.terminal.elicit(ctx, editorapi.Question{Server: "srv", Params: json.RawMessage(form)})
		ended <- outcome{answer, err}
	}()
	d.screen.await(d.t, "  > ", n)
	return ended
}

const (
	textForm   = `{"message":"m","requestedSchema":{"properties":{"p":{"type":"string"}}}}`
	secretForm = `{"message":"m","requestedSchema":{"properties":{"p":{"type":"string"},"q":{"type":"string"}}},"_meta":{"mcp-editord/input":{"password":true}}}`
)

// Promise 11: what was typed before a question was on the screen is no answer to it.
func TestPromise11TypedBefore(t *testing.T) {
	for _, test := range []struct{ name, typed, echo string }{
		{"a line", "before\n", "before\r\n"},
		{"several lines", "before\nand\n", "before\r\nand\r\n"},
		{"half a line", "before", "before"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t)
			d.typeIn(test.typed)
			d.echoed(test.echo)
			ended := d.ask(t.Context(), textForm, 1)
			d.typeIn("after\n")
			o := <-ended
			if o.err != nil || string(o.answer.(elicitResult).Content["p"]) != `"after"` {
				t.Errorf("got %v, %v", o.answer, o.err)
			}
		})
	}
}

// Promise 11: what was typed for a question that was withdrawn goes nowhere, and the screen says so.
func TestPromise11Withdrawn(t *testing.T) {
	for _, test := range []struct {
		name, form, typed string
		prompts           int
	}{
		{"nothing typed", textForm, "", 1},
		{"half a line", textForm, "hunter2-half", 1},
		{"half a password, after another one", secretForm, "hunter1\nhunter2-half", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t)
			ctx, withdraw := context.WithCancel(t.Context())
			ended := d.ask(ctx, test.form, 1)
			d.typeIn(test.typed)
			if test.form == textForm {
				d.echoed(test.typed)
			}
			d.screen.await(t, "  > ", test.prompts)
			withdraw()
			if o := <-ended; !errors.Is(o.err, context.Canceled) {
				t.Fatalf("withdrawn: %v, %v", o.answer, o.err)
			}
			d.screen.await(t, "the question was withdrawn; what you typed for it goes nowhere", 1)
			if mode, err := unix.IoctlGetTermios(int(d.tty.Fd()), unix.TCGETS); err != nil || mode.Lflag&unix.ECHO == 0 || mode.Lflag&unix.ICANON == 0 {
				t.Errorf("the terminal is left with the flags %#x, %v", mode.Lflag, err)
			}
			d.typeIn("-too-late\n")
			d.echoed("-too-late\r\n")
			ended = d.ask(t.Context(), textForm, test.prompts+1)
			d.typeIn("next\n")
			o := <-ended
			if o.err != nil || string(o.answer.(elicitResult).Content["p"]) != `"next"` {
				t.Errorf("the next one: %v, %v", o.answer, o.err)
			}
		})
	}
}
