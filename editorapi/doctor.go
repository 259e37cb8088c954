package editorapi

import "strings"

// Checks are checks as they are made.
type Checks []Check

// OK adds a check that has found nothing wrong.
func (c *Checks) OK(name, text string) {
	*c = append(*c, Check{Name: name, State: CheckOK, Text: text})
}

// Fail adds an error, like [Checks.Warn].
func (c *Checks) Fail(name, text, why, remedy string) *Check {
	check := c.Warn(name, text, why, remedy)
	check.State = CheckError
	return check
}

// Warn adds a warning, and returns it until the next is added. Where remedy is "", it is what the text advises behind its
// last semicolon.
func (c *Checks) Warn(name, text, why, remedy string) *Check {
	if at := strings.LastIndex(text, "; "); remedy == "" && at >= 0 {
		text, remedy = text[:at], text[at+2:]
		if _, command, is := strings.Cut(remedy, "run: "); is {
			remedy = command
		}
	}
	*c = append(*c, Check{Name: name, State: CheckWarning, Text: text, Why: why, Remedy: remedy})
	return &(*c)[len(*c)-1]
}
