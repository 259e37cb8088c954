import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureOf } from '../../src/daemon/failure';
import type { Server, SignIn } from '../../src/protocol';
import { byAddress, pasteLink, Told, wantsSignIn, whySignIn } from '../../src/signin/needs';
import { serverNotes, serverTooltip } from '../../src/views/items';

const t = (message: string, ...args: (string | number)[]) =>
  message.replace(/\{(\d)\}/g, (_, i) => String(args[Number(i)]));

const signIn: SignIn = {
  url: 'https://auth.example/authorize?a=%2F+b%20c',
  host: 'auth.example',
  redirectUri: 'http://127.0.0.1:4711/cb',
  until: '2030-01-01T00:00:00Z',
};

function server(name: string, state: Server['state'], more: Partial<Server> = {}): Server {
  return { name, state, scope: 'user', transport: 'http', source: 'builtin', restarts: 0, ...more } as Server;
}

describe('who is told of a sign-in', () => {
  const names = (servers: Server[]) => servers.map((s) => s.name);
  const tell = (told: Told, ...servers: Server[]) => {
    const fresh = names(told.fresh(servers));
    for (const name of fresh) {
      told.add(name, true);
    }
    return fresh;
  };
  test('each server that needs one, once', () => {
    const told = new Told();
    const [a, b] = [server('a', 'needsSignIn'), server('b', 'needsSignIn')];
    assert.deepEqual(tell(told, a, b, server('c', 'ready')), ['a', 'b']);
    assert.deepEqual(tell(told, a, b), []);
    assert.deepEqual(tell(told, a, b, server('c', 'needsSignIn')), ['c']);
  });
  test('not again when it is only started again, or is gone for a while', () => {
    const told = new Told();
    const a = server('a', 'needsSignIn');
    assert.deepEqual(tell(told, a), ['a']);
    for (const state of ['starting', 'restarting', 'failed', 'stopped'] as const) {
      assert.deepEqual(tell(told, server('a', state)), []);
      assert.deepEqual(tell(told, a), []);
    }
    assert.deepEqual(tell(told), []); // as after a connection has ended
    assert.deepEqual(tell(told, a), []);
  });
  test('again when it was ready meanwhile', () => {
    const told = new Told();
    assert.deepEqual(tell(told, server('a', 'needsSignIn')), ['a']);
    assert.deepEqual(tell(told, server('a', 'ready')), []);
    assert.deepEqual(tell(told, server('a', 'needsSignIn')), ['a']);
  });
  test('not when the person knows before the state says so', () => {
    const told = new Told();
    told.add('a');
    assert.deepEqual(tell(told, server('a', 'ready')), []);
    assert.deepEqual(tell(told, server('a', 'needsSignIn')), []);
    assert.deepEqual(tell(told, server('a', 'ready')), []);
    assert.deepEqual(tell(told, server('a', 'needsSignIn')), ['a']);
  });
  test('not while somebody signs in, but when nobody does any more', () => {
    const told = new Told();
    assert.deepEqual(tell(told, server('a', 'needsSignIn', { signIn })), []);
    assert.deepEqual(tell(told, server('a', 'needsSignIn')), ['a']);
  });
});

describe('a sign-in', () => {
  test('is found by its address, to the byte', () => {
    const servers = [server('a', 'needsSignIn'), server('b', 'needsSignIn', { signIn })];
    assert.equal(byAddress(servers, signIn.url)?.name, 'b');
    assert.equal(byAddress(servers, 'https://auth.example/authorize?a=/+b%20c'), undefined);
    assert.equal(byAddress([], signIn.url), undefined);
  });
  test('is of use where a server needs it, or more permissions', () => {
    const signedIn = { issuer: 'https://auth.example', kept: 'keyring' as const };
    assert.ok(wantsSignIn(server('a', 'needsSignIn')));
    assert.ok(wantsSignIn(server('a', 'ready', { signedIn: { ...signedIn, wanted: ['write'] } })));
    assert.ok(!wantsSignIn(server('a', 'ready', { signedIn })));
    assert.ok(!wantsSignIn(server('a', 'failed')));
  });
});

