import * as assert from 'node:assert/strict';
import { beforeEach, describe, mock, test } from 'node:test';
import type { Server } from '../../src/protocol';
import { addressOf, readAddress } from '../../src/resources/address';
import { named, nameOf } from '../../src/resources/media-types';
import { Subscriptions } from '../../src/resources/subscriptions';
import { expand, variables } from '../../src/resources/template';

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

test('names of files', () => {
  assert.equal(nameOf('file:///a/b%20c.txt?x#y'), 'b_20c.txt');
  assert.equal(nameOf('../../etc/passwd'), 'passwd');
  assert.equal(nameOf(''), 'result');
});

describe('names of files by their media types', () => {
  for (const [uri, mime, want] of [
    ['demo://config', 'application/json', 'config.json'],
    ['demo://config', 'application/vnd.demo+json; charset=utf-8', 'config.json'],
    ['demo://picture', 'IMAGE/PNG', 'picture.png'],
    ['demo://script', 'text/x-python', 'script.py'],
    ['demo://notes.txt', 'application/json', 'notes.txt'], // the server has named it
    ['demo://blob', 'application/octet-stream', 'blob'],
    ['demo://blob', 'constructor', 'blob'],
    ['demo://blob', undefined, 'blob'],
  ] as const) {
    test(`${uri} of ${mime}`, () => assert.equal(named(uri, mime), want));
  }
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

describe('subscriptions', () => {
  const board = { server: 'a', uri: 'a://board' };
  const ready = { name: 'a', state: 'ready', capabilities: { resources: { subscribe: true } } } as unknown as Server;
  let server: Server | undefined;
  /** What the daemon was told, what was read again, and what has ended, in order. */
  let log: string[];
  let problem: Error | undefined;
  let s: Subscriptions;
  beforeEach(() => {
    server = ready;
    log = [];
    problem = undefined;
    s = new Subscriptions({
      server: (name) => (name === 'a' ? server : undefined),
      tell: async (what, at) => {
        log.push(`${what} ${at.uri}`);
        if (problem) {
          throw problem;
        }
      },
      reread: (documents) => log.push(`read ${documents}`),
      ended: (documents, reason) => log.push(`${documents}: ${reason}`),
    });
  });
  const updated = (...subscribed: string[]) => s.updated({ server: 'a', params: { uri: 'a://board/1' }, subscribed });
  const end = () => s.ended({ ...board, reason: 'why' });

  test('begin when the server is ready, and end with the last document', () => {
    server = { ...ready, state: 'starting' };
    const first = s.watch(board, 'x');
    const second = s.watch(board, 'y');
    assert.deepEqual(log, []);
    server = ready;
    s.subscribe();
    s.subscribe();
    first();
    assert.deepEqual(log, ['subscribe a://board']);
    assert.deepEqual([s.has('x'), s.has('y')], [false, true]);
    second();
    assert.deepEqual(log, ['subscribe a://board', 'unsubscribe a://board']);
  });

  test('are not asked of a server that has none', () => {
    server = { ...ready, capabilities: { resources: {} } };
    s.watch(board, 'x')();
    assert.deepEqual(log, []);
  });

  test('the daemon says which an update is for', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      s.watch(board, 'x');
      s.watch({ server: 'a', uri: 'a://board/1' }, 'y');
      log = [];
      updated('a://other');
      assert.deepEqual(log, []);
      updated('a://board');
      mock.timers.tick(1000);
      assert.deepEqual(log, ['read x']);
      s.updated({ server: 'b', params: { uri: 'a://board' }, subscribed: ['a://board'] });
      assert.deepEqual(log, ['read x']);
    } finally {
      mock.timers.reset();
    }
  });

  test('that have ended stay so until the person has them again', async () => {
    s.watch(board, 'x');
    end();
    end(); // which it has already
    s.subscribe();
    assert.deepEqual(log, ['subscribe a://board', 'x: why']);
    await s.again();
    assert.deepEqual(log.slice(2), ['subscribe a://board', 'read x']);
    end();
    assert.deepEqual(log.slice(4), ['x: why']);
  });

  test('that cannot be had again can be tried again', async () => {
    s.watch(board, 'x');
    end();
    problem = new Error('no');
    await assert.rejects(s.again(), /no/);
    problem = undefined;
    await s.again();
    assert.deepEqual(log.slice(2), ['subscribe a://board', 'subscribe a://board', 'read x']);
  });

  test('of a document that is closed are not told of, nor ended twice', () => {
    const close = s.watch(board, 'x');
    end();
    close();
    end();
    assert.deepEqual(log, ['subscribe a://board', 'x: why']);
  });

  test('go with their server to another process, or another definition', () => {
    s.watch(board, 'x');
    for (const change of [{ pid: 2 }, { pid: 2, digest: 'new' }]) {
      log = [];
      server = { ...ready, ...change, state: 'starting' };
      s.subscribe();
      assert.deepEqual(log, []);
      server = { ...ready, ...change };
      s.subscribe();
      s.subscribe();
      assert.deepEqual(log, ['subscribe a://board', 'read x']);
    }
    end();
    server = { ...ready, pid: 3 };
    log = [];
    s.subscribe();
    assert.deepEqual(log, []);
  });

  test('begin anew with the next connection, and what was missed is read', () => {
    s.watch(board, 'x');
    end();
    server = undefined;
    s.disconnected();
    s.subscribe();
    log = [];
    server = ready;
    s.subscribe();
    s.subscribe();
    assert.deepEqual(log, ['subscribe a://board', 'read x']);
  });
});
