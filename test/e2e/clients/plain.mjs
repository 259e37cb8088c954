// A plain editor made of Microsoft's LSP packages: it knows nothing of MCP.
//
//   node plain.mjs '{"modules", "way", "seed", "folder", "record"}' COMMAND ARGS…
//
// record is what the server "fake" has got. The server "slow" reports progress of each call.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { start, until } from './editor.mjs';

const { folder, record, ...how } = JSON.parse(process.argv[2]);
const { lsp, connection, leave } = start(how, process.argv.slice(3));

const commands = new Set();
const seen = []; // what a person sees, in its order
const foreign = []; // notifications that LSP does not have

connection.onNotification((method) => foreign.push(method));
connection.onNotification(lsp.ShowMessageNotification.type, ({ type, message }) => seen.push({ type, message }));
connection.onRequest(lsp.RegistrationRequest.type, ({ registrations }) => {
  for (const { registerOptions } of registrations) registerOptions.commands.forEach((id) => commands.add(id));
});
connection.onRequest(lsp.WorkDoneProgressCreateRequest.type, ({ token }) => {
  connection.onProgress(lsp.WorkDoneProgress.type, token, ({ kind }) => seen.push({ kind, token }));
});

const run = (command, ...arguments_) => connection.sendRequest(lsp.ExecuteCommandRequest.type, { command, arguments: arguments_ });
const message = async (pattern) => {
  let found;
  await until(`a message says ${pattern}`, () => (found = seen.find((one) => pattern.test(one.message ?? ''))));
  return found;
};

await connection.sendRequest(lsp.InitializeRequest.type, {
  processId: process.pid,
  rootUri: null,
  workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'project' }],
  capabilities: { workspace: { executeCommand: { dynamicRegistration: true } }, window: { workDoneProgress: true } },
});
await connection.sendNotification(lsp.InitializedNotification.type, {});
await until('the commands are registered', () => commands.has('mcp.tool.fake.echo') && commands.has('mcp.tool.slow.hang'));

// The answer comes at once, though the server never answers; what came of the call comes when it is there.
assert.equal(await run('mcp.tool.fake.hang'), null);
assert.equal(await run('mcp.tool.fake.echo', { text: 'a\u20ac' }), null);
assert.equal((await message(/echo/)).type, lsp.MessageType.Info);

// The end of the progress comes before the message: in some editors it clears the line of the message.
assert.equal(await run('mcp.tool.slow.hang'), null);
await until('the progress is shown', () => seen.some(({ kind }) => kind === 'report'));
const { token } = seen.find(({ kind }) => kind === 'report');
await connection.sendNotification(lsp.WorkDoneProgressCancelNotification.type, { token });
const cancelled = seen.indexOf(await message(/hang.*cancelled/));
assert.ok(seen.findIndex((one) => one.kind === 'end' && one.token === token) < cancelled);

// An error is shown, and is an error.
await assert.rejects(run('mcp.tool.fake.nothing'), { code: lsp.ErrorCodes.InvalidParams });
assert.equal((await message(/mcp\.tool\.fake\.nothing/)).type, lsp.MessageType.Error);
assert.equal(await run('mcp.tool.fake.refuse', { code: -32000, message: 'not today' }), null);
assert.equal((await message(/not today/)).type, lsp.MessageType.Error);

assert.equal(readFileSync(record, 'utf8').split('notifications/cancelled').length, 1);
await leave();
assert.deepEqual(foreign, []);