test('a link in a message takes any name of a server, and its argument is that name', () => {
  for (const name of ['a', 'a) [b](command:c', 'a"]\u202e(\n\\']) {
    const link = pasteLink(name);
    const [command, argument] = link.split('?');
    assert.match(link, /^[\w:.?%-]+$/);
    assert.equal(command, 'command:mcp-editord.pasteAddress');
    assert.deepEqual(JSON.parse(decodeURIComponent(argument ?? '')), [name]);
  }
});

describe('why a server needs a sign-in', () => {
  for (const [name, message, said] of [
    ['without a command', 'a wants you to sign in; run: mcp-editord signin a', 'a wants you to sign in'],
    [
      'without what leads to the command',
      'a wants you to allow more (b); to sign in again, run: mcp-editord signin a',
      'a wants you to allow more (b)',
    ],
    [
      'with other advice',
      'the keyring is locked; unlock it, or set "credentials": "file"; run: mcp-editord signin "a;b"',
      'the keyring is locked; unlock it, or set "credentials": "file"',
    ],
    ['as it is', 'a wants you to sign in; ask b', 'a wants you to sign in; ask b'],
  ] as const) {
    test(name, () => assert.equal(whySignIn(message), said));
  }
});

describe('a server that one signs in to', () => {
  test('says who is at it', () => {
    assert.equal(serverNotes(server('a', 'needsSignIn'), t), 'needs sign-in');
    assert.equal(serverNotes(server('a', 'needsSignIn', { signIn }), t), 'signing in elsewhere…');
    assert.equal(serverNotes(server('a', 'needsSignIn', { signIn }), t, true), 'signing in…');
    assert.equal(serverNotes(server('a', 'needsSignIn'), t, true), 'signing in…'); // the daemon looks for the address
    assert.equal(serverNotes(server('a', 'ready'), t, true), 'ready');
  });
  test('says where, with what, and where that is kept', () => {
    const tooltip = (signedIn: Server['signedIn']) => serverTooltip(server('a', 'ready', signedIn && { signedIn }), t);
    const issuer = 'https://auth.example:8443/tenant1';
    const full = tooltip({ issuer, scopes: ['read\u202e', 'write'], wanted: ['admin'], kept: 'file' });
    assert.match(full, /Signed in at: auth\.example:8443\n/);
    assert.match(full, /Permissions: read\\u\{202e\} write\nPermissions that it needs as well: admin\./);
    assert.match(full, /kept in: a file that only you can read\n/);
    assert.match(tooltip({ issuer, kept: 'memory' }), /auth\.example:8443\nThe sign-in is kept in: memory only/);
    assert.doesNotMatch(tooltip({ issuer, kept: 'memory' }), /Permissions/);
    assert.match(tooltip({ issuer: 'not an address\u202e', kept: 'keyring' }), /at: not an address\\u\{202e\}\n/);
    assert.doesNotMatch(tooltip(undefined), /[Ss]ign/);
    assert.equal(
      serverNotes(server('a', 'ready', { signedIn: { issuer, wanted: ['admin'], kept: 'file' } }), t),
      'ready, needs more permissions',
    );
  });
});

describe('an error of the daemon', () => {
  test('says what it is about', () => {
    const data = { kind: 'signInNeeded', server: 's', detail: 'read write' };
    assert.deepEqual(failureOf(Object.assign(new Error('x'), { data })), data);
  });
  test('and another error does not', () => {
    const nothing = { kind: undefined, server: undefined, detail: undefined };
    for (const error of [new Error('x'), undefined, null, 'x', { data: 7 }, { data: { kind: 7, server: [] } }]) {
      assert.deepEqual(failureOf(error), nothing);
    }
  });
});
