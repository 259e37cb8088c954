// An editor made of Microsoft's LSP packages, on the command it is given:
//
//   node lsp.mjs '{"modules", "way", "seed", "folder", "record"}' COMMAND ARGS…
//
// way is one of frames.mjs, and record what the server "fake" has got. The server "slow" reports
// progress of each call. It ends with an exception when something is not as it should be.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { start, until } from './editor.mjs';

const { folder, record, ...how } = JSON.parse(process.argv[2]);
const { lsp, connection, leave } = start(how, process.argv.slice(3));

/** How often the server has got a text. */
const got = (text) => readFileSync(record, 'utf8').split(text).length - 1;

// What the daemon has asked, in its order.
const commands = new Map(); // by registration
const tokens = [];

connection.onRequest(lsp.RegistrationRequest.type, ({ registrations }) => {
  for (const { id, method, registerOptions } of registrations) {
    assert.equal(method, lsp.ExecuteCommandRequest.method);
    commands.set(id, registerOptions.commands);
  }
});
connection.onRequest(lsp.UnregistrationRequest.type, ({ unregisterations }) => {
  for (const { id } of unregisterations) assert.ok(commands.delete(id), `${id} was registered`);
});
connection.onRequest(lsp.WorkDoneProgressCreateRequest.type, ({ token }) => {
  tokens.push(token);
});
await connection.trace(lsp.Trace.Verbose, { log() {} });

const toolCall = new lsp.ProtocolRequestType('mcp/tools/call');
const call = (name, arguments_, more, token) =>
  connection.sendRequest(toolCall, { server: 'fake', params: { name, arguments: arguments_ }, ...more }, token);

/** Follows a token, and returns what it reports. */
function follow(token) {
  const reports = [];
  connection.onProgress(lsp.WorkDoneProgress.type, token, (value) => reports.push(value));
  return reports;
}

async function attach() {
  await assert.rejects(connection.sendRequest('editord/servers', {}), { code: lsp.ErrorCodes.ServerNotInitialized });
  const { capabilities, serverInfo } = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    clientInfo: { name: 'lsp.mjs', version: '1' },
    rootUri: null,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'project' }],
    capabilities: {
      workspace: { workspaceFolders: true, configuration: true, executeCommand: { dynamicRegistration: true } },
      window: { workDoneProgress: true },
      experimental: { mcp: {} },
    },
    trace: 'verbose',
  });
  assert.equal(serverInfo.name, 'mcp-editord');
  assert.ok(capabilities.executeCommandProvider.commands.includes('editord.showStatus'));
  await connection.sendNotification(lsp.InitializedNotification.type, {});
}

async function registration() {
  const all = () => [...commands.values()].flat();
  await until('the commands of both servers are registered', () => ['mcp.tool.fake.echo', 'mcp.tool.slow.hang'].every((id) => all().includes(id)));
  const { structuredContent } = await connection.sendRequest(lsp.ExecuteCommandRequest.type, { command: 'mcp.tool.fake.echo', arguments: [{ n: 1 }] });
  assert.deepEqual(structuredContent.params.arguments, { n: 1 });
  await call('change', { kind: 'tools', remove: ['echo'] });
  await until('the command of a tool that has gone is registered no more', () => !all().includes('mcp.tool.fake.echo'));
  assert.equal(new Set(all()).size, all().length, 'no command is registered twice');
  await call('change', { kind: 'tools', add: [{ name: 'echo', inputSchema: { type: 'object' } }] });
  await until('it is back', () => all().includes('mcp.tool.fake.echo'));
}

async function texts() {
  // Characters of one to four bytes, a half of a pair that JSON escapes, and what looks like a header.
  for (const text of ['a\u00e9\u20ac\u{1f600}'.repeat(50), '\r\n\r\nContent-Length: 5\r\n\r\n{}', '\u2028\u0000\ufeff', '']) {
    const { structuredContent } = await call('echo', { text });
    assert.equal(structuredContent.params.arguments.text, text);
  }
  const large = '\u20ac\u{1f600}\u00e9x'.repeat(300_000);
  const { structuredContent } = await call('echo', { text: large });
  assert.ok(structuredContent.params.arguments.text === large, 'three megabytes come back as they were');

  // Many at once, each with the answer that is its own.
  const numbers = Array.from({ length: 100 }, (_, n) => n);
  const answers = await Promise.all(numbers.map((n) => call('echo', { n })));
  assert.deepEqual(answers.map((answer) => answer.structuredContent.params.arguments.n), numbers);
}

async function cancellation() {
  const source = new lsp.CancellationTokenSource();
  const told = got('notifications/cancelled');
  const hung = got('"name":"hang"');
  const pending = assert.rejects(call('hang', {}, {}, source.token), { code: lsp.LSPErrorCodes.RequestCancelled });
  await until('the server has the call', () => got('"name":"hang"') > hung);
  source.cancel();
  await pending;
  await until('the server knows that it is cancelled', () => got('notifications/cancelled') > told);

  // A cancellation right behind its request, and one that comes too late.
  const early = new lsp.CancellationTokenSource();
  const both = assert.rejects(call('hang', {}, {}, early.token), { code: lsp.LSPErrorCodes.RequestCancelled });
  early.cancel();
  await both;
  await connection.sendNotification('$/cancelRequest', { id: 1 });
  await call('echo', {});
}

async function progress() {
  const reports = follow('mine');
  await call('progress', { n: 3 }, { workDoneToken: 'mine' });
  assert.equal(reports[0].kind, 'begin');
  assert.equal(reports.at(-1).kind, 'end', 'the end comes before the answer');
  const steps = reports.slice(1, -1);
  assert.ok(steps.length > 0);
  assert.equal(steps.at(-1).percentage, 100);
  assert.equal(steps.at(-1).message, 'step 3');

  // A command without a token gets one of the daemon's, by which it can be cancelled.
  const pending = connection.sendRequest(lsp.ExecuteCommandRequest.type, {
    command: 'mcp.tool.slow.hang', arguments: [{}],
  });
  await until('the daemon has asked for a token', () => tokens.length > 0);
  await connection.sendNotification(lsp.WorkDoneProgressCancelNotification.type, { token: tokens[0] });
  await assert.rejects(pending, { code: lsp.LSPErrorCodes.RequestCancelled });
}

async function refusals() {
  await assert.rejects(connection.sendRequest('mcp/tools/call', { server: 'nowhere', params: {} }), { code: lsp.ErrorCodes.InvalidParams });
  await assert.rejects(connection.sendRequest('textDocument/nothing', {}), { code: lsp.ErrorCodes.MethodNotFound });
  await connection.sendNotification('nothing/known', { a: 1 });
}

for (const part of [attach, registration, texts, cancellation, progress, refusals, leave]) {
  process.stderr.write(`${part.name}\n`);
  await part();
}
