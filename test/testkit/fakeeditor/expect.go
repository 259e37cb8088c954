package fakeeditor

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// patience is how long any wait lasts before the test fails. It only ends what hangs, and is
// not part of what is tested.
const patience = 2 * time.Minute

// maxRecent is how many messages of the conversation a failure prints.
const maxRecent = 40

// Expect waits for something. It calls check with the conversation so far, at once and again after
// each message received, and check says whether what is expected has come. When that can no longer
// come, check says in never what came instead, and the test fails at once. The test also fails when
// the connection ends, and when check is not met within two minutes.
func (e *Editor) Expect(what string, check func(conversation []Message) (met bool, never string)) {
	e.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		e.mu.Lock()
		messages, changed, err := e.messages, e.changed, e.err
		e.mu.Unlock()
		met, never := check(messages)
		switch {
		case met:
			return
		case never != "":
			e.Fatalf("waiting for %s, which can no longer come: %s", what, never)
		case err != nil:
			e.Fatalf("waiting for %s, which can no longer come: the connection has ended: %v", what, err)
		}
		select {
		case <-changed:
		case <-deadline.C:
			e.Fatalf("waiting for %s, which did not come within %v", what, patience)
		}
	}
}

// Await returns the first message received, before now or later, for which matches is true. It
// must come before any of the requests in before is answered.
func (e *Editor) Await(what string, matches func(Message) bool, before ...*Pending) (found Message) {
	e.t.Helper()
	seen := 0
	e.Expect(what, func(conversation []Message) (met bool, never string) {
		for ; seen < len(conversation); seen++ {
			m := conversation[seen]
			if m.Sent {
				continue
			}
			if matches(m) {
				found = m
				return true, ""
			}
			if i := slices.IndexFunc(before, func(p *Pending) bool { return p.answer(m) }); i >= 0 {
				return false, fmt.Sprintf("%s was answered: %s", before[i], m)
			}
		}
		return false, ""
	})
	return found
}

// AwaitMethod awaits the first request or notification of that method, which must come before any
// of the requests in before is answered.
func (e *Editor) AwaitMethod(method string, before ...*Pending) Message {
	e.t.Helper()
	return e.Await(method, func(m Message) bool { return m.Method == method }, before...)
}

// AwaitEnd waits until the daemon has closed the connection.
func (e *Editor) AwaitEnd() {
	e.t.Helper()
	select {
	case <-e.done:
	case <-time.After(patience):
		e.Fatalf("waiting for the end of the connection, which did not come within %v", patience)
	}
}

// Fatalf fails the test and prints the end of the conversation.
func (e *Editor) Fatalf(format string, args ...any) {
	e.t.Helper()
	e.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), e.Recent())
}

// Recent returns the end of the conversation as text.
func (e *Editor) Recent() string {
	messages := e.Messages()
	recent := messages[max(0, len(messages)-maxRecent):]
	var text strings.Builder
	fmt.Fprintf(&text, "the last %d of %d messages:\n", len(recent), len(messages))
	for _, m := range recent {
		fmt.Fprintln(&text, m)
	}
	return text.String()
}
