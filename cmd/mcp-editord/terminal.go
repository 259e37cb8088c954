package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// maxStatus is how many characters of a progress are shown: it must fit on one
// line of the terminal, which is written over.
const maxStatus = 70

// A terminal is the person in front of the program. What is for the person goes
// to standard error; standard output is the result's. Text from servers is made
// safe before it gets here.
type terminal struct {
	out io.Writer
	fd  int // of standard input
	in  *bufio.Reader

	asking sync.Mutex // held by who asks: one question at a time

	// pending takes the line that is being read; nil when none is. Guarded by asking.
	pending chan inputLine

	mu     sync.Mutex // guards out and the fields that follow
	status bool       // a progress stands on the current line
	asked  bool       // a question does: no progress is shown
}

type inputLine struct {
	text string
	err  error
}

// terminal returns the person, nil when standard error is no terminal.
func (a *app) terminal() *terminal {
	out, ok := a.stderr.(*os.File)
	if !ok || !isTerminal(int(out.Fd())) {
		return nil
	}
	t := &terminal{out: out}
	if in, ok := a.stdin.(*os.File); ok && isTerminal(int(in.Fd())) {
		t.fd, t.in = int(in.Fd()), bufio.NewReader(in)
	}
	return t
}

// answers tells whether the person can be asked.
func (t *terminal) answers() bool { return t != nil && t.in != nil }

// progress shows how far the one call is that is under way.
func (t *terminal) progress(w editorapi.WorkDone) {
	if w.Kind == editorapi.WorkDoneEnd {
		t.clear()
		return
	}
	var parts []string
	if w.Percentage != nil {
		parts = append(parts, fmt.Sprintf("%d %%", *w.Percentage))
	}
	for _, text := range []string{w.Title, w.Message} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.asked {
		t.erase()
		fmt.Fprint(t.out, safetext.Line(strings.Join(parts, "  "), maxStatus))
		t.status = true
	}
}

// clear takes the progress away.
func (t *terminal) clear() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.erase()
}

// erase takes the progress away. t.mu is held.
func (t *terminal) erase() {
	if t.status {
		fmt.Fprint(t.out, "\r\x1b[K")
		t.status = false
	}
}

// say writes a text as it is.
func (t *terminal) say(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.erase()
	fmt.Fprint(t.out, text)
}

// ask begins a conversation and returns the function that ends it.
func (t *terminal) ask() (done func()) {
	t.asking.Lock()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.erase()
	t.asked = true
	return func() {
		t.mu.Lock()
		t.asked = false
		t.mu.Unlock()
		t.asking.Unlock()
	}
}

// readLine returns the next line that the person types, without showing it when
// it is secret. io.EOF is Ctrl-D on an empty line. t.asking is held.
func (t *terminal) readLine(ctx context.Context, secret bool) (string, error) {
	if secret {
		show, err := hideInput(t.fd)
		if err != nil {
			return "", fmt.Errorf("hiding what is typed: %w", err)
		}
		defer func() {
			show()
			t.say("\n")
		}()
	}
	if t.pending == nil {
		// A read of a terminal cannot be interrupted: when ctx ends first, the next
		// readLine gets the line, or the end of the process ends the read.
		pending := make(chan inputLine, 1)
		t.pending = pending
		go func() {
			text, err := t.in.ReadString('\n')
			pending <- inputLine{text, err}
		}()
	}
	select {
	case line := <-t.pending:
		t.pending = nil
		if line.err != nil && (line.text == "" || !errors.Is(line.err, io.EOF)) {
			return "", line.err
		}
		return strings.TrimRight(line.text, "\r\n"), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// insist asks a question that only the whole word says yes to: no key pressed too often does.
func (t *terminal) insist(ctx context.Context, question string) (bool, error) {
	defer t.ask()()
	t.say(question + "\nType yes to allow it: ")
	line, err := t.readLine(ctx, false)
	if err != nil {
		t.say("\n")
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		return false, err
	}
	return strings.EqualFold(strings.TrimSpace(line), "yes"), nil
}

func isYes(line string) bool {
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}
