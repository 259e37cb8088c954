import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { coalesce } from '../../src/coalesce';
import { findBinary, type Surroundings } from '../../src/daemon/binary';
import { Crashes } from '../../src/daemon/crashes';
import { readMessage } from '../../src/daemon/message';
import { fields } from '../../src/form/schema';
import { newLines } from '../../src/logs/tail';
import type { Server } from '../../src/protocol';
import { asksForSecret, readUrl } from '../../src/questions/consent';
import { Grants } from '../../src/questions/grants';
import { addressOf, readAddress } from '../../src/resources/address';
import { expand, variables } from '../../src/resources/template';
import { wrap } from '../../src/ui/wrap';
import { hints, serverTooltip, worst } from '../../src/views/items';

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

describe('addresses of resources', () => {
  for (const [server, uri] of [
    ['Files', 'file:///a%20b/c.txt?x=1&y#z'],
    ['name with spaces/and?more', 'demo://resource/1'],
    ['é', 'x:&server=other'],
  ] as const) {
    test(`${server} and ${uri} come back`, () => {
      const a = addressOf(server, uri);
      assert.deepEqual(readAddress(a), { server, uri });
      assert.match(a.authority, /^[a-z0-9.-]+$/);
    });
  }
  test('of others are none', () => {
    assert.equal(readAddress({ scheme: 'file', query: 'server=a&uri=b' }), undefined);
    assert.equal(readAddress({ scheme: 'mcp', query: '' }), undefined);
  });
  test('have the name of the file', () => {
    assert.equal(addressOf('a', 'demo://x/1', 'notes.md').path, '/notes.md');
    assert.equal(addressOf('a', 'file:///x/y.ts', 'A title').path, '/y.ts');
  });
});

describe('URI templates', () => {
  // The examples of RFC 6570, section 1.2.
  const values = { var: 'value', hello: 'Hello World!', path: '/foo/bar', x: '1024', y: '768', empty: '' };
  for (const [template, want] of [
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
    ['{+var}', 'value'],
    ['{+hello}', 'Hello%20World!'],
    ['{+path}/here', '/foo/bar/here'],
    ['here?ref={+path}', 'here?ref=/foo/bar'],
    ['X{#var}', 'X#value'],
    ['map?{x,y}', 'map?1024,768'],
    ['{x,hello,y}', '1024,Hello%20World%21,768'],
    ['{+x,hello,y}', '1024,Hello%20World!,768'],
    ['{#path,x}/here', '#/foo/bar,1024/here'],
    ['X{.var}', 'X.value'],
    ['{/var,x}/here', '/value/1024/here'],
    ['{;x,y,empty}', ';x=1024;y=768;empty'],
    ['{?x,y,empty}', '?x=1024&y=768&empty='],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
    ['{undef}', ''],
    ['{?undef}', ''],
  ] as const) {
    test(template, () => assert.equal(expand(template, values), want));
  }
  test('variables are named once', () => {
    assert.deepEqual(variables('a://{x}/{+y*}{?x,z:3}'), ['x', 'y', 'z']);
  });
});

describe('consent', () => {
  // faults.md, row 65.
  for (const [title, secret] of [
    ['API key', true],
    ['Your password', true],
    ['Access token', true],
    ['PIN', true],
    ['Name', false],
    ['Pinned tab', false],
  ] as const) {
    test(`${title} is ${secret ? 'a secret' : 'none'}`, () => {
      const [f] = fields({ properties: { value: { type: 'string', title } } });
      assert.ok(f);
      assert.equal(asksForSecret(f), secret);
    });
  }
  test('the daemon says what is wrong with a host', () => {
    const _meta = { 'mcp-editord/url': { host: '\u0430pple.com (xn--pple-43d.com)', warning: 'letters' } };
    assert.deepEqual(readUrl({ url: 'https://\u0430pple.com/a?b', _meta }), {
      url: 'https://xn--pple-43d.com/a?b',
      host: '\u0430pple.com (xn--pple-43d.com)',
      warning: 'letters',
    });
    assert.deepEqual(readUrl({ url: 'https://example.com:8443/' }), {
      url: 'https://example.com:8443/',
      host: 'example.com:8443',
      warning: '',
    });
  });
  // faults.md, row 28.
  for (const url of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'command:x',
    'vscode://x',
    'here',
    '',
    'data:text/html,x',
  ]) {
    test(`${url || 'nothing'} is not opened`, () => assert.equal(readUrl({ url }), undefined));
  }
});

