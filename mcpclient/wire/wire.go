package wire

import (
	"context"
	"strings"
)

// MaxFrame is how many bytes one message of a server has at most.
const MaxFrame = 64 << 20

// A Wire carries JSON-RPC messages between one session and one server.
//
// Read returns messages in the order of the wire. The params and the result of a message are the
// wire's memory, and only valid until the next Read; Close does not touch it. A frame that is not a
// JSON-RPC message is logged and skipped. A frame over the limit is skipped and,
// when it answered a request, read as a response whose error is of [KindTooLarge].
// The error of any other response is what the server answered ([KindRPC]), or says
// why this one request has failed ([KindGone], [KindHTTP], [KindScope], [KindInvalidResult]
// and the reasons for which a wire ends).
// An error from Read is final; it is an [Error] that says why the
// wire ended ([KindExit], [KindNotMCP], [KindUnreachable], [KindUnauthorized],
// [KindSignInNeeded], [KindSessionLost]), without Stderr. A wire that gives one of the last four to
// a request ends with it. Close and Kill end a Read that waits.
//
// Write hands a message to the transport; a session calls it for one message after
// the other, and does not wait for answers in it. Write bounds how long a server may
// take nothing. An error is the end of the session, and Read must say why within
// 4 s.
//
// Ready reports whether Read would return a message without waiting. It may be wrong when it says no.
// It is called by whoever calls Read.
//
// TryWrite is Write for messages that the transport takes without waiting for anybody. It returns
// false if Write would wait or fail, and has done nothing then. It is not called during Write.
//
// Close ends the wire in the orderly way of its transport and returns when
// nothing of it is left. For stdio: the server's stdin is closed, after a grace
// period its process group gets SIGTERM, after another SIGKILL (MCP 2025-11-25,
// Lifecycle, Shutdown). For Streamable HTTP: a session is ended with DELETE.
type Wire interface {
	Read() (Message, error)
	Ready() bool
	Write(ctx context.Context, m Message) error
	TryWrite(batch ...Message) bool
	Close() error

	// Kill ends the wire at once. It may be called during Close, which then
	// returns without waiting for its grace periods.
	Kill()

	// PID returns the id of the server's process, 0 when there is none.
	PID() int

	// Streamable reports whether the wire is Streamable HTTP: there a server is first
	// asked with server/discover what it speaks, and arguments of tools may be mirrored
	// into headers.
	Streamable() bool
}

// A Dialer opens wires to one server. Each Dial is a new life of the server.
//
// For a server that cannot be started Dial returns an [Error] of [KindSpawn].
// Whatever the server says outside of the protocol goes to log.
type Dialer interface {
	Dial(ctx context.Context, log LogSink) (Wire, error)
}

// LogSink takes lines of text from a server, with their source. They need not be UTF-8.
// It may be called concurrently and does not block. It gets what a server wrote on its
// standard error before the end of a wire before Read tells of that end.
type LogSink interface {
	Line(from LogSource, text string)

	// Skipped counts a frame that was no message or, with oversized, over the limit.
	Skipped(oversized bool)
}

// LogSource says where a line of a server's log came from.
type LogSource string

// The sources of log lines.
const (
	LogStderr LogSource = "stderr" // the server's standard error
	LogStdout LogSource = "stdout" // lines on its standard output that are not JSON-RPC
	LogMCP    LogSource = "mcp"    // notifications/message
	LogDaemon LogSource = "daemon" // what the daemon has to say about the server
)

// MaxNoise is how many bytes of a frame that is not a message are logged.
const MaxNoise = 4 << 10

// Clip returns b as text for the log, at most [MaxNoise] bytes of it.
func Clip(b []byte) string {
	mark := ""
	if len(b) > MaxNoise {
		b, mark = b[:MaxNoise], " [cut]"
	}
	return strings.ToValidUTF8(string(b), "\uFFFD") + mark
}
