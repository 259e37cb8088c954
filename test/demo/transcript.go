package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

const (
	width = 150     // characters of a message that are shown
	stand = "$DEMO" // stands for the temporary directory
)

// A transcript is what the demonstration prints. It is safe for concurrent use.
type transcript struct {
	dir string

	mu    sync.Mutex // guards the fields that follow
	to    io.Writer
	steps int
}

func newTranscript(to io.Writer, dir string) *transcript {
	t := &transcript{dir: dir, to: to}
	t.printf("mcp-editord is one daemon between your editors and your MCP servers.\n%s is %s; --> goes to the daemon, <-- comes from it.\n", stand, dir)
	return t
}

// step prints the title of the next step.
func (t *transcript) step(title string) {
	t.mu.Lock()
	t.steps++
	number := t.steps
	t.mu.Unlock()
	t.printf("\n%d. %s\n", number, title)
}

// run prints a command.
func (t *transcript) run(command string) { t.line("  $ ", command) }

// sent and received print one message between an editor and the daemon: its method ("" for
// an answer) and its params or result (nil for none).
func (t *transcript) sent(method string, value any)     { t.line("  --> ", method+" "+compact(value)) }
func (t *transcript) received(method string, value any) { t.line("  <-- ", method+" "+compact(value)) }

// note prints what was found.
func (t *transcript) note(format string, args ...any) { t.line("      ", fmt.Sprintf(format, args...)) }

func (t *transcript) line(mark, text string) {
	text = strings.ReplaceAll(strings.TrimSpace(text), t.dir, stand)
	t.printf("%s%s\n", mark, safetext.Line(text, width))
}

func (t *transcript) printf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.to, format, args...)
}

// compact returns value as one line of JSON, "" for nil.
func compact(value any) string {
	if value == nil {
		return ""
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err.Error()
	}
	return b.String()
}
