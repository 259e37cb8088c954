package editorapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// Fault bad-frame: what cannot be a frame ends the connection.
func TestFrameReader(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []string // messages
		err      string   // in the error that follows them
	}{
		{"one message", "Content-Length: 2\r\n\r\n{}", []string{"{}"}, "EOF"},
		{"two messages", "Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n{ }", []string{"{}", "{ }"}, "EOF"},
		{"other header fields", "X: y\r\ncontent-length:2\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n{}", []string{"{}"}, "EOF"},
		{"line feeds alone", "Content-Length: 2\n\n{}", []string{"{}"}, "EOF"},
		{"nothing", "", nil, "EOF"},
		{"negative", "Content-Length: -1\r\n\r\n{}", nil, "not a decimal number"},
		{"zero", "Content-Length: 0\r\n\r\n", nil, "not positive"},
		{"missing", "Content-Type: x\r\n\r\n{}", nil, "no Content-Length"},
		{"twice", "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", nil, "twice"},
		{"exponent", "Content-Length: 1e9\r\n\r\n{}", nil, "not a decimal number"},
		{"one over the limit", "Content-Length: 67108865\r\n\r\n{}", nil, "over the limit"},
		{"more than 64 bits", "Content-Length: 99999999999999999999999\r\n\r\n{}", nil, "over the limit"},
		{"no colon", "GET / HTTP/1.1\r\n\r\n", []string(nil), "no colon"},
		{"one long line", strings.Repeat("x", 10<<20), nil, "longer than"},
		{"many lines", strings.Repeat("a: b\r\n", 10<<10), nil, "longer than"},
		{"cut in the header", "Content-Len", nil, "unexpected EOF"},
		{"cut after the header", "Content-Length: 2\r\n\r\n", nil, "unexpected EOF"},
		{"cut in the body", "Content-Length: 20\r\n\r\n{}", nil, "unexpected EOF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newFrameReader(iotest.HalfReader(strings.NewReader(test.in)))
			for _, want := range test.want {
				if got, err := r.next(); err != nil || string(got) != want {
					t.Fatalf("next() = %q, %v, want %q", got, err, want)
				}
			}
			_, err := r.next()
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Fatalf("the error is %v, want one with %q", err, test.err)
			}
			if got := errors.Is(err, io.EOF); got != (test.err == "EOF") {
				t.Fatalf("the error is io.EOF: %v", got)
			}
		})
	}
}

// Fault bad-frame: memory grows with what arrives, not with what is claimed.
func TestFrameReaderBelievesNoLength(t *testing.T) {
	header := fmt.Sprintf("Content-Length: %d\r\n\r\n", maxFrame)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		if _, err := newFrameReader(strings.NewReader(header + "{}")).next(); err != io.ErrUnexpectedEOF {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / 100; each > 64<<10 {
		t.Errorf("a header alone made the reader allocate %d bytes", each)
	}
}

// A large frame arrives whole, and its memory is not kept.
func TestFrameReaderLargeFrame(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789abcdef"), 5<<20/16)
	var in bytes.Buffer
	for range 2 {
		fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n", len(body))
		in.Write(body)
	}
	in.WriteString("Content-Length: 2\r\n\r\n{}")
	r := newFrameReader(&in)
	for range 2 {
		if got, err := r.next(); err != nil || !bytes.Equal(got, body) {
			t.Fatalf("a frame of %d bytes came as %d bytes, %v", len(body), len(got), err)
		}
	}
	if got, err := r.next(); err != nil || string(got) != "{}" {
		t.Fatalf("next() = %q, %v", got, err)
	}
	if cap(r.frame.Body) > keepFrame {
		t.Errorf("%d bytes are kept after a large frame", cap(r.frame.Body))
	}
}

func FuzzFrameReader(f *testing.F) {
	for _, s := range []string{
		"Content-Length: 2\r\n\r\n{}",
		"Content-Length: 2\r\nContent-Type: x\r\n\r\n[]Content-Length: 1\r\n\r\n1",
		"Content-Length: 1e9\r\n\r\n", "Content-Length: -1\r\n\r\n", "\r\n\r\n", "a", ":\r\n\r\n",
		"Content-Length: 5\r\nContent-Length: 5\r\n\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		r := newFrameReader(bytes.NewReader(in))
		read := 0
		for {
			body, err := r.next()
			if err != nil {
				break
			}
			if len(body) == 0 {
				t.Fatal("an empty message")
			}
			if !bytes.Contains(in, body) {
				t.Fatalf("the message %q is not in the input", body)
			}
			read += len(body)
		}
		if read > len(in) {
			t.Fatalf("%d bytes of messages were read from %d bytes", read, len(in))
		}
	})
}

// Who reads knows whether another message has arrived whole.
func TestFrameReady(t *testing.T) {
	const two = "Content-Length: 2\r\n\r\n{}"
	for _, test := range []struct {
		name, in string
		ready    bool // after the first message
	}{
		{"nothing more", two, false},
		{"another", two + two, true},
		{"another and a half", two + two + two[:5], true},
		{"half a header", two + two[:8], false},
		{"no body", two + two[:len(two)-2], false},
		{"half a body", two + two[:len(two)-1], false},
		{"not a frame", two + "Content-Length: x\r\n\r\n{}", false},
		{"unusual", two + "content-length: 2\r\n\r\n{}", false}, // it is read all the same
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newFrameReader(strings.NewReader(test.in))
			if _, err := r.next(); err != nil || r.ready() != test.ready {
				t.Errorf("ready: %v, %v", r.ready(), err)
			}
		})
	}
}
