import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findBinary, type Surroundings } from '../../src/daemon/binary';
import { Crashes } from '../../src/daemon/crashes';
import { documents } from '../../src/daemon/documents';
import { readMessage } from '../../src/daemon/message';
import { type Editor, ownClient } from '../../src/daemon/own-client';

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

describe('the documents that the daemon is told of', () => {
  const patterns = (s: Partial<Parameters<typeof documents>[0]>) =>
    documents({ configuration: undefined, ownClient: undefined, ...s }).flatMap((d) =>
      'pattern' in d ? [d.pattern] : [],
    );

  test('are call documents on the disk and new ones, whoever wrote others', () => {
    const calls = documents({ configuration: undefined, ownClient: undefined }).filter((d) => 'language' in d);
    assert.deepEqual(calls, [
      { language: 'mcp', scheme: 'file' },
      { language: 'mcp', scheme: 'untitled' },
    ]);
  });
  test('are the files that define servers', () => {
    assert.deepEqual(patterns({}), [
      '**/.mcp.json',
      '**/.vscode/mcp.json',
      '**/.cursor/mcp.json',
      '**/mcp-editord/mcp.json',
    ]);
  });
  test('have the configuration in an unusual place', () => {
    assert.equal(patterns({ configuration: '/my/{a}/servers[1].json' }).at(-1), '/my/?a?/servers?1?.json');
    assert.equal(patterns({ configuration: 'C:\\my\\mcp.json' }).at(-1), 'C:/my/mcp.json');
  });
  test('lack the files of a client that the editor has', () => {
    const ownClient = { name: 'VS Code', files: ['.vscode/mcp.json', '.mcp.json'] };
    assert.deepEqual(patterns({ ownClient }), ['**/.cursor/mcp.json', '**/mcp-editord/mcp.json']);
  });
});

describe('the MCP client of the editor', () => {
  const vscode: Editor = {
    appName: 'Visual Studio Code',
    hasClient: true,
    access: 'all',
    disabled: false,
    rootConfig: false,
  };
  const files = (o: Partial<Editor>) => ownClient({ ...vscode, ...o })?.files;

  test('of VS Code runs .vscode/mcp.json', () => {
    assert.deepEqual(ownClient(vscode), { name: 'VS Code', files: ['.vscode/mcp.json'] });
    assert.equal(ownClient({ ...vscode, appName: 'Visual Studio Code - Insiders' })?.name, 'VS Code');
    assert.equal(ownClient({ ...vscode, appName: 'VSCodium' })?.name, 'VSCodium');
    assert.deepEqual(files({ access: 'registry' }), ['.vscode/mcp.json']);
  });
  test('also runs .mcp.json where a setting says so', () => {
    assert.deepEqual(files({ rootConfig: true }), ['.vscode/mcp.json', '.mcp.json']);
  });
  test('is not in use where a setting turns it off', () => {
    assert.equal(files({ access: 'none' }), undefined);
    assert.equal(files({ disabled: true }), undefined);
  });
  test('is not there in an older version', () => {
    assert.equal(files({ hasClient: false }), undefined);
  });
  // Settings that the version does not know are undefined.
  test('is there unless a setting says otherwise', () => {
    assert.deepEqual(files({ access: undefined, disabled: undefined, rootConfig: undefined }), ['.vscode/mcp.json']);
  });
  test('of Cursor runs .cursor/mcp.json, whatever the settings of VS Code', () => {
    assert.deepEqual(ownClient({ ...vscode, appName: 'Cursor', access: 'none', disabled: true }), {
      name: 'Cursor',
      files: ['.cursor/mcp.json'],
    });
  });
  test('of any other editor is not known', () => {
    for (const appName of ['Windsurf', 'Kiro', 'Cursory', 'Visual Studio Codex', '']) {
      assert.equal(ownClient({ ...vscode, appName }), undefined, appName);
    }
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
