import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { offers } from '../../src/chat/offer';
import type { Server, ServerState } from '../../src/protocol';

describe('the servers for the chat', () => {
  const server = (name: string, more: Partial<Server> = {}): Server => ({
    name,
    state: 'ready',
    scope: 'workspace',
    transport: 'stdio',
    source: 'file:///home/ada/mcp.json',
    restarts: 0,
    ...more,
  });
  const names = (...servers: Server[]) => offers('/bin/mcp-editord', servers, []).map((o) => o.label);

  test('are reached through the daemon, in the folders of the window', () => {
    assert.deepEqual(offers('/bin/mcp-editord', [server('a b', { digest: 'd1' })], ['/x y', '/z']), [
      {
        label: 'a b',
        command: '/bin/mcp-editord',
        args: ['mcp', '--server', 'a b', '--folder', '/x y', '--folder', '/z'],
        version: 'd1',
      },
    ]);
  });
  test('are named harmlessly, and called by their own name', () => {
    const [odd] = offers('/bin/mcp-editord', [server('$(flame)\u202e')], []);
    assert.equal(odd?.label, '$ (flame)\\u{202e}');
    assert.deepEqual(odd?.args, ['mcp', '--server', '$(flame)\u202e']);
  });

  const states: Record<ServerState, boolean> = {
    ready: true,
    starting: true,
    restarting: true,
    stopped: true,
    failed: true,
    needsApproval: false,
    needsSignIn: false,
    disabled: false,
  };
  for (const [state, offered] of Object.entries(states) as [ServerState, boolean][]) {
    test(`${offered ? 'have' : 'do not have'} one that is ${state}`, () => {
      assert.deepEqual(names(server('a', { state })), offered ? ['a'] : []);
    });
  }
  test('do not have one that VS Code runs itself, so that none comes back to it', () => {
    assert.deepEqual(names(server('theirs', { state: 'disabled', runBy: 'VS Code' }), server('ours')), ['ours']);
  });
  test('do not have one that this editor brings, which others cannot reach', () => {
    assert.deepEqual(names(server('mine', { source: 'editor' }), server('inside', { source: 'builtin' })), ['inside']);
  });
});
