package mcpserver

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
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
			for _, want := range []string{"a", "", "", "b", fits, "too long", "c", "too long", "last"} {
				line, err := l.next()
				if want == "too long" {
					if !errors.Is(err, errTooLong) {
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
