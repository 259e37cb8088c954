// Package fakeserver is an MCP server for tests that does what it is told, which is
// mostly wrong. The command in cmd/fakeserver is this package as a program; a
// test binary becomes it by running itself again with [Env] set and calling [Main].
//
// It talks on stdio, or with the arguments `-http ADDR` over HTTP: its first line on
// standard output is then its URL. ADDR must be on the loopback interface.
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
// So a server that is silent to `server/discover`, or exits on it, is one whose step
// for it is "hang" or "exit"; one that refuses `initialize` has the step "refuse".
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
//	ask_inputs   {inputs: {key: {method, params}}, state, rounds, resultType}: answers
//	          with input_required, so many rounds (1) long; then structuredContent.rounds
//	          has the inputResponses and the requestState of each. Without a state there
//	          is one round at most. As a step it asks before anything else
//	end_listen   {how: "drop"}: ends every subscriptions/listen, with a response or without
//	headers   answers with {headers}: those of the call over HTTP
//	forget    ends every session, over HTTP
//	disconnect   breaks the connection of a call over HTTP, which is never answered
//	fork      {how: "group", "stdout", "setsid" or "escape", seconds}: starts a sleep that has
//	          nothing of ours open, holds stdout open, is in a session of its own, or is in
//	          one of its own without our environment and with stdout open;
//	          structuredContent.pid
//
// # Eras
//
// `protocolVersions` says which eras it speaks. At 2026-07-28 it wants what the specification
// wants in `_meta` and has only the methods of that version; progress and `ask`, which is a
// lie there, go on the stream of their request, changes of lists and updates of resources to
// those who listen for them. In the legacy era these go to every client, subscribed or not.
//
// # HTTP
//
// [HTTPScript] says how it behaves. The record has, besides every message that came,
// a line {"method": "GET" or "DELETE", "params": {session, lastEventID}} for requests
// that carry none, and {"method": "closed", "params": {requestId}} for a response that the
// client let go of before its end.
//
// # Grease
//
// Unless the script says `"plain": true`, every result has a member nobody knows, every
// tool result a content of a type nobody knows, and after initialized comes a
// notification nobody knows, so that clients stay tolerant.
package fakeserver
