import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressOf, nameOf, readAddress } from '../../src/resources/address';
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
