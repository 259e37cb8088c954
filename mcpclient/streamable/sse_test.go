package streamable

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// readSSE returns what an sseReader makes of r: "name|data", "…" for an event that
// is too long.
func readSSE(t *testing.T, r io.Reader, limit int) ([]string, *sseReader) {
	t.Helper()
	var got []string
	s := newSSEReader(r, limit, &sseCursor{lastID: "before", retry: -1}, nil)
	for {
		event, err := s.next()
		if e, ok := errors.AsType[*wire.TooLong](err); ok {
			if len(e.Head) > 512 || len(e.Tail) > 512 || e.Size <= int64(limit) {
				t.Errorf("%d and %d bytes kept of an event of %d, with a limit of %d", len(e.Head), len(e.Tail), e.Size, limit)
			}
			got = append(got, "…")
			continue
		}
		if err == io.EOF {
			return got, s
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(event.data) > limit {
			t.Errorf("an event of %d bytes with a limit of %d", len(event.data), limit)
		}
		if held := cap(s.data); held > max(limit+1, longBuffer) {
			t.Errorf("%d bytes are held for a limit of %d", held, limit)
		}
		got = append(got, event.name+"|"+string(event.data))
	}
}

func TestSSEReader(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
		lastID   string
		retry    time.Duration // negative: not said
	}{
		{"nothing", "", nil, "before", -1},
		{"an event", "data: x\n\n", []string{"|x"}, "before", -1},
		{"its name", "event: message\ndata: x\n\ndata: y\n\n", []string{"message|x", "|y"}, "before", -1},
		{"CRLF", "event: a\r\ndata: x\r\n\r\ndata: y\r\n\r\n", []string{"a|x", "|y"}, "before", -1},
		{"CR", "event: a\rdata: x\r\rdata: y\r\r", []string{"a|x", "|y"}, "before", -1},
		{"all ends of lines", "data: x\r\n\ndata: y\n\r\ndata: z\r\r\n", []string{"|x", "|y", "|z"}, "before", -1},
		{"a line of data over the buffer", "data: " + strings.Repeat("x", readBuffer) + "\r\ndata: y\n\ndata: z\n\n", []string{"…", "|z"}, "before", -1},
		{"another line over the buffer", strings.Repeat("x", readBuffer) + "data: x\ndata: y\n\n", []string{"|y"}, "before", -1},
		{"a byte order mark", "\uFEFFdata: x\n\n", []string{"|x"}, "before", -1},
		{"a second byte order mark", "\uFEFF\uFEFFdata: x\n\n", nil, "before", -1},
		{"comments", ": hello\ndata: x\n:\n\n:\r\n\r\n", []string{"|x"}, "before", -1},
		{"lines of data", "data: a\ndata:\ndata: b\n\n", []string{"|a\n\nb"}, "before", -1},
		{"one space is taken away", "data:  a \n\n", []string{"| a "}, "before", -1},
		{"no space", "data:a\n\n", []string{"|a"}, "before", -1},
		{"colons in the data", "data: a:b: c\n\n", []string{"|a:b: c"}, "before", -1},
		{"a field without colon", "data\n\n", nil, "before", -1},
		{"an unknown field", "datas: x\nDATA: x\n data: x\neventdata: x\n\n", nil, "before", -1},
		{"no data", "event: x\n\ndata: y\n\n", []string{"|y"}, "before", -1},
		{"a priming event", "id: 7\ndata:\n\n", nil, "7", -1},
		{"an id stays", "id: 7\ndata: x\n\ndata: y\n\n", []string{"|x", "|y"}, "7", -1},
		{"an id taken back", "id: 7\ndata: x\n\nid\ndata: y\n\n", []string{"|x", "|y"}, "", -1},
		{"an id with NUL", "id: 7\n\nid: 8\x00\n\n", nil, "7", -1},
		{"an id that is too long", "id: " + strings.Repeat("7", maxSSEValue+1) + "\n\n", nil, "", -1},
		{"the longest id", "id: " + strings.Repeat("7", maxSSEValue) + "\n\n", nil, strings.Repeat("7", maxSSEValue), -1},
		{"an id of an event without end", "id: 7\n\nid: 8\ndata: x\n", nil, "7", -1},
		{"retry", "retry: 1500\n\n", nil, "before", 1500 * time.Millisecond},
		{"retry before the end of the event", "retry: 0\n", nil, "before", minRetry},
		{"retry with a sign", "retry: +5\nretry: -5\nretry: 5s\nretry:\nretry: 1.5\n\n", nil, "before", -1},
		{"an event without end", "data: x\n\ndata: y", []string{"|x"}, "before", -1},
		{"exactly the limit", "data: 0123456789\n\n", []string{"|0123456789"}, "before", -1},
		{"over the limit", "id: 1\ndata: 0123456789a\n\ndata: b\n\n", []string{"…", "|b"}, "1", -1},
		{"lines over the limit", "data: 01234\ndata: 6789\n\ndata: 01234\ndata: 56789\ndata: more\n\ndata: b\n\n", []string{"|01234\n6789", "…", "|b"}, "before", -1},
		{"over the limit and no more", "data: b\n\ndata: " + strings.Repeat("x", readBuffer), []string{"|b", "…"}, "before", -1},
		{"two over the limit", "data: 0123456789a\n\ndata: 0123456789a\n\n", []string{"…", "…"}, "before", -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"at once":     strings.NewReader(tt.in),
				"by bytes":    iotest.OneByteReader(strings.NewReader(tt.in)),
				"in halves":   iotest.HalfReader(strings.NewReader(tt.in)),
				"with an EOF": iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				got, s := readSSE(t, r, 10)
				if !slices.Equal(got, tt.want) || s.lastID != tt.lastID || s.retry != tt.retry {
					t.Errorf("%s: got %q, id %.20q, retry %v\nwant %q, id %.20q, retry %v", name, got, s.lastID, s.retry, tt.want, tt.lastID, tt.retry)
				}
			}
		})
	}
}

