package fakeserver

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// mostEvents is how many unread events a stream holds.
const mostEvents = 256

// events is a response over HTTP, or the standalone stream: lines go in as they come, and
// one reader at a time takes them out as server-sent events. A kept stream can be read again
// from any of its last events on.
type events struct {
	name     string
	kept     bool
	preamble string // written before the first event of each response

	// mu guards the fields that follow.
	mu      sync.Mutex
	list    []string
	first   int // the number of list[0]
	next    int // the number of the next to be read
	reader  int // counts readers: only the last one reads
	reading bool
	ended   bool // nothing more is to come
	broken  bool // the connection breaks
	status  int  // when not 0, body is the whole response
	body    string
	changed chan struct{} // closed and replaced with every change
}

// newEvents returns an empty stream. A kept stream begins with an event without data, whose
// id makes it possible to resume the stream while it is empty.
func newEvents(name string, kept bool, retryMs int) *events {
	e := &events{name: name, kept: kept, changed: make(chan struct{})}
	if retryMs > 0 {
		e.preamble = fmt.Sprintf("retry: %d\n\n", retryMs)
	}
	if kept {
		e.list = []string{""}
	}
	return e
}

// change changes the stream and tells the reader.
func (e *events) change(do func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	do()
	close(e.changed)
	e.changed = make(chan struct{})
}

// put adds a line. When there is no room, it waits while somebody reads, and drops the line
// when nobody does.
func (e *events) put(line string) {
	for {
		e.mu.Lock()
		full := e.first+len(e.list)-e.next >= mostEvents
		wait := full && e.reading && !e.ended
		changed := e.changed
		e.mu.Unlock()
		if !wait {
			if !full {
				e.change(func() { e.list = append(e.list, line) })
			}
			return
		}
		<-changed
	}
}

// reply makes the response this JSON with this status, unless the response has begun.
func (e *events) reply(status int, body string) {
	e.change(func() { e.status, e.body = status, body })
}

func (e *events) end()   { e.change(func() { e.ended = true }) }
func (e *events) abort() { e.change(func() { e.broken = true }) }

// serve writes the stream as a response, from the event with the number from on (-1: where
// the last reader stopped), until the stream ends or the client goes. drop ends it before the
// first message. serve returns whether it wrote everything.
func (e *events) serve(w http.ResponseWriter, r *http.Request, from int, drop bool) bool {
	var me int
	e.change(func() {
		e.reader++
		me = e.reader
		e.reading = true
		if from >= 0 {
			e.next = max(from, e.first)
		}
	})
	defer e.change(func() {
		if e.reader == me {
			e.reading = false
		}
	})
	out := http.NewResponseController(w)
	begun := false
	for {
		e.mu.Lock()
		if e.reader != me {
			e.mu.Unlock()
			return false
		}
		number := e.next
		lines := slices.Clone(e.list[min(number-e.first, len(e.list)):])
		status, body, ended, broken, changed := e.status, e.body, e.ended, e.broken, e.changed
		e.mu.Unlock()

		if broken {
			panic(http.ErrAbortHandler)
		}
		if status != 0 && !begun {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = fmt.Fprint(w, body)
			return true
		}
		// The response does not begin before it must: it may still become plain JSON.
		if !begun && (len(lines) > 0 || ended || drop || e.kept || r.Method == http.MethodGet) {
			begun = true
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Cache-Control", "no-cache")
			w.WriteHeader(http.StatusOK)
			_, _ = fmt.Fprint(w, e.preamble)
		}
		if drop {
			lines = lines[:min(len(lines), 1)]
			if number > 0 || !e.kept {
				lines = nil
			}
		}
		for i, line := range lines {
			if _, err := fmt.Fprint(w, e.format(number+i, line)); err != nil {
				return false
			}
		}
		e.change(func() {
			if e.reader == me {
				e.next = number + len(lines)
				e.trim()
			}
		})
		if drop {
			return false
		}
		if begun && out.Flush() != nil {
			return false
		}
		if ended && len(lines) == 0 {
			return true
		}
		if len(lines) > 0 {
			continue
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return false
		}
	}
}

// format returns a line as an event.
func (e *events) format(number int, line string) string {
	var text strings.Builder
	if e.kept {
		fmt.Fprintf(&text, "id: %s.%d\n", e.name, number)
	}
	// Lines that were put together are separate messages, and need separate events.
	for i, part := range strings.Split(line, "\n") {
		if i > 0 {
			text.WriteString("\n")
		}
		fmt.Fprintf(&text, "data: %s\n", part)
	}
	text.WriteString("\n")
	return text.String()
}

// trim drops what has been read and need not be kept. mu is held.
func (e *events) trim() {
	keep := 0
	if e.kept {
		keep = mostEvents
	}
	if drop := e.next - e.first - keep; drop > 0 {
		e.list = slices.Clone(e.list[drop:])
		e.first += drop
	}
}

// eventID reads the id of an event.
func eventID(id string) (name string, number int, ok bool) {
	name, text, found := strings.Cut(id, ".")
	number, err := strconv.Atoi(text)
	return name, number, found && err == nil
}
