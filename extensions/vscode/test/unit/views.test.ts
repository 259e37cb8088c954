import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Server } from '../../src/protocol';
import { hints, serverNotes, serverTooltip, worst } from '../../src/views/items';

const t = (message: string, ...args: (string | number)[]) =>
  message.replace(/\{(\d)\}/g, (_, i) => String(args[Number(i)]));

describe('views', () => {
  const server = (state: Server['state']) =>
    ({ name: 'a\u202e', state, scope: 'workspace', transport: 'stdio', source: 'builtin', restarts: 0 }) as Server;
  test('the worst state counts', () => {
    assert.equal(worst([server('ready'), server('failed'), server('needsApproval')]), 'failed');
    assert.equal(worst([server('ready'), server('disabled')]), 'ready');
    assert.equal(worst([]), undefined);
  });
  test('names are harmless', () => {
    assert.doesNotMatch(serverTooltip(server('ready'), t), /\u202e/);
  });
  test('problems are counted and named', () => {
    const troubled = { ...server('ready'), muted: true, problems: ['roots are left out\u202e', 'roots change late'] };
    assert.equal(serverNotes(troubled, t), 'ready, muted, problems: 2');
    assert.match(serverTooltip(troubled, t), /Problem: roots are left out.*\nProblem: roots change late\n/);
    assert.doesNotMatch(serverTooltip(troubled, t), /\u202e/);
    assert.equal(serverNotes(server('stopped'), t), 'stopped');
  });
  // Fault hostile-claims.
  test('hints are only said', () => {
    assert.equal(hints({ name: 'x', annotations: { readOnlyHint: true, destructiveHint: true } }, t), 'read-only');
    assert.equal(
      hints({ name: 'x', annotations: { destructiveHint: true, openWorldHint: true } }, t),
      'destructive, reaches external systems',
    );
    assert.equal(hints({ name: 'x' }, t), '');
  });
});
