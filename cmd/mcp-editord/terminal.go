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
	"time"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// maxStatus is how many characters of a progress are shown. It must fit on one line of the terminal,
// so that the next one can overwrite it.
const maxStatus = 70

// A terminal talks to the user in front of the program, on standard error. Standard output is only
// for results. Text from servers is made safe before it gets here.
//
// What was typed before a question was on the screen answers no question: it was meant for something else.
type terminal struct {
	out  io.Writer
	keys *keyboard // nil when nobody types
	in   *bufio.Reader

	asking chan struct{} // has a value while a question is open: one at a time
	unread bool          // nothing was read for the open question yet; who asks has it

	mu     sync.Mutex // guards out and the fields that follow
	status bool       // the current line shows a progress
	asked  bool       // a question is open: show no progress
}

// A keyboard reads from a terminal. Its reads end with ctx, so that none goes on for a question that is over.
type keyboard struct {
	file *os.File
	ctx  context.Context // of the readLine under way
}

func (k *keyboard) Read(p []byte) (int, error) {
	if err := awaitInput(k.ctx, int(k.file.Fd())); err != nil {
		return 0, err
	}
	return k.file.Read(p)
}

// terminal returns the terminal, nil when standard error is not one.
func (a *app) terminal() *terminal {
	out, ok := ofTerminal(a.stderr)
	if !ok {
		return nil
	}
	if in, ok := ofTerminal(a.stdin); ok {
		return onKeyboard(out, in)
	}
	return newTerminal(out, nil)
}

// ofTerminal returns the file of a stream that is a terminal.
func ofTerminal(stream any) (*os.File, bool) {
	file, ok := stream.(*os.File)
	return file, ok && isTerminal(int(file.Fd()))
}

// onKeyboard returns a terminal that reads what is typed.
func onKeyboard(out io.Writer, in *os.File) *terminal {
	keys := &keyboard{file: in}
	t := newTerminal(out, keys)
	t.keys = keys
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

// busy says what the program does if that takes long, until over is called. A progress says more, and comes in its place.
// over removes both.
func (t *terminal) busy(what string) (over func()) {
	if t == nil {
		return func() {}
	}
	done := false // t.mu guards it
	timer := time.AfterFunc(slowStart, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !done && !t.asked && !t.status {
			fmt.Fprint(t.out, safetext.Line(what, maxStatus))
			t.status = true
		}
	})
	return func() {
		timer.Stop()
		t.mu.Lock()
		defer t.mu.Unlock()
		done = true
		t.erase()
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

// ask waits until no other question is open, begins a conversation and returns the function that ends
// it. If ctx ends first, ask fails with its error. If it ends later, what was typed so far goes nowhere.
func (t *terminal) ask(ctx context.Context) (done func(), err error) {
	select {
	case t.asking <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.erase()
	t.asked, t.unread = true, true
	return func() {
		if ctx.Err() != nil {
			t.drop()
		}
		t.mu.Lock()
		t.asked = false
		t.mu.Unlock()
		<-t.asking
	}, nil
}

// drop forgets what was typed so far.
func (t *terminal) drop() {
	if t.keys == nil {
		return
	}
	dropInput(int(t.keys.file.Fd()))
	t.in.Reset(t.keys)
}

// readLine prompts, and returns the next line that the user types. It does not show a secret one. io.EOF
// means Ctrl-D on an empty line. Only who asks may read.
func (t *terminal) readLine(ctx context.Context, prompt string, secret bool) (string, error) {
	if secret {
		show, err := hideInput(int(t.keys.file.Fd()))
		if err != nil {
			return "", fmt.Errorf("hiding what you type: %w", err)
		}
		defer func() {
			show()
			t.say("\n")
		}()
	}
	if t.unread {
		t.drop()
		t.unread = false
	}
	t.say(prompt) // nobody types a secret before it is hidden
	if t.keys != nil {
		t.keys.ctx = ctx
	}
	line, err := t.readTyped()
	if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
		return "", err
	}
	return strings.TrimRight(line, "\r"), nil
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
func (t *terminal) readTyped() (string, error) {
	var line []byte
	for {
		b, err := t.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF), err == nil && b == '\n':
			return string(line), err
		case err != nil:
			return "", err
		case b == keyEnd || b == keyEndBefore:
			if len(line) == 0 {
				return "", io.EOF
			}
		case b == keyBackspace || b == keyDelete:
			_, n := utf8.DecodeLastRune(line)
			line = line[:len(line)-n]
		case b == keyKill:
			line = nil
		default:
			line = append(line, b)
		}
	}
}

// insist asks a question to which only the whole word "yes" says yes: one stray key must not.
func (t *terminal) insist(ctx context.Context, question string) (bool, error) {
	line, err := t.put(ctx, question, "Type yes to allow it: ")
	return strings.EqualFold(strings.TrimSpace(line), "yes"), err
}

// confirm asks a question to which everything but y or yes says no.
func (t *terminal) confirm(ctx context.Context, question string) (bool, error) {
	line, err := t.put(ctx, question, " [y/N] ")
	return isYes(line), err
}

// put asks a question and returns the line that answers it; "" when the user ends the input instead.
func (t *terminal) put(ctx context.Context, question, prompt string) (string, error) {
	done, err := t.ask(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	t.say(question)
	line, err := t.readLine(ctx, prompt, false)
	if err != nil {
		t.say("\n")
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return line, err
}

func isYes(line string) bool {
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}
