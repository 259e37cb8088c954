//go:build linux || darwin

package e2e

const (
	lastLegacy = "2025-11-25"

	aboutStdio = "it is about stdio"
	aboutHTTP  = "it is about HTTP"
)

// coverageTable is what of MCP is shown to work, in the order of docs/mcp.md.
func coverageTable() []check {
	return []check{
		{row: 1, name: "messages", sees: "valid messages arrive between unknown, doubled and broken ones", run: seeMessages},
		{row: 2, name: "batches", sees: "an answer and a notification out of one array", run: seeBatches},
		{row: 3, name: "versions", sees: "the version of the lane, pinned and found out; another one is an error that names both sides'", run: seeVersion},
		{row: 4, name: "capabilities", sees: "each side knows the other's; what was not declared is not sent", run: seeCapabilities},
		{row: 5, name: "life", sees: "begin, stop with a call under way, begin again, restart after an end", run: seeLifeCycle},
		{row: 6, name: "stdio", sees: "noise and standard error are logged; stopping ends the process", on: []string{"stdio"},
			but: map[string]string{"http": aboutStdio, "sse": aboutStdio}, run: seeStdio},
		{row: 7, name: "sessions", sees: "session id, version and the standalone stream", until: lastLegacy, on: []string{"http"},
			but: map[string]string{"stdio": aboutHTTP}, run: seeSessions},
		{row: 7, name: "lost", sees: "a lost session is opened anew, and the refused call sent once more", until: lastLegacy, on: []string{"http"}, run: seeLostSession},
		{row: 7, name: "resumption", sees: "an answer whose stream ended before it", until: lastLegacy, on: []string{"http"}, run: seeResumption},
		{row: 7, name: "headers", sees: "Mcp-Method, Mcp-Name, Mcp-Param-*", from: firstModern, on: []string{"http"}, run: seeHeaders},
		{row: 7, name: "sse", sees: "HTTP+SSE, also where http is configured, and again after its stream broke", on: []string{"sse"}, run: seeSSE},
		{row: 8, name: "tools", sees: "all that a tool says of itself, every kind of content, commands", run: seeTools},
		{row: 8, name: "headers", sees: "a tool that demands a forbidden header is left out and named", from: firstModern, on: []string{"http"}, run: seeForbiddenHeaders},
		{row: 9, name: "prompts", sees: "a list, a prompt with arguments, its command", run: seePrompts},
		{row: 10, name: "resources", sees: "lists, texts, bytes, templates", run: seeResources},
		{row: 10, name: "subscriptions", sees: "of two editors only the subscriber hears of an update", run: seeSubscriptions},
		{row: 10, name: "renewed", sees: "a subscription outlives a restart", run: seeRenewedSubscriptions},
		{row: 11, name: "completion", sees: "values for arguments of prompts and templates", run: seeCompletion},
		{row: 12, name: "pages", sees: "all pages in one list; a cursor that comes twice is an error", run: seePages},
		{row: 13, name: "changes", sees: "list_changed of tools, prompts and resources", run: seeChanges},
		{row: 13, name: "flood", sees: "lists are read once, and four times a second at most", run: seeFloodOfChanges},
		{row: 13, part: "`ttlMs`", name: "ttl", sees: "a list is good for as long as the server says", from: firstModern, run: seeTimeToLive},
		{row: 14, name: "roots", sees: "the folders, and the folders after a change", run: seeRoots},
		{row: 15, name: "sampling", sees: "the editor whose call led to it is asked; limited and audited", run: seeSampling},
		{row: 15, part: "with tools", name: "tools", sees: "sampling with tools", from: "2025-11-25", run: seeSamplingWithTools},
		{row: 16, name: "form", sees: "every kind of value, defaults, decline and cancel", from: "2025-06-18", run: seeForm},
		{row: 16, part: "by URL", name: "url", sees: "an address is put to the editor as it is", from: "2025-11-25", run: seeURL},
		{row: 16, part: "-32042", name: "required", sees: "the call is sent again when the person is done at the address", from: "2025-11-25", until: "2025-11-25", run: seeURLRequired},
		{row: 17, name: "inputs", sees: "several questions at once, several rounds, the state untouched", from: firstModern, run: seeInputs},
		{row: 18, name: "progress", sees: "in order, before the result", run: seeProgress},
		{row: 18, name: "life", sees: "progress restarts the clock of a call", run: seeSignsOfLife},
		{row: 19, name: "cancel", sees: "an editor gives up, and the server is told", run: seeCancellation},
		{row: 19, name: "withdrawn", sees: "a question that is not wanted any more is taken from the editor", run: seeWithdrawnQuestion},
		{row: 20, name: "ping", sees: "both ways; at 2026-07-28 with server/discover", run: seePing},
		{row: 21, name: "logging", sees: "messages of the level that was set, in the log and passed on", run: seeLogging},
		{row: 22, name: "limits", sees: "a start, a call and a reading end in time, and the server is told", run: seeTimeLimits},
		{row: 23, name: "errors", sees: "code, message and data of the server", run: seeErrors},
		{row: 24, name: "extensions", sees: "methods and notifications that nobody knows, both ways", run: seeExtensions},
		{row: 25, name: "audit", sees: "who did what, without arguments", run: seeAudit},
		{row: 25, name: "url", sees: "javascript: and its like do not reach the editor", run: seeBadURL},
		{row: 26, name: "sign_in", sees: "a sign-in with a browser, a renewal between two calls, a sign-out", from: "2025-03-26", on: []string{"http"},
			but: map[string]string{"stdio": aboutHTTP, "sse": "the authorization server of the tests protects Streamable HTTP"}, run: seeAuthorization},
	}
}
