package wire_test

import (
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Hour:               "1 hour",
		3 * time.Minute:         "3 minutes",
		time.Minute:             "1 minute",
		time.Second:             "1 second",
		1500 * time.Millisecond: "1.5s",
		-time.Minute:            "-1m0s",
	} {
		if got := wire.Span(d); got != want {
			t.Errorf("Span(%v) is %q, want %q", d, got, want)
		}
	}
}
