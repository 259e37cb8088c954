// An editor made of Microsoft's LSP packages that types at random. What it takes for the text must be
// what the daemon takes for it:
//
//   node documents.mjs '{"modules", "way", "seed", "folder", "rounds"}' COMMAND ARGS…
//
// The daemon shows the text of a range as the selection that an action would go along with.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { start } from './editor.mjs';
import { randomOf } from './frames.mjs';

const { folder, rounds, ...how } = JSON.parse(process.argv[2]);
const { TextDocument } = createRequire(join(how.modules, 'x.js'))('vscode-languageserver-textdocument');
const { lsp, connection, leave } = start(how, process.argv.slice(3));
const random = randomOf(how.seed + 1);
const below = (n) => Math.floor(random() * n);

await connection.sendRequest(lsp.InitializeRequest.type, {
  processId: process.pid, rootUri: null, workspaceFolders: null,
  capabilities: { textDocument: { codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: [] } } } } },
});
await connection.sendNotification(lsp.InitializedNotification.type, {});

// Characters of one to four bytes, of one and two UTF-16 code units, and all line ends.
const pieces = ['a', 'bc ', '\u00e9', '\u20ac', '\u{1f600}', '\u{10ffff}', '\r\n', '\n', '\r', '\n\n', '\t', '"\\', '\u2028', 'e\u0301'];
const text = (n) => Array.from({ length: below(n) }, () => pieces[below(pieces.length)]).join('');

/** A place that does not cut a character. */
function place(document) {
  const at = below(document.getText().length + 1);
  const code = document.getText().charCodeAt(at);
  return document.positionAt(code >= 0xdc00 && code <= 0xdfff ? at - 1 : at);
}

function range(document) {
  const [start, end] = [place(document), place(document)].sort((a, b) => document.offsetAt(a) - document.offsetAt(b));
  return { start, end };
}

/** The text of a range, as the daemon has it. */
async function theirs(document, range) {
  const actions = await connection.sendRequest(lsp.CodeActionRequest.type, { textDocument: { uri: document.uri }, range, context: { diagnostics: [] } });
  const { context } = actions.find(({ title }) => title === 'MCP: Call…').command.arguments[0];
  assert.deepEqual(context.range, range);
  return context.selectedText ?? '';
}

async function compare(document, what) {
  const whole = { start: { line: 0, character: 0 }, end: document.positionAt(document.getText().length) };
  assert.equal(await theirs(document, whole), document.getText(), what);
  const part = range(document);
  assert.equal(await theirs(document, part), document.getText(part), what);
}

for (let round = 0; round < rounds; round++) {
  const uri = `${pathToFileURL(folder).href}/${round} \u{1f600}.txt`.replaceAll(' ', '%20');
  let document = TextDocument.create(uri, 'plaintext', 1, text(200));
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: 'plaintext', version: 1, text: document.getText() },
  });
  await compare(document, `opened in round ${round}`);
  for (let version = 2; version < 30; version++) {
    const contentChanges = [];
    for (let n = 1 + below(4); n > 0; n--) {
      // The places of a change are those after the changes before it.
      const change = below(20) === 0 ? { text: text(200) } : { range: range(document), text: text(12) };
      document = TextDocument.update(document, [change], version);
      contentChanges.push(change);
    }
    await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, { textDocument: { uri, version }, contentChanges });
    if (below(3) === 0) await compare(document, `round ${round}, version ${version}: ${JSON.stringify(contentChanges)}`);
  }
  await compare(document, `round ${round}`);
  await connection.sendNotification(lsp.DidCloseTextDocumentNotification.type, { textDocument: { uri } });
}
await leave();
