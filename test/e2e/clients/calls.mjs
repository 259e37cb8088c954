// An editor made of Microsoft's LSP packages that runs a call document while it types in it. Each result
// must stand below its call, and nothing else may change:
//
//   node calls.mjs '{"modules", "way", "seed", "folder", "rounds"}' COMMAND ARGS…

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { start, until } from './editor.mjs';
import { randomOf } from './frames.mjs';

const { folder, rounds, ...how } = JSON.parse(process.argv[2]);
const { TextDocument } = createRequire(join(how.modules, 'x.js'))('vscode-languageserver-textdocument');
const { lsp, connection, leave } = start(how, process.argv.slice(3));
const random = randomOf(how.seed + 1);
const below = (n) => Math.floor(random() * n);

let document; // as the person sees it
let typed; // the same without results
let refused = 0;

/** Changes the document, and tells the daemon. */
function change(edit) {
  document = TextDocument.update(document, [edit], document.version + 1);
  return connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
    textDocument: { uri: document.uri, version: document.version }, contentChanges: [edit],
  });
}

connection.onRequest(lsp.ApplyWorkspaceEditRequest.type, async ({ edit }) => {
  const [{ textDocument, edits }] = edit.documentChanges;
  assert.equal(textDocument.uri, document.uri);
  if (textDocument.version !== document.version) {
    refused++;
    return { applied: false };
  }
  assert.equal(edits.length, 1);
  await change({ range: edits[0].range, text: edits[0].newText });
  return { applied: true };
});
connection.onNotification(lsp.PublishDiagnosticsNotification.type, () => {});

await connection.sendRequest(lsp.InitializeRequest.type, {
  processId: process.pid,
  rootUri: null,
  workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'project' }],
  capabilities: { workspace: { applyEdit: true, workspaceEdit: { documentChanges: true } } },
});
await connection.sendNotification(lsp.InitializedNotification.type, {});
await until('the server is ready', async () => {
  const { servers } = await connection.sendRequest(new lsp.ProtocolRequestType('editord/servers'), {});
  return servers.find(({ name }) => name === 'fake')?.state === 'ready';
});

/** Takes the results out of a text. */
const without = (text) => text.replace(/^result: \|\r?\n(?: .*\r?\n)*/gm, '');

for (let round = 0; round < rounds; round++) {
  const eol = ['\n', '\r\n'][round % 2];
  const calls = Array.from({ length: 1 + below(4) }, (_, n) => ['# \u{1f600}', 'call: fake.echo', 'with:', `  n: ${n}`, '  text: "\u20ac\u{1f600}"', ''].join(eol));
  typed = calls.join(`---${eol}`);
  const uri = `${pathToFileURL(folder).href}/${round}.mcp`;
  document = TextDocument.create(uri, 'mcp', 1, typed);
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: 'mcp', version: 1, text: typed } });
  const count = calls.length;
  const run = (call) => connection.sendRequest(lsp.ExecuteCommandRequest.type, { command: 'mcp.run', arguments: [{ textDocument: { uri }, call }] });
  const answers = Array.from({ length: count }, (_, call) => run(call));
  for (let n = below(12); n > 0; n--) { // comments at the top, while the calls are under way
    const text = `# ${'\u{1f600}'.repeat(below(3))}${eol}`;
    typed = text + typed;
    await change({ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text });
  }
  assert.deepEqual(await Promise.all(answers), Array(count).fill(null));
  await until('all results are there', () => document.getText().split('result:').length === count + 1);
  assert.equal(without(document.getText()), typed);
  for (const [n, part] of document.getText().split(/^---\r?\n/m).entries()) {
    assert.match(part, /result: \|\r?\n/);
    assert.match(part.split('result:')[1], new RegExp(`n: ${n}\\s`), 'each result is that of its call');
  }
  await connection.sendNotification(lsp.DidCloseTextDocumentNotification.type, { textDocument: { uri } });
}
process.stderr.write(`${refused} edits were for an older text\n`);
await leave();
