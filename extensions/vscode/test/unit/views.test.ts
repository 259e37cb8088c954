import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Server } from '../../src/protocol';
import {
  about,
  commandTooltip,
  findable,
  hints,
  serverIcon,
  serverNotes,
  serverSummary,
  serverTooltip,
  worst,
} from '../../src/views/items';
import { statusText } from '../../src/views/status-text';

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
    assert.equal(serverNotes(troubled, t), 'ready, muted, 2 problems');
    assert.equal(serverIcon(troubled).icon, 'warning');
    assert.equal(serverIcon(server('ready')).icon, 'circle-filled');
    assert.match(serverTooltip(troubled, t), /Problem: roots are left out.*\nProblem: roots change late\n/);
    assert.doesNotMatch(serverTooltip(troubled, t), /\u202e/);
    assert.equal(serverNotes(server('stopped'), t), 'stopped');
  });
  test('a server that waits for a person says so', () => {
    const waits: Server = { ...server('starting'), waitsFor: 'input' };
    assert.equal(serverNotes(waits, t), 'waits for your answer');
    assert.equal(serverIcon(waits).icon, 'question');
    assert.equal(serverNotes(server('starting'), t), 'starting');
  });
  test('the status tells agents from editors', () => {
    const editors = [
      { id: 1, name: 'VS Code', folders: [], you: true },
      { id: 2, name: 'its chat', folders: [], agent: true },
    ];
    const status = { version: '', pid: 1, socket: '', config: '', logFile: '', uptime: 0, servers: [], counters: {} };
    const text = statusText({ ...status, editors }, t);
    assert.match(text, /\nEditors\n {2}1 {2}VS Code .*\n\nAgents and chats\n {2}2 {2}its chat .*\n\nServers\n/);
    assert.doesNotMatch(statusText({ ...status, editors: editors.slice(0, 1) }, t), /Agents/);
  });
  test('tools that have changed are counted among what is unusual, and named', () => {
    const tools = ['a\u202e', 'b'].map((name) => ({ name }));
    const held = { ...server('ready'), held: { tools } } as unknown as Server;
    assert.equal(serverNotes(held, t), 'ready, tools changed: review');
    assert.match(serverTooltip(held, t), /Tools that have changed: a\\u\{202e\}, b\. Agents get them again once/);
    const denied = { ...held, heldDenied: true };
    assert.equal(serverNotes(denied, t), 'ready, changed tools denied');
    assert.match(serverTooltip(denied, t), /Tools that have changed: a\\u\{202e\}, b\. You denied them to agents/);
  });
  test('what another client runs says so, and what to do', () => {
    const theirs = { ...server('disabled'), runBy: 'Some\u202e Editor' };
    assert.equal(serverNotes(theirs, t), 'run by Some\\u{202e} Editor');
    assert.match(serverTooltip(theirs, t), /: run by Some\\u\{202e\} Editor\n.*Share it to run it once/);
  });
  test('the reason of a failure is told, with the last output', () => {
    const stderr = Array.from({ length: 20 }, (_, i) => `line ${i}\u202e`);
    const failed = {
      ...server('failed'),
      error: { kind: 'exit', message: 'it exited\nwith code 3', stderr },
    } as Server;
    assert.equal(serverSummary(failed, t), 'failed: it exited with code 3');
    assert.equal(serverSummary(server('ready'), t), 'ready');
    const tooltip = serverTooltip(failed, t);
    assert.match(tooltip, /it exited with code 3\nIts last output:\n {4}line 15/);
    assert.match(tooltip, /line 19/);
    assert.doesNotMatch(tooltip, /line 14|\u202e/);
  });
  test('a tooltip says where a server is defined', () => {
    assert.match(serverTooltip(server('ready'), t), /Built into mcp-editord\./);
    assert.match(
      serverTooltip({ ...server('ready'), source: 'file:///a%20b/mcp.json' }, t),
      /Defined in: \/a b\/mcp.json/,
    );
  });
  test('a description is one line in lists', () => {
    assert.equal(about('\n Reads a file.\r\n\n  Fast.\u202e\n'), 'Reads a file. Fast.\\u{202e}');
    assert.ok(about(`a${'\n'.repeat(100_000)}b`).length < 10);
  });
  test('a tool is found by what it is called, and its tooltip has hints and description', () => {
    const tool = { name: 'a_b', description: 'Does it.\nAll.', annotations: { title: 'A B', destructiveHint: true } };
    const command = { kind: 'tool', id: 'mcp.tool.s.a_b', server: 's', name: 'a_b', tool } as const;
    assert.deepEqual(findable(command), { name: 'a_b', title: 'A B', server: 's', text: 'Does it.\nAll.' });
    assert.equal(commandTooltip(command, t), 'a_b\ndestructive\nDoes it. All.');
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
