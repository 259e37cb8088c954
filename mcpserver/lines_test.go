package mcpserver

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

func TestLines(t *testing.T) {
	const limit = 100_000 // over the buffer
	fits, tooLong := strings.Repeat("x", limit), strings.Repeat("y", limit+1)
	in := "a\r\n\n  \nb\n" + fits + "\n" + tooLong + "\nc\n" + strings.Repeat("z", 3*limit) + "\nlast"
	for name, from := range map[string]io.Reader{
		"at once":      strings.NewReader(in),
		"byte by byte": iotest.OneByteReader(strings.NewReader(in)),
	} {
		t.Run(name, func(t *testing.T) {
			l := newLineReader(from, limit)
			for _, want := range []string{"a", "b", fits, "too long", "c", "too long", "last"} {
				line, err := l.next()
				long := (*wire.TooLong)(nil)
				if want == "too long" {
					if !errors.As(err, &long) || long.Size <= limit {
						t.Fatalf("got %.20q, %v; want a line that is too long", line, err)
					}
				} else if err != nil || string(line) != want {
					t.Fatalf("got %.20q, %v; want %.20q", line, err, want)
				}
			}
			if line, err := l.next(); err != io.EOF {
				t.Errorf("got %q, %v at the end", line, err)
			}
		})
	}
	broken := newLineReader(iotest.TimeoutReader(strings.NewReader(strings.Repeat("x", 2*readBuffer))), limit)
	if _, err := broken.next(); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("a reader that fails: %v", err)
	}
}

// FuzzLines: no input does harm, each line comes whole and in its order, and what is too long is skipped
// alone.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbb\n\nccc"), 2)
	f.Add([]byte("\r\n\x00\xff\n"), 1)
	f.Add(bytes.Repeat([]byte("x"), readBuffer+1), readBuffer)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		limit = max(1, limit%(2*readBuffer))
		var want []string
		for line := range bytes.Lines(in) {
			switch trimmed := bytes.TrimSpace(line); {
			case len(line) > limit+len("\n"):
				want = append(want, "too long")
			case len(trimmed) > 0:
				want = append(want, string(trimmed))
			}
		}
		l := newLineReader(bytes.NewReader(in), limit)
		for i := 0; ; i++ {
			line, err := l.next()
			if err == io.EOF {
				if i != len(want) {
					t.Fatalf("got %d lines, want %d", i, len(want))
				}
				return
			}
			got, long := string(line), (*wire.TooLong)(nil)
			if errors.As(err, &long) {
				got = "too long"
			} else if err != nil {
				t.Fatal(err)
			}
			if i >= len(want) || got != want[i] {
				t.Fatalf("line %d is %q", i, got)
			}
		}
	})
}
