import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findBinary, type Surroundings } from '../../src/daemon/binary';
import { Crashes } from '../../src/daemon/crashes';
import { readMessage } from '../../src/daemon/message';

const t = (message: string, ...args: (string | number)[]) =>
  message.replace(/\{(\d)\}/g, (_, i) => String(args[Number(i)]));

describe('the binary', () => {
  const find = (o: Partial<Surroundings>, ...there: string[]) =>
    findBinary({
      setting: '',
      extension: '/ext',
      path: '/usr/bin:/opt/bin',
      platform: 'linux',
      runnable: (f) => there.includes(f),
      t,
      ...o,
    });

  test('of the setting comes first', () => {
    assert.deepEqual(find({ setting: '/my/one' }, '/my/one', '/ext/bin/mcp-editord'), {
      file: '/my/one',
      reason: 'the setting mcp-editord.path names it',
    });
  });
  test('of a setting that leads nowhere is a problem', () => {
    assert.match((find({ setting: '/my/one' }, '/ext/bin/mcp-editord') as { problem: string }).problem, /\/my\/one/);
  });
  test('of the package comes before PATH', () => {
    assert.deepEqual(find({}, '/ext/bin/mcp-editord', '/opt/bin/mcp-editord'), {
      file: '/ext/bin/mcp-editord',
      reason: 'it came with the extension',
    });
  });
  test('is the first in PATH', () => {
    assert.deepEqual(find({}, '/opt/bin/mcp-editord'), { file: '/opt/bin/mcp-editord', reason: 'it is in PATH' });
  });
  test('is not looked for in a relative folder, which would be the workspace', () => {
    assert.ok(
      'problem' in
        find({ path: '.:bin::node_modules/.bin' }, './mcp-editord', 'bin/mcp-editord', '/mcp-editord', 'mcp-editord'),
    );
  });
  test('on Windows', () => {
    assert.deepEqual(find({ platform: 'win32', path: 'C:\\a;D:\\b\\' }, 'D:\\b\\mcp-editord.exe'), {
      file: 'D:\\b\\mcp-editord.exe',
      reason: 'it is in PATH',
    });
  });
});

describe('crashes', () => {
  test('five in three minutes are too many, each wait is longer', () => {
    let now = 0;
    const c = new Crashes(() => now);
    assert.deepEqual([c.next(), c.next(), c.next(), c.next(), c.next()], [100, 300, 900, 2700, undefined]);
    now = 180_001;
    assert.equal(c.next(), 100);
  });
  test('are forgotten when the person tries again', () => {
    const c = new Crashes(() => 0);
    c.next();
    c.forget();
    assert.equal(c.next(), 100);
  });
});

describe('messages that cannot be read', () => {
  test('those that can are as they are', () => {
    assert.deepEqual(readMessage('{"jsonrpc":"2.0","id":1,"result":{"a":[]}}'), {
      jsonrpc: '2.0',
      id: 1,
      result: { a: [] },
    });
    const deep = `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    assert.ok('result' in readMessage(deep));
  });
  // Every request gets an answer.
  test('an answer is a failure of its request', () => {
    const m = readMessage('{"jsonrpc":"2.0","id":7,"result":{') as { id?: unknown; error?: { message: string } };
    assert.equal(m.id, 7);
    assert.match(m.error?.message ?? '', /cannot be read/);
  });
  test('a request is one of a method that nobody has', () => {
    assert.deepEqual(readMessage('{"jsonrpc":"2.0","id":"a","method":"editord/approve","params":{'), {
      jsonrpc: '2.0',
      id: 'a',
      method: '$/unreadable',
    });
  });
  test('what has no id is an error of the connection, which the log has', () => {
    assert.throws(() => readMessage('{"jsonrpc":"2.0","method":"x","params":'));
    assert.throws(() => readMessage('{"jsonrpc":"2.0","params":{"id":1,'));
  });
});