describe('rows', () => {
  for (const [name, text, want] of [
    ['a short line is one', 'node', ['node']],
    ['lines stay lines', 'a\n\nb', ['a', '', 'b']],
    ['they break after a space', 'aaaa bbbb cccc', ['aaaa bbbb ', '    cccc']],
    ['a word that is too long is broken', 'aaaaaaaaaaaa', ['aaaaaaaaa', '    aaa']],
    ['wide characters count for more', 'WWWWWWW', ['WWWWWW', '    W']],
    ['and those of other scripts too', '漢漢漢漢漢漢', ['漢漢漢漢漢', '    漢']],
    // Promise 1: what a file says is never taken for a label.
    ['nothing in a text begins a line', '"aaaa Run: x"', ['"aaaa ', '    Run: x"']],
  ] as const) {
    test(name, () => assert.deepEqual(wrap(text, 6), want));
  }
  test('nothing is lost', () => {
    const text = `https://example.com/?a=b c  d   ${'x'.repeat(300)}`;
    const parts = wrap(text, 40).map((part, i) => (i > 0 ? part.slice(4) : part));
    assert.equal(parts.join(''), text);
  });
});

describe('grants', () => {
  const store = () => {
    const kept = new Map<string, unknown>();
    return { kept, get: (k: string) => kept.get(k), update: async (k: string, v: unknown) => void kept.set(k, v) };
  };
  const server = { name: 's', source: 'file:///a', digest: '1' } as Server;
  // faults.md, row 64.
  test('are void when the definition changes', async () => {
    const g = new Grants(store());
    await g.set(server, 's', 'always');
    assert.equal(g.of(server, 's'), 'always');
    assert.equal(g.of({ ...server, digest: '2' }, 's'), undefined);
  });
  test('of a session are not kept', async () => {
    const s = store();
    await new Grants(s).set(server, 's', 'session');
    assert.equal(new Grants(s).of(server, 's'), undefined);
  });
  test('can be forgotten', async () => {
    const s = store();
    const g = new Grants(s);
    await g.set(server, 's', 'never');
    await g.clear([...s.kept.keys()]);
    assert.equal(g.of(server, 's'), undefined);
  });
});

describe('views', () => {
  const server = (state: Server['state']) =>
    ({ name: 'a\u202e', state, scope: 'workspace', transport: 'stdio', source: 'builtin', restarts: 0 }) as Server;
  test('the worst state counts', () => {
    assert.equal(worst([server('ready'), server('failed'), server('needsApproval')]), 'failed');
    assert.equal(worst([server('ready'), server('disabled')]), 'ready');
    assert.equal(worst([]), undefined);
  });
  // faults.md, row 60.
  test('names are harmless', () => {
    assert.doesNotMatch(serverTooltip(server('ready'), t), /\u202e/);
  });
  // faults.md, row 63.
  test('hints are only said', () => {
    assert.equal(hints({ name: 'x', annotations: { readOnlyHint: true, destructiveHint: true } }, t), 'read-only');
    assert.equal(
      hints({ name: 'x', annotations: { destructiveHint: true, openWorldHint: true } }, t),
      'destructive, reaches outside',
    );
    assert.equal(hints({ name: 'x' }, t), '');
  });
});

describe('a log that is read again', () => {
  for (const [name, known, lines, want] of [
    ['begins', [], ['a', 'b'], ['a', 'b']],
    ['has nothing new', ['a', 'b'], ['a', 'b'], []],
    ['has grown', ['a', 'b'], ['a', 'b', 'c'], ['c']],
    ['has lost its beginning', ['a', 'b', 'c'], ['b', 'c', 'd'], ['d']],
    ['has lost all that was known', ['a', 'b'], ['c', 'd'], ['c', 'd']],
    ['repeats itself', ['a', 'a', 'a'], ['a', 'a', 'b'], ['b']],
    ['was cut', ['a', 'b', 'c'], ['c'], []],
    ['was emptied', ['a'], [], []],
  ] as const) {
    test(name, () => assert.deepEqual(newLines(known, lines), want));
  }
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
  // Promise 5: every request gets an answer.
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

describe('what comes too often', () => {
  test('is done at once, then rarely, and once more at the end', async () => {
    const { mock } = await import('node:test');
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      let done = 0;
      const call = coalesce(() => done++, 100);
      for (let i = 0; i < 1000; i++) {
        call();
      }
      assert.equal(done, 1);
      mock.timers.tick(100);
      assert.equal(done, 2);
      mock.timers.tick(1000);
      assert.equal(done, 2);
      call();
      assert.equal(done, 3);
    } finally {
      mock.timers.reset();
    }
  });
});
