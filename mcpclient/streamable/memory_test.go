package streamable

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// Promise 10: what is being read counts too. An event for which there is no memory is skipped
// like one over the limit; a body is not read on.
func TestPromise10MemoryOfReading(t *testing.T) {
	const frame = 4 << 20
	memory := budget.New(frame)
	all := strings.Repeat("x", 2*frame)

	events := newSSEReader(strings.NewReader("data: "+strings.Repeat("x", 2*frame)+"\n\ndata: next\n\n"), 8*frame, &sseCursor{}, memory)
	if _, err := events.next(); !errors.As(err, new(*wire.TooLong)) {
		t.Errorf("an event over the memory: %v", err)
	}
	if event, err := events.next(); err != nil || string(event.data) != "next" {
		t.Errorf("the next event is %q, %v", event.data, err)
	}
	events.release()

	claim := memory.Claim()
	if _, err := readUpTo(io.LimitReader(strings.NewReader(all), frame/4), 8*frame, &claim); err != nil || memory.Used() < frame/4 {
		t.Errorf("a body that fits: %v; %d bytes are used", err, memory.Used())
	}
	claim.Release()
	if _, err := readUpTo(strings.NewReader(all), 8*frame, &claim); !errors.Is(err, errTooLarge) {
		t.Errorf("a body over the memory: %v", err)
	}
	claim.Release()
	if memory.Used() != 0 {
		t.Errorf("at the end %d bytes are used", memory.Used())
	}
}
