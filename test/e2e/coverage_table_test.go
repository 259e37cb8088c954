//go:build linux || darwin

package e2e

const lastLegacy = "2025-11-25"

// notOn are the transports that a row of docs/mcp.md is not about. The authorization server of the tests
// protects Streamable HTTP alone.
var notOn = map[int][]string{6: {"http", "sse"}, 7: {"stdio"}, 26: {"stdio", "sse"}}

// coverageTable is what of MCP is shown to work, in the order of docs/mcp.md. The first check of a row runs in every
// lane; what is the same in each version of an era is seen in the last.
func coverageTable() []check {
	return []check{
		{row: 1, name: "messages", run: seeMessages},
		{row: 2, name: "batches", run: seeBatches},
		{row: 3, name: "versions", run: seeVersion},
		{row: 4, name: "capabilities", run: seeCapabilities},
		{row: 5, name: "life", run: seeLifeCycle},
		{row: 6, name: "stdio", on: []string{"stdio"}, run: seeStdio},
		{row: 7, name: "sessions", until: lastLegacy, on: []string{"http"}, run: seeSessions},
		{row: 7, name: "lost", until: lastLegacy, on: []string{"http"}, run: seeLostSession},
		{row: 7, name: "resumption", until: lastLegacy, on: []string{"http"}, run: seeResumption},
		{row: 7, name: "headers", from: firstModern, on: []string{"http"}, run: seeHeaders},
		{row: 7, name: "sse", on: []string{"sse"}, run: seeSSE},
		{row: 8, name: "tools", run: seeTools},
		{row: 8, name: "headers", from: firstModern, on: []string{"http"}, run: seeForbiddenHeaders},
		{row: 9, name: "prompts", run: seePrompts},
		{row: 10, name: "resources", run: seeResources},
		{row: 10, name: "subscriptions", run: seeSubscriptions},
		{row: 10, name: "renewed", from: lastLegacy, run: seeRenewedSubscriptions},
		{row: 11, name: "completion", run: seeCompletion},
		{row: 12, name: "pages", run: seePages},
		{row: 13, name: "changes", run: seeChanges},
		{row: 13, name: "flood", from: lastLegacy, run: seeFloodOfChanges},
		{row: 13, part: "`ttlMs`", name: "ttl", from: firstModern, run: seeTimeToLive},
		{row: 14, name: "roots", run: seeRoots},
		{row: 15, name: "sampling", run: seeSampling},
		{row: 15, part: "with tools", name: "tools", from: "2025-11-25", run: seeSamplingWithTools},
		{row: 16, name: "form", from: "2025-06-18", run: seeForm},
		{row: 16, part: "by URL", name: "url", from: "2025-11-25", run: seeURL},
		{row: 16, part: "-32042", name: "required", from: "2025-11-25", until: "2025-11-25", run: seeURLRequired},
		{row: 17, name: "inputs", from: firstModern, run: seeInputs},
		{row: 18, name: "progress", run: seeProgress},
		{row: 18, name: "life", from: lastLegacy, run: seeSignsOfLife},
		{row: 19, name: "cancel", run: seeCancellation},
		{row: 19, name: "withdrawn", from: lastLegacy, run: seeWithdrawnQuestion},
		{row: 20, name: "ping", run: seePing},
		{row: 21, name: "logging", run: seeLogging},
		{row: 22, name: "limits", run: seeTimeLimits},
		{row: 23, name: "errors", run: seeErrors},
		{row: 24, name: "extensions", run: seeExtensions},
		{row: 25, name: "audit", run: seeAudit},
		{row: 25, name: "url", from: lastLegacy, run: seeBadURL},
		{row: 26, name: "sign_in", from: "2025-03-26", on: []string{"http"}, run: seeAuthorization},
	}
}
