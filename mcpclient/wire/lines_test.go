package wire

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mcp-editord/mcp-editord/internal/budget"
)

// readLines returns the lines that a LineReader makes of r, "…" for one that is too long.
func readLines(t *testing.T, r io.Reader, limit int) []string {
	t.Helper()
	var got []string
	l := NewLineReader(r, limit, nil)
	for {
		line, err := l.Next()
		if e, ok := errors.AsType[*TooLong](err); ok {
			if len(e.Head) > 512 || len(e.Tail) > 512 {
				t.Errorf("%d and %d bytes kept of a line that is too long", len(e.Head), len(e.Tail))
			}
			got = append(got, "…")
			continue
		}
		if err == io.EOF {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		if cap(l.long) > max(limit+1, 2*firstLong) {
			t.Errorf("%d bytes are held for a limit of %d", cap(l.long), limit)
		}
		got = append(got, string(line))
	}
}

func TestLineReader(t *testing.T) {
	long := strings.Repeat("a", readBuffer)
	for _, tt := range []struct {
		name, in string
		limit    int
		want     []string
	}{
		{"nothing", "", 10, nil},
		{"lines", "a\nb\n\nc\n", 10, []string{"a", "b", "", "c"}},
		{"no newline at the end", "a\nb", 10, []string{"a", "b"}},
		{"exactly the limit", "0123456789\nb\n", 10, []string{"0123456789", "b"}},
		{"over the limit", "0123456789a\nb\n", 10, []string{"…", "b"}},
		{"over the limit and no more", "0123456789abcdef", 10, []string{"…"}},
		{"longer than the buffer", long + "x\nb\n", 1 << 20, []string{long + "x", "b"}},
		{"as long as the buffer with its newline", long[1:] + "\nb\n", 1 << 20, []string{long[1:], "b"}},
		{"as long as the buffer", long + "\nb\n", 1 << 20, []string{long, "b"}},
		{"many buffers", long + long + long + "\n" + long + long + "\nb\n", 1 << 20, []string{long + long + long, long + long, "b"}},
		{"exactly a long limit", long + long + "\nb\n", 2 * readBuffer, []string{long + long, "b"}},
		{"over a long limit", long + long + "x\nb\n", 2 * readBuffer, []string{"…", "b"}},
		{"far over the limit", strings.Repeat(long, 20) + "\nb\n", 2 * readBuffer, []string{"…", "b"}},
		{"two over the limit", long + "\n" + long + "\nb\n", 100, []string{"…", "…", "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"at once":     strings.NewReader(tt.in),
				"in halves":   iotest.HalfReader(strings.NewReader(tt.in)),
				"with an EOF": iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				if got := readLines(t, r, tt.limit); !slices.Equal(got, tt.want) {
					t.Errorf("%s: got %.80q, want %.80q", name, got, tt.want)
				}
			}
		})
	}
}

// Who reads knows whether another line has arrived.
func TestLineReaderReady(t *testing.T) {
	l := NewLineReader(strings.NewReader("a\nb\nc"), 10, nil)
	for _, want := range []struct {
		line  string
		ready bool // for the one after it
	}{{"a", true}, {"b", false}, {"c", false}} {
		line, err := l.Next()
		if err != nil || string(line) != want.line || l.Ready() != want.ready {
			t.Errorf("%q, %v, and another: %v", line, err, l.Ready())
		}
	}
}

// FuzzLineReader holds the reader against bytes.Split.
func FuzzLineReader(f *testing.F) {
	f.Add([]byte("a\nbb\n"), uint16(1), uint8(0))
	f.Add([]byte("\n\n"), uint16(0), uint8(100))
	f.Add([]byte("abc\ndef"), uint16(3), uint8(200))
	f.Fuzz(func(t *testing.T, in []byte, limit uint16, stretch uint8) {
		in = bytes.ReplaceAll(in, []byte("a"), bytes.Repeat([]byte("a"), 1+int(stretch)*400)) // past the buffer
		var want []string
		for i, line := range bytes.Split(in, []byte("\n")) {
			last := bytes.Count(in, []byte("\n")) == i
			switch {
			case last && len(line) == 0:
			case len(line) > int(limit):
				want = append(want, "…")
			default:
				want = append(want, string(line))
			}
		}
		if got := readLines(t, bytes.NewReader(in), int(limit)); !slices.Equal(got, want) {
			t.Fatalf("got %.80q, want %.80q", got, want)
		}
	})
}

// Promise 10 and fault huge-message: what is being read counts too. A line for which there is no memory is
// skipped like one over the limit, but for its beginning and end, and what a long line needed is given back
// after it.
func TestPromise10MemoryOfLines(t *testing.T) {
	const frame = 4 << 20
	memory := budget.New(frame)
	long := "head" + strings.Repeat("x", 2*frame) + "tail\n"
	all := long + "next\n" + strings.Repeat("y", frame/4) + "\nlast\n"
	lines := NewLineReader(strings.NewReader(all), 8*frame, memory)
	_, err := lines.Next()
	e, ok := errors.AsType[*TooLong](err)
	if !ok {
		t.Fatalf("a line over the memory: %v", err)
	}
	if e.Size != int64(len(long)) || !bytes.HasPrefix(e.Head, []byte("headx")) || !bytes.HasSuffix(e.Tail, []byte("xtail\n")) {
		t.Errorf("size %d, head %.10q, tail %.600q", e.Size, e.Head, e.Tail)
	}
	if memory.Used() != 0 || lines.long != nil {
		t.Errorf("%d bytes are used after it", memory.Used())
	}
	for _, want := range []int{len("next"), frame / 4} {
		if line, err := lines.Next(); err != nil || len(line) != want {
			t.Errorf("the next line has %d bytes, %v; want %d", len(line), err, want)
		}
	}
	if memory.Used() < frame/4 {
		t.Errorf("%d bytes are used for a line of %d", memory.Used(), frame/4)
	}
	if line, err := lines.Next(); err != nil || string(line) != "last" || memory.Used() != 0 || lines.long != nil {
		t.Errorf("the last line is %q, %v; %d bytes are still used", line, err, memory.Used())
	}
}
