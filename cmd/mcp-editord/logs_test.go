package main

import (
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

func TestLogText(t *testing.T) {
	local := time.Date(2026, 1, 31, 12, 0, 0, 123e6, time.Local)
	when := local.UTC().Format(time.RFC3339Nano)
	for _, tt := range []struct {
		name  string
		entry editorapi.LogEntry
		want  string
	}{
		{"a message", editorapi.LogEntry{Time: when, Source: editorapi.LogMCP, Level: editorapi.LogWarning, Logger: "db", Text: "slow"}, "2026-01-31 12:00:00.123 [warning] db: slow"},
		{"one without a logger", editorapi.LogEntry{Time: when, Source: editorapi.LogMCP, Level: editorapi.LogInfo, Text: "hello"}, "2026-01-31 12:00:00.123 [info] hello"},
		{"its second line", editorapi.LogEntry{Time: when, Source: editorapi.LogMCP, Level: editorapi.LogWarning, Logger: "db", More: true, Text: "at 1"}, "    at 1"},
		{"standard error", editorapi.LogEntry{Time: when, Source: editorapi.LogStderr, Text: "hello"}, "2026-01-31 12:00:00.123 [stderr] hello"},
		{"a time that is none", editorapi.LogEntry{Time: "now", Source: editorapi.LogDaemon, Text: "hello"}, "now [daemon] hello"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := logText(tt.entry); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
