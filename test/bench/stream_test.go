package main

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestAGlanceFindsTheID(t *testing.T) {
	long := strings.Repeat(`\"id\":99,`, readBuffer/8)
	for name, test := range map[string]struct {
		message string
		id      int
		failed  bool
	}{
		"first":              {`{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`, 7, false},
		"last":               {`{"result":{"content":[{"text":"\"id\":3"}]},"jsonrpc":"2.0","id":12}`, 12, false},
		"first, long":        {`{"jsonrpc":"2.0","id":123,"result":{"text":"` + long + `"}}`, 123, false},
		"last, long":         {`{"result":{"text":"` + long + `"},"jsonrpc":"2.0","id":12}`, 12, false},
		"an error":           {`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no"}}`, 7, true},
		"an error first":     {`{"error":{"code":1,"message":"no"},"jsonrpc":"2.0","id":8}`, 8, true},
		"a notification":     {`{"jsonrpc":"2.0","method":"notifications/x","params":{"id":5}}`, 0, false},
		"a request":          {`{"jsonrpc":"2.0","id":5,"method":"roots/list"}`, 0, false},
		"an error in a text": {`{"jsonrpc":"2.0","id":9,"result":{"x":{"error":1}}}`, 9, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range []framing{lines, headers} {
				var wire bytes.Buffer
				s := newStream(f, &wire, func() error { return nil })
				if err := s.send(test.message); err != nil {
					t.Fatal(err)
				}
				if err := s.send(`{"id":1}`); err != nil {
					t.Fatal(err)
				}
				a, err := s.next()
				if err != nil || a.id != test.id || (a.failed != "") != test.failed {
					t.Errorf("got %+v, %v; want the id %d, failed: %v", a, err, test.id, test.failed)
				}
				if a, err = s.next(); err != nil || a.id != 1 {
					t.Errorf("the next message: got %+v, %v", a, err)
				}
				if _, err = s.next(); err != io.EOF {
					t.Errorf("at the end: %v", err)
				}
			}
		})
	}
}

// Every request is answered once and every answer is counted, also where requests and answers are
// larger than a pipe.
func TestPipelineCountsEveryAnswer(t *testing.T) {
	for _, inFlight := range []int{1, 32} {
		for _, size := range []int{10, 64 << 10} {
			// Pipes of the system, which hold some requests before anybody reads them.
			fromClient, toServer := systemPipe(t)
			fromServer, toClient := systemPipe(t)
			requests := make(chan int, 1)
			go func() {
				in := newStream(lines, struct {
					io.Reader
					io.Writer
				}{fromClient, toClient}, func() error { return nil })
				n := 0
				for {
					message, err := in.whole()
					if err != nil {
						requests <- n
						return
					}
					n++
					a := look(message[:min(glance, len(message))], nil, len(message))
					_ = in.send(`{"jsonrpc":"2.0","id":`, strconv.Itoa(a.id), `,"result":{"text":"`, strings.Repeat("x", size), `"}}`)
				}
			}()
			p := &pipeline{stream: newStream(lines, struct {
				io.Reader
				io.Writer
			}{fromServer, toServer}, toServer.Close), request: func(id int, c call) []string {
				return []string{`{"jsonrpc":"2.0","id":`, strconv.Itoa(id), `,"params":{"x":"`, c.arguments, `"}}`}
			}}
			turn, err := p.turn(call{arguments: strings.Repeat("y", size), size: size}, inFlight, turnLength{least: 100})
			if err != nil {
				t.Fatal(err)
			}
			if err := toServer.Close(); err != nil {
				t.Fatal(err)
			}
			if n := <-requests; n != len(turn.each) || n < 100 {
				t.Errorf("%d in flight of %d bytes: %d requests, %d answers", inFlight, size, n, len(turn.each))
			}
		}
	}
}

func systemPipe(t *testing.T) (in, out *os.File) {
	t.Helper()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = out.Close() }) // one of them is closed already
	return in, out
}
