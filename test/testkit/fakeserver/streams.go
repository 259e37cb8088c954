package fakeserver

import (
	"os"
	"strings"
)

func text(s *server, a args, _ message) outcome {
	to := os.Stdout
	if a.Do == "stderr" {
		to = os.Stderr
	}
	for range max(1, a.N) {
		s.write(to, a.Text)
	}
	return outcome{}
}

func flood(s *server, a args, m message) outcome {
	chunk, send := strings.Repeat("x", 1<<16), func(text string) { s.write(os.Stdout, text) }
	switch a.To {
	case "stderr":
		send = func(text string) { s.write(os.Stderr, text) }
	case "notifications":
		line := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"flood"}}`
		chunk, send = line+strings.Repeat("\n"+line, 499), m.out
	}
	for sent := 0; sent < a.Bytes; sent += len(chunk) {
		send(chunk)
	}
	return outcome{}
}

func closeStream(_ *server, a args, _ message) outcome {
	switch a.Stream {
	case "stdin":
		_ = os.Stdin.Close()
	case "stdout":
		_ = os.Stdout.Close()
	case "stderr":
		_ = os.Stderr.Close()
	}
	return outcome{}
}

// deaf makes read stop after the call of this tool, so that the server takes nothing that
// was sent after it.
func deaf(s *server, _ args, _ message) outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deaf = true
	return outcome{}
}
