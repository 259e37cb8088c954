package streamable

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const (
	readBuffer  = 64 << 10 // most events fit in
	longBuffer  = 1 << 20  // a buffer for longer ones is kept up to this size
	maxSSEField = 8        // bytes kept of a field's name: more than any known one has
	maxSSEValue = 4 << 10  // bytes of an id, an event's name, a retry
)

// An sseEvent is one event that has data.
type sseEvent struct {
	name string // "" means "message"
	data []byte // valid until the next event is read
}

// An sseReader reads server-sent events (WHATWG HTML, Server-sent events, Event
// stream interpretation) with data of bounded length. Its memory is bounded by
// one and a half times the limit while an event grows, and goes back to little more
// than longBuffer after it.
type sseReader struct {
	// lastID and retry are what the stream has said up to the event read last.
	lastID string        // the last event id; "" when there is none
	retry  time.Duration // how long to wait before it is opened again; negative before it is said

	r      *bufio.Reader
	limit  int  // bytes of data
	begun  bool // the byte order mark was looked for
	lastCR bool // the last line ended with CR, to which a LF would belong

	// What has been read of the line.
	empty   bool   // nothing
	field   []byte // its name, at most maxSSEField bytes of it
	inValue bool   // the colon was there
	first   bool   // nothing of the value yet
	value   []byte // unless the field is data; at most maxSSEValue+1 bytes

	// What has been read of the event.
	name  string
	id    string
	data  []byte        // each line with a LF
	claim budget.Claim  // of data
	long  *wire.TooLong // what is kept instead of data over the limit
}

// newSSEReader returns a reader of a stream that goes on after the event lastID.
// Its memory is part of a budget, until release.
func newSSEReader(r io.Reader, limit int, lastID string, memory *budget.Budget) *sseReader {
	return &sseReader{
		r: bufio.NewReaderSize(r, readBuffer), limit: limit,
		lastID: lastID, id: lastID, retry: -1, empty: true, claim: memory.Claim(),
	}
}

// release gives the memory back.
func (s *sseReader) release() {
	s.data = nil
	s.claim.Release()
}

// next returns the next event that has data. After a [wire.TooLong], which stands for
// an event over the limit, the next event follows; every other error is final. An
// event within the limit that the stream does not end is dropped: "any pending data
// must be discarded" (ibid.).
func (s *sseReader) next() (sseEvent, error) {
	if cap(s.data) > longBuffer {
		s.release()
	}
	s.data = s.data[:0]
	for {
		chunk, err := s.fill()
		switch {
		case err != nil && s.long != nil: // err comes again
			long := s.long
			s.long = nil
			return sseEvent{}, long
		case err != nil:
			return sseEvent{}, err
		}
		if s.lastCR {
			s.lastCR = false
			if chunk[0] == '\n' {
				s.discard(1)
				continue
			}
		}
		end := bytes.IndexAny(chunk, "\r\n")
		if end < 0 {
			s.take(chunk)
			s.discard(len(chunk))
			continue
		}
		s.take(chunk[:end])
		s.lastCR = chunk[end] == '\r'
		s.discard(end + 1)
		blank := s.empty
		s.endLine()
		if !blank {
			continue
		}
		event, err := s.dispatch()
		if err != nil || len(event.data) > 0 {
			return event, err
		}
	}
}

// fill returns what there is to read, at least one byte.
func (s *sseReader) fill() ([]byte, error) {
	if !s.begun {
		s.begun = true
		// "One leading U+FEFF BYTE ORDER MARK character must be ignored if any are
		// present" (ibid.). No event is shorter than it.
		if mark, _ := s.r.Peek(3); string(mark) == "\uFEFF" {
			s.discard(3)
		}
	}
	if _, err := s.r.Peek(1); err != nil {
		return nil, err
	}
	return s.r.Peek(s.r.Buffered())
}

// discard passes over n bytes that fill has returned.
func (s *sseReader) discard(n int) { _, _ = s.r.Discard(n) }

// take takes a part of a line.
func (s *sseReader) take(part []byte) {
	if len(part) == 0 {
		return
	}
	s.empty = false
	if !s.inValue {
		name, value, colon := bytes.Cut(part, []byte(":"))
		s.field = append(s.field, name[:min(len(name), maxSSEField-len(s.field))]...)
		if !colon {
			return
		}
		s.inValue, s.first = true, true
		part = value
	}
	if s.first && len(part) > 0 {
		s.first = false
		part = bytes.TrimPrefix(part, []byte(" "))
	}
	switch string(s.field) {
	case "data":
		s.addData(part)
	case "event", "id", "retry":
		s.value = append(s.value, part[:min(len(part), maxSSEValue+1-len(s.value))]...)
	}
}

// addData adds to the data, as long as it is within the limit.
func (s *sseReader) addData(part []byte) {
	switch {
	case s.long != nil:
		s.long.Add(part)
	case len(s.data)+len(part) > s.limit+1 || !s.keep(part): // with the last LF
		s.long = wire.NewTooLong(s.data, part)
		s.release()
	}
}

// keep adds part to the data, if there is memory for it.
func (s *sseReader) keep(part []byte) (ok bool) {
	s.data, ok = s.claim.Append(s.data, part, s.limit+1)
	return ok
}

// endLine takes the field of a line that has ended.
func (s *sseReader) endLine() {
	value := string(s.value)
	switch string(s.field) {
	case "data":
		s.addData([]byte("\n"))
	case "event":
		s.name = value[:min(len(value), maxSSEValue)]
	case "id":
		// "If the field value does not contain U+0000 NULL, then set the last event
		// ID buffer to the field value" (ibid.). One that is too long to send back
		// counts as none.
		switch {
		case len(value) > maxSSEValue:
			s.id = ""
		case !strings.ContainsRune(value, 0):
			s.id = value
		}
	case "retry":
		// "If the field value consists of only ASCII digits" (ibid.).
		if value != "" && strings.Trim(value, "0123456789") == "" {
			ms, err := strconv.ParseInt(value, 10, 64)
			if err != nil || ms > math.MaxInt64/int64(time.Millisecond) {
				ms = math.MaxInt64 / int64(time.Millisecond)
			}
			s.retry = time.Duration(ms) * time.Millisecond
		}
	}
	s.empty, s.inValue, s.first = true, false, false
	s.field, s.value = s.field[:0], s.value[:0]
}

// dispatch ends the event.
func (s *sseReader) dispatch() (sseEvent, error) {
	event := sseEvent{name: s.name, data: bytes.TrimSuffix(s.data, []byte("\n"))}
	long := s.long
	s.lastID = s.id
	s.name, s.long = "", nil
	if long != nil {
		long.Size-- // the last LF
		return sseEvent{}, long
	}
	if len(event.data) == 0 {
		s.data = s.data[:0]
	}
	return event, nil
}
