package editorapi

// DoctorParams says what to look at.
type DoctorParams struct {
	Server string `json:"server,omitempty"` // only this server, which is started if it does not run and may; when absent, all servers, and none is started
}

// DoctorResult is what the daemon has found.
type DoctorResult struct {
	Checks   []Check  `json:"checks"`
	Programs []string `json:"programs"` // the names of the programs that servers start with, such as `npx`
}

// Check is one thing that was looked at. Show it on a line, and below it `why` and `remedy`. Values that the definitions
// of servers keep secret are taken out.
type Check struct {
	Name   string     `json:"name"` // what was looked at, such as `command`
	State  CheckState `json:"state"`
	Text   string     `json:"text"`             // what was found, on one line
	Why    string     `json:"why,omitempty"`    // unless it is `ok`: why that matters
	Remedy string     `json:"remedy,omitempty"` // unless it is `ok`: one command, or one thing to do
	Server string     `json:"server,omitempty"` // the server that it is about
	File   string     `json:"file,omitempty"`   // the place that it is about, as `path:line` or `path`
}

// CheckState says how bad it is.
type CheckState string

// The states of a check.
const (
	CheckOK      CheckState = "ok"
	CheckWarning CheckState = "warning" // something may not work as you expect
	CheckError   CheckState = "error"   // something does not work
)
