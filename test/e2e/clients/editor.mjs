// Starts a language server, and an LSP client made of Microsoft's packages on it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as frames from './frames.mjs';

/** Waits until something is so. The test that runs this program ends what hangs. */
export async function until(what, holds) {
  process.stderr.write(`waiting until ${what}\n`);
  while (!await holds()) await pause(10);
}

/**
 * @param {{modules: string, way: string, seed: number}} how way is one of frames.mjs
 * @param {string[]} command
 */
export function start({ modules, way, seed }, [command, ...args]) {
  const lsp = createRequire(join(modules, 'x.js'))('vscode-languageserver-protocol/node');
  const unexpected = [];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const connection = lsp.createProtocolConnection(
    new lsp.StreamMessageReader(child.stdout),
    new lsp.StreamMessageWriter(frames[way](child.stdin, frames.randomOf(seed))),
    { error: (text) => unexpected.push(text), warn: (text) => unexpected.push(text), info() {}, log() {} },
  );
  connection.onError(([error]) => unexpected.push(String(error)));
  connection.onRequest((method) => {
    unexpected.push(method);
    return new lsp.ResponseError(lsp.ErrorCodes.MethodNotFound, method);
  });
  connection.listen();

  /** Ends as LSP wants it. Everything that the daemon asked must have been expected. */
  async function leave() {
    assert.equal(await connection.sendRequest(lsp.ShutdownRequest.type), null);
    await assert.rejects(connection.sendRequest('editord/servers', {}), { code: lsp.ErrorCodes.InvalidRequest });
    await connection.sendNotification(lsp.ExitNotification.type);
    const [code] = await ended;
    assert.equal(code, 0);
    assert.deepEqual(unexpected, []);
  }
  return { lsp, connection, leave };
}
