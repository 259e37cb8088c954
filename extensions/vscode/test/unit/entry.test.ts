import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { entryOf } from '../../src/commands/entry';

describe('the entry of a server in a file', () => {
  const found = (text: string, name: string) => {
    const at = entryOf(text, name)?.name;
    return at === undefined ? undefined : text.slice(at, at + name.length + 3);
  };
  for (const [name, text, server, want] of [
    ['is a member of servers', '{"a": {"x": 1}, "servers": {"a": {}}}', 'a', 'a": '],
    ['or of mcpServers', '{"mcpServers": {"b": {}, "a": {}}}', 'a', 'a": '],
    ['is no member of a definition', '{"servers": {"x": {"env": {"a": "a"}}, "a": 1}}', 'a', 'a": '],
    ['is no name in a comment', '{"servers": { // "a": {\n /* "a": */ "a" : {}}}', 'a', 'a" :'],
    ['has its escapes read', '{"servers": {"\\u0061b": {}}}', 'ab', '\\u006'],
    ['is found after an error', '{"servers": {"x": {"command" "y"}, "a": {}', 'a', 'a": '],
    ['is not there', '{"servers": {"x": {"args": ["a"]}}}', 'a', undefined],
  ] as const) {
    test(name, () => assert.equal(found(text, server), want));
  }
  test('is the one in servers', () => {
    const text = '{"a": {"a": 1}, "servers": {"a": {}}}';
    assert.equal(entryOf(text, 'a')?.name, text.lastIndexOf('a"'));
  });
  test('ends where its definition does', () => {
    const text = '{"servers": {"x": {}, "a": {"env": {}}, "y": {}}}';
    const entry = entryOf(text, 'a');
    assert.equal(text.slice(entry?.start, entry?.end), '"a": {"env": {}}');
  });
});
