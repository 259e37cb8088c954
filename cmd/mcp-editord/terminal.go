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
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// maxStatus is how many characters of a progress are shown. It must fit on one line of the terminal,
// so that the next one can overwrite it.
const maxStatus = 70

// A terminal talks to the user in front of the program, on standard error. Standard output is only
// for results. Text from servers is made safe before it gets here.
type terminal struct {
	out io.Writer
	fd  int // of standard input
	in  *bufio.Reader

	asking chan struct{} // has a value while a question is open: one at a time

	// pending takes the line that is being read; nil when none is. Who asks has it.
	pending chan inputLine

	mu     sync.Mutex // guards out and the fields that follow
	status bool       // the current line shows a progress
	asked  bool       // a question is open: show no progress
}

type inputLine struct {
	text string
	err  error
}

// terminal returns the terminal, nil when standard error is not one.
func (a *app) terminal() *terminal {
	out, ok := a.stderr.(*os.File)
	if !ok || !isTerminal(int(out.Fd())) {
		return nil
	}
	in, ok := a.stdin.(*os.File)
	if !ok || !isTerminal(int(in.Fd())) {
		return newTerminal(out, nil)
	}
	t := newTerminal(out, in)
	t.fd = int(in.Fd())
	return t
}

// newTerminal returns a terminal that reads from in, or nothing when in is nil.
func newTerminal(out io.Writer, in io.Reader) *terminal {
	t := &terminal{out: out, asking: make(chan struct{}, 1)}
	if in != nil {
		t.in = bufio.NewReader(in)
	}
	return t
}

// answers reports whether the user can answer questions.
func (t *terminal) answers() bool { return t != nil && t.in != nil }

// progress shows the progress of the one call that is under way.
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

// clear removes the progress.
func (t *terminal) clear() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.erase()
}

// erase removes the progress. t.mu is held.
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

// remark writes a line, unless a question is open, and reports whether it did.
func (t *terminal) remark(line string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.asked {
		t.erase()
		fmt.Fprintln(t.out, line)
	}
	return !t.asked
}

// ask waits until no other question is open, begins a conversation and returns the function that ends
// it. If ctx ends first, ask fails with its error.
func (t *terminal) ask(ctx context.Context) (done func(), err error) {
	select {
	case t.asking <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.erase()
	t.asked = true
	return func() {
		t.mu.Lock()
		t.asked = false
		t.mu.Unlock()
		<-t.asking
	}, nil
}

// readLine prompts, and returns the next line that the user types. It does not show a secret one. io.EOF
// means Ctrl-D on an empty line. Only who asks may read.
func (t *terminal) readLine(ctx context.Context, prompt string, secret bool) (string, error) {
	if secret {
		show, err := hideInput(t.fd)
		if err != nil {
			return "", fmt.Errorf("hiding what you type: %w", err)
		}
		defer func() {
			show()
			t.say("\n")
		}()
	}
	t.say(prompt) // nobody types a secret before it is hidden
	if t.pending == nil {
		// Nothing interrupts a read of a terminal. When ctx ends first, the next readLine
		// gets the line, or the read ends with the process.
		pending := make(chan inputLine, 1)
		t.pending = pending
		go func() {
			text, err := readTyped(t.in)
			pending <- inputLine{text, err}
		}()
	}
	select {
	case line := <-t.pending:
		t.pending = nil
		if line.err != nil && (line.text == "" || !errors.Is(line.err, io.EOF)) {
			return "", line.err
		}
		return strings.TrimRight(line.text, "\r"), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// The keys that a terminal handles itself while it shows what is typed (stty(1): eof, erase, kill).
const (
	keyEnd       = 'D' - '@'
	keyEndBefore = 0 // what Linux makes of a keyEnd that was typed before it hides what is typed
	keyBackspace = '\b'
	keyDelete    = 0x7f
	keyKill      = 'U' - '@'
)

// readTyped reads a line without its end. io.EOF with no text means Ctrl-D on an empty line. It handles the keys
// that a terminal leaves to the program while it hides what is typed.
func readTyped(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		b, err := in.ReadByte()
		switch {
		case err != nil:
			return string(line), err
		case b == '\n':
			return string(line), nil
		case b == keyEnd || b == keyEndBefore:
			if len(line) == 0 {
				return "", io.EOF
			}
		case b == keyBackspace || b == keyDelete:
			_, n := utf8.DecodeLastRune(line)
			line = line[:len(line)-n]
		case b == keyKill:
			line = line[:0]
		default:
			line = append(line, b)
		}
	}
}

// insist asks a question to which only the whole word "yes" says yes: one stray key must not.
func (t *terminal) insist(ctx context.Context, question string) (bool, error) {
	done, err := t.ask(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	line, err := t.readLine(ctx, question+"\nType yes to allow it: ", false)
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
