package editorapi

// ServerLogParams says which lines of a server's log you want.
type ServerLogParams struct {
	Server  string `json:"server"`
	Lines   *int   `json:"lines,omitempty"`  // how many of the last lines at most: 1 to 10,000, 200 by default
	After   string `json:"after,omitempty"`  // only lines after this `cursor`
	Follow  *bool  `json:"follow,omitempty"` // true to get `editord/serverLogged` from here on, false to end that
	Entries bool   `json:"entries,omitzero"` // true to get `entries` in place of `lines`, also in `editord/serverLogged`
}

// ServerLogResult is a part of a server's log: its stderr and its log messages.
type ServerLogResult struct {
	Lines   []string   `json:"lines"`            // as text; `[]` when you asked for `entries`
	Entries []LogEntry `json:"entries,omitzero"` // when you asked for them: one for each line
	Cursor  string     `json:"cursor"`           // the end of these lines, for `after`
	Missed  int        `json:"missed,omitzero"`  // how many lines after `after` are gone or did not fit
}

// ServerLogged brings new lines of the log of a server that this editor follows.
type ServerLogged struct {
	Server  string     `json:"server"`
	Lines   []string   `json:"lines"`            // as text; `[]` when you asked for `entries`
	Entries []LogEntry `json:"entries,omitzero"` // when you asked for them: one for each line
	Cursor  string     `json:"cursor"`           // the end of these lines, for `after`
	Missed  int        `json:"missed,omitzero"`  // how many lines were gone before they could be sent
}

// LogEntry is one line of the log of a server.
type LogEntry struct {
	Time   string    `json:"time"`             // when the daemon got it: RFC 3339 in UTC with milliseconds
	Source LogSource `json:"source"`           // where it came from
	Level  LogLevel  `json:"level,omitempty"`  // of a log message
	Logger string    `json:"logger,omitempty"` // of a log message: who wrote it
	More   bool      `json:"more,omitzero"`    // the text goes on that of the line before; they came together
	Text   string    `json:"text"`             // as the server wrote it, cut at 4 KiB; make it safe before you show it
}

// LogSource says where a line of a log came from.
type LogSource string

// The sources of the lines of a log.
const (
	LogStderr LogSource = "stderr" // the server's standard error
	LogStdout LogSource = "stdout" // lines on its standard output that are not MCP
	LogMCP    LogSource = "mcp"    // its log messages, `notifications/message`
	LogDaemon LogSource = "daemon" // what the daemon has to say about the server
)

// LogLevel is a level of RFC 5424, as MCP has them.
type LogLevel string

// The levels of log messages, from the lowest. A message with another level has none, and the level
// stands in its text.
const (
	LogDebug     LogLevel = "debug"
	LogInfo      LogLevel = "info"
	LogNotice    LogLevel = "notice"
	LogWarning   LogLevel = "warning"
	LogError     LogLevel = "error"
	LogCritical  LogLevel = "critical"
	LogAlert     LogLevel = "alert"
	LogEmergency LogLevel = "emergency"
)
