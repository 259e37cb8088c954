//go:build linux || darwin

package editors

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The size of a terminal, in cells.
const columns, rows = 110, 36

// terminal is a program in a tmux of its own, as a person sees it.
type terminal struct {
	w      *world
	tmux   string // the program
	socket string
}

// terminal runs a program in a new terminal, in the workspace folder. env is added to that of the world.
func (w *world) terminal(env []string, argv ...string) *terminal {
	w.t.Helper()
	name := fmt.Sprintf("tmux%d.sock", len(w.terminals))
	x := &terminal{w: w, tmux: program(w.t, "tmux"), socket: filepath.Join(w.dir, "run", name)}
	command := "exec env"
	for _, word := range slices.Concat(env, argv) {
		command += " '" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	start := []string{
		// Its screen stays when the program ends.
		"set-option", "-g", "remain-on-exit", "on", ";",
		"set-option", "-g", "status", "off", ";",
		"set-option", "-g", "default-terminal", "tmux-256color", ";",
		"new-session", "-d", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows), command,
	}
	w.terminals = append(w.terminals, x)
	if out, err := x.do(append([]string{"start-server", ";"}, start...)...); err != nil {
		w.t.Fatalf("starting %q in tmux: %v\n%s", argv, err, out)
	}
	return x
}

// do has tmux do something.
func (x *terminal) do(args ...string) (string, error) {
	cmd := exec.Command(x.tmux, append([]string{"-u", "-S", x.socket, "-f", "/dev/null"}, args...)...)
	cmd.Env, cmd.Dir = x.w.env(), x.w.folder
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// look returns the screen, and whether the program runs.
func (x *terminal) look() (screen string, runs bool) {
	out, err := x.do("display-message", "-p", "#{pane_dead}", ";", "capture-pane", "-p")
	dead, screen, _ := strings.Cut(out, "\n")
	return strings.TrimRight(screen, "\n "), err == nil && dead == "0"
}

// see waits until the screen shows each of texts, all at once, and returns it. It fails the test when that
// never comes, at once when the program has ended.
func (x *terminal) see(texts ...string) string {
	x.w.t.Helper()
	return x.until(fmt.Sprintf("the screen never showed %q", texts), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// gone waits until the screen no longer shows a text.
func (x *terminal) gone(text string) {
	x.w.t.Helper()
	x.until(fmt.Sprintf("the screen never stopped showing %q", text), func(screen string) bool { return !strings.Contains(screen, text) })
}

// until waits until what the screen shows holds. failure says that it never did.
func (x *terminal) until(failure string, holds func(screen string) bool) string {
	x.w.t.Helper()
	var screen string
	runs := true
	met := await(func() bool {
		screen, runs = x.look()
		return holds(screen) || !runs
	})
	switch {
	case !runs && !holds(screen):
		x.w.t.Fatalf("the editor has ended, and %s", failure)
	case !met:
		x.w.t.Fatal(failure)
	}
	return screen
}

// keys presses keys by their names in tmux, such as Enter, Escape or C-a.
func (x *terminal) keys(keys ...string) {
	x.w.t.Helper()
	if out, err := x.do(append([]string{"send-keys"}, keys...)...); err != nil {
		x.w.t.Fatalf("pressing %q: %v\n%s", keys, err, out)
	}
}

// insist does what a person does until the screen shows a text, and again when it does not show it soon: a busy editor
// loses keys.
func (x *terminal) insist(text string, do func()) {
	x.w.t.Helper()
	for range 8 {
		do()
		if awaitFor(patience/8, func() bool { screen, _ := x.look(); return strings.Contains(screen, text) }) {
			return
		}
	}
	x.see(text)
}

// types types a text.
func (x *terminal) types(text string) {
	x.w.t.Helper()
	if out, err := x.do("send-keys", "-l", text); err != nil {
		x.w.t.Fatalf("typing %q: %v\n%s", text, err, out)
	}
}

// close closes the terminal, which ends the editor.
func (x *terminal) close() {
	_, _ = x.do("kill-server") // it may have ended
}

// number reads a number, 0 when it is none.
func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