// An event is there when its blank line is, also when nothing follows.
func TestSSEReaderDoesNotWait(t *testing.T) {
	for _, end := range []string{"\n", "\r", "\r\n"} {
		out, in := io.Pipe()
		go func() { _, _ = io.WriteString(in, "data: x"+end+end) }()
		event, err := newSSEReader(out, 10, &sseCursor{}, nil).next()
		if err != nil || string(event.data) != "x" {
			t.Errorf("%q: got %q, %v", end, event.data, err)
		}
		_ = out.Close()
	}
}

// Fault http-oversize: what is over the limit is not held, whether it is an event, a name or a
// line without end.
func TestSSEReaderTooLong(t *testing.T) {
	in := `data: {"id":5,"result":"` + strings.Repeat("x", 5<<20) + "tail\"}\n\n" +
		strings.Repeat("field", 1<<20) + "\n:" + strings.Repeat("comment", 1<<20) + "\nid: " + strings.Repeat("i", 1<<20) + "\ndata: b\n\n"
	s := newSSEReader(strings.NewReader(in), 3<<20, &sseCursor{}, nil)
	_, err := s.next()
	e, ok := errors.AsType[*wire.TooLong](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	if id, ok := e.Answers(); !ok || id != wire.NumberID(5) || !bytes.HasSuffix(e.Tail, []byte("xtail\"}\n")) || e.Size != 5<<20+25 {
		t.Errorf("id %v, tail %.600q, size %d", id, e.Tail, e.Size)
	}
	if cap(s.data) != 0 {
		t.Errorf("%d bytes are still held", cap(s.data))
	}
	if event, err := s.next(); err != nil || string(event.data) != "b" {
		t.Errorf("then came %q, %v", event.data, err)
	}
}

// FuzzSSEReader: no stream does harm, no event is over the limit, and it does not
// matter in what pieces the stream comes.
func FuzzSSEReader(f *testing.F) {
	f.Add([]byte("event: message\nid: 1\nretry: 5\ndata: {}\n\n"), uint8(10))
	f.Add([]byte("\uFEFFdata: a\r\ndata: b\r\r\n: x\r\ndata\n\n"), uint8(3))
	f.Add([]byte("data: 0123456789\n\ndata: 0\n\n"), uint8(4))
	f.Add([]byte("id: a\x00b\nid\nid:\ndata:\n\n"), uint8(0))
	f.Fuzz(func(t *testing.T, in []byte, limit uint8) {
		got, s := readSSE(t, bytes.NewReader(in), int(limit))
		again, slow := readSSE(t, iotest.OneByteReader(bytes.NewReader(in)), int(limit))
		if !slices.Equal(got, again) || s.lastID != slow.lastID || s.retry != slow.retry {
			t.Fatalf("got %q, %q, %v at once, and %q, %q, %v by bytes", got, s.lastID, s.retry, again, slow.lastID, slow.retry)
		}
	})
}
