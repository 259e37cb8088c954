// Package fakeserver is an MCP server on stdio for tests that does what it is
// told, which is mostly wrong. The command in cmd/fakeserver is this package as
// a program; a test binary becomes it by running itself again with [Env] set
// and calling [Main].
//
// # Script
//
// [Env] holds a JSON document, or the path of a file with one; see [Script] for
// its members. Besides tools it may name, in `steps`, actions for moments:
//
//	{"pageSize": 2, "steps": {
//	  "start":      [{"do": "stdout", "text": "hello"}, {"do": "exit", "code": 3}],
//	  "initialize": [{"do": "delay", "ms": 100}],
//	  "eof":        [{"do": "hang"}]}}   // ignores the end of stdin
//
// The moments are "start", "eof" (the end of stdin) and the name of any method
// that a client sends. Steps run one after the other before the server does what it would do.
//
// # Actions
//
// An action is a step of a moment, or a call of the tool of its name: its members
// are then the arguments. A tool answers with a text and with `structuredContent`.
//
//	echo      answers with the params of the call, verbatim, as structuredContent.params
//	process   {env: [names]}: answers with {pid, cwd, args, env}
//	delay     {ms}: waits
//	hang      never goes on; what it belongs to is never answered
//	refuse    {code, message, data}: what it belongs to gets this error
//	exit      {code}, or {signal}: ends the process at once
//	ignore    {signal}: is deaf to the signal of this number from now on
//	progress  {n, late}: n notifications of progress before the result and late after it
//	ask       {method, params, id}: sends a request; structuredContent.answer is the
//	          whole response. id is raw JSON, and made up when absent
//	ask_roots, ask_sampling, ask_elicitation   {params}: ask with this method
//	notify    {method, params, n}: sends a notification n times
//	change    {kind, add: [raw], remove: [names], n}: changes the list of this kind
//	          ("tools", "prompts", "resources") and tells so n times
//	big       {bytes}: a result with a text of so many bytes
//	raw       {lines: [text]}: writes lines verbatim in the place of an answer;
//	          $ID in them is the id of the request
//	batch     answers with an array of a notification and the result
//	stdout, stderr   {text, n}: writes text n times; no newline is added
//	flood     {to: "stdout", "stderr" or "notifications", bytes}: without newlines on
//	          stdout and stderr
//	close     {stream: "stdin", "stdout" or "stderr"}
//	deaf      stops reading stdin
//	fork      {how: "group", "stdout", "setsid" or "escape", seconds}: starts a sleep that has
//	          nothing of ours open, holds stdout open, is in a session of its own, or is in
//	          one of its own without our environment and with stdout open;
//	          structuredContent.pid
//
// # Grease
//
// Unless the script says `"plain": true`, every result has a member nobody knows, every
// tool result a content of a type nobody knows, and after initialized comes a
// notification nobody knows, so that clients stay tolerant.
package fakeserver
