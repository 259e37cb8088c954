package streamable

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const (
	readBuffer  = 64 << 10 // most events fit in, and every line but one of data
	longBuffer  = 1 << 20  // a buffer for longer ones is kept up to this size
	maxSSEValue = 4 << 10  // bytes of an id or an event's name
)

// An sseEvent is one event that has data.
type sseEvent struct {
	name string // "" means "message"
	data []byte // valid until the next event is read
}

// An sseReader reads server-sent events (WHATWG HTML, Server-sent events, Event
// stream interpretation) with data of bounded length. Its memory is bounded by one and a half times
// the limit while an event grows, and goes back to little more than longBuffer after it.
type sseReader struct {
	*sseCursor // what the stream has said up to the event read last

	r     *bufio.Reader
	limit int  // bytes of data
	begun bool // the byte order mark was looked for

	// What has been read of the event.
	name  string
	id    string
	data  []byte        // each line with a LF
	claim budget.Claim  // of data
	long  *wire.TooLong // what is kept instead of data over the limit
}

// newSSEReader returns a reader of a stream that goes on at cursor, which it moves.
// Its memory is part of a budget, until release.
func newSSEReader(r io.Reader, limit int, cursor *sseCursor, memory *budget.Budget) *sseReader {
	return &sseReader{
		sseCursor: cursor, id: cursor.lastID,
		r: bufio.NewReaderSize(&lines{r: r}, readBuffer), limit: limit, claim: memory.Claim(),
	}
}

// lines reads a stream whose lines end with CRLF, LF or CR as one whose lines end with LF.
type lines struct {
	r  io.Reader
	cr bool // the last byte was a CR, to which a LF would belong
}

func (l *lines) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if !l.cr && bytes.IndexByte(p[:n], '\r') < 0 {
		return n, err
	}
	read := p[:0]
	for _, b := range p[:n] {
		switch {
		case b == '\r':
			read = append(read, '\n')
		case b != '\n' || !l.cr:
			read = append(read, b)
		}
		l.cr = b == '\r'
	}
	return len(read), err
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
	var goesOn, isData bool // the line of part before, and that it is one of data
	for {
		part, err := s.r.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			if s.long != nil {
				return s.dispatch() // err comes again
			}
			return sseEvent{}, err
		}
		begins := !goesOn
		goesOn = err != nil
		part = bytes.TrimSuffix(part, []byte("\n"))
		switch {
		case begins && len(part) == 0 && !goesOn:
			if event, err := s.dispatch(); err != nil || len(event.data) > 0 {
				return event, err
			}
			continue
		case begins:
			isData = s.field(part)
		case isData:
			s.addData(part)
		}
		if isData && !goesOn {
			s.addData([]byte("\n"))
		}
	}
}

// field takes the beginning of a line, and reports whether the rest of it is data too. Nobody needs
// the rest of any other.
func (s *sseReader) field(line []byte) (isData bool) {
	if !s.begun {
		// "One leading U+FEFF BYTE ORDER MARK character must be ignored if any are
		// present" (ibid.).
		s.begun = true
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	name, text, _ := bytes.Cut(line, []byte(":"))
	text = bytes.TrimPrefix(text, []byte(" "))
	if string(name) == "data" {
		s.addData(text)
		return true
	}
	value := string(text[:min(len(text), maxSSEValue+1)])
	switch string(name) {
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
		// "If the field value consists of only ASCII digits" (ibid.). Out of range it is the
		// largest.
		ms, err := strconv.ParseUint(value, 10, 32)
		if err == nil || errors.Is(err, strconv.ErrRange) {
			s.retry = min(max(time.Duration(ms)*time.Millisecond, minRetry), maxRetry)
		}
	}
	return false
}

// addData adds to the data, as long as it is within the limit.
func (s *sseReader) addData(part []byte) {
	if s.long != nil {
		s.long.Add(part)
		return
	}
	room := len(s.data)+len(part) <= s.limit+1 // with the last LF
	if room {
		s.data, room = s.claim.Append(s.data, part, s.limit+1)
	}
	if !room {
		s.long = wire.NewTooLong(s.data, part)
		s.release()
	}
}

// dispatch ends the event.
func (s *sseReader) dispatch() (sseEvent, error) {
	event := sseEvent{name: s.name, data: bytes.TrimSuffix(s.data, []byte("\n"))}
	long := s.long
	s.lastID, s.name, s.long = s.id, "", nil
	if long != nil {
		return sseEvent{}, long
	}
	if len(event.data) == 0 {
		s.data = s.data[:0]
	}
	return event, nil
}
