// Package fakeserver is an MCP server for tests that does what it is told, which is
// mostly wrong. The command in cmd/fakeserver is this package as a program. A test binary
// becomes the server by running itself again with [Env] set and calling [Main].
//
// The server talks on stdio, or over HTTP with the arguments `-http ADDR`: then its first
// line on standard output is its URL. ADDR must be on the loopback interface.
//
// # Script
//
// [Env] holds a JSON document, or the path of a file with one; see [Script] for its members.
// Its `steps` name actions for moments:
//
//	{"pageSize": 2, "steps": {
//	  "start":      [{"do": "stdout", "text": "hello"}, {"do": "exit", "code": 3}],
//	  "initialize": [{"do": "delay", "ms": 100}],
//	  "eof":        [{"do": "hang"}]}}   // ignores the end of stdin
//
// The moments are "start", "eof" (the end of stdin) and the name of any method that a client
// sends. Steps run one after the other, before the server does what it usually does. So the
// step "hang" makes a server silent to `server/discover`, "exit" makes it exit on that, and
// "refuse" makes it refuse `initialize`.
//
// # Actions
//
// An action is a step of a moment, or a call of the tool with its name: then its members are
// the arguments. A tool answers with a text and with `structuredContent`.
//
//	echo      answers with the params of the call, verbatim, as structuredContent.params
//	process   {env: [names]}: answers with {pid, cwd, args, env}
//	delay     {ms}: waits
//	hang      never returns: the request is never answered
//	refuse    {code, message, data}: answers the request with this error
//	exit      {code}, or {signal}: ends the process at once
//	ignore    {signal}: ignores the signal of this number from now on
//	progress  {n, late}: sends n notifications of progress before the result and late after it
//	ask       {method, params, id}: sends a request; structuredContent.answer is the
//	          whole response. id is raw JSON; the server makes one up when it is absent
//	ask_roots, ask_sampling, ask_elicitation   {params}: ask with this method
//	notify    {method, params, n}: sends a notification n times
//	change    {kind, add: [raw], remove: [names], n}: changes the list of this kind
//	          ("tools", "prompts", "resources") and says so n times
//	big       {bytes}: answers with a text of so many bytes
//	raw       {lines: [text]}: writes lines verbatim instead of an answer; $ID in them is
//	          the id of the request
//	batch     answers with an array of a notification and the result
//	stdout, stderr   {text, n}: writes text n times; no newline is added
//	flood     {to: "stdout", "stderr" or "notifications", bytes}: writes at least so many
//	          bytes, without newlines on stdout and stderr
//	close     {stream: "stdin", "stdout" or "stderr"}: closes it
//	deaf      stops reading stdin
//	ask_inputs   {inputs: {key: {method, params}}, state, rounds, resultType}: answers
//	          with input_required for so many rounds (1); then structuredContent.rounds has
//	          the inputResponses and the requestState of each round. Without a state there
//	          is one round at most. As a step it asks before anything else
//	end_listen   ends every subscriptions/listen
//	headers   answers with {headers}: those of the call over HTTP
//	forget    ends every session, over HTTP
//	disconnect   breaks the connection of a call over HTTP, which is never answered
//
// # Eras
//
// `protocolVersions` says which eras the server speaks. At 2026-07-28 it requires what the
// specification requires in `_meta`, and has only the methods of that version. There progress
// and `ask`, which that version forbids, go on the stream of their request. Changes of lists
// and updates of resources go to those who listen for them; in the legacy era they go to
// every client, subscribed or not.
//
// # HTTP
//
// [HTTPScript] says how the server behaves. The record has every message that came, and two
// more kinds of lines: {"method": "GET" or "DELETE", "params": {session, lastEventID}} for
// requests without a message, and {"method": "closed", "params": {requestId}} for a response
// that the client closed before its end.
//
// # Grease
//
// Unless the script says `"plain": true`, every result has an unknown member, every tool
// result has content of an unknown type, and an unknown notification follows initialized, so
// that clients stay tolerant.
package fakeserver
