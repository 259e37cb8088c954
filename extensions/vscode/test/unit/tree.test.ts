import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isWithin, keyOf, valueAt, withItemsMoved, withValue } from '../../src/form/tree';
import type { Json, JsonObject } from '../../src/protocol';

describe('values within values', () => {
  const changed: [string, JsonObject, (string | number)[], Json | undefined, JsonObject][] = [
    ['a member', { a: 1 }, ['b'], 2, { a: 1, b: 2 }],
    ['a member within nothing', {}, ['a', 'b'], 1, { a: { b: 1 } }],
    ['an item within nothing', {}, ['a', 0, 'b'], 1, { a: [{ b: 1 }] }],
    ['an item', { a: [1, 2, 3] }, ['a', 1], 7, { a: [1, 7, 3] }],
    ['a member that goes', { a: { b: 1, c: 2 } }, ['a', 'b'], undefined, { a: { c: 2 } }],
    ['an item that goes', { a: [1, 2, 3] }, ['a', 1], undefined, { a: [1, 3] }],
  ];
  for (const [name, values, path, value, want] of changed) {
    test(`change ${name}, and nothing in place`, () => {
      const before = structuredClone(values);
      assert.deepEqual(withValue(values, path, value), want);
      assert.deepEqual(values, before);
    });
  }

  test('keep their order', () => {
    assert.deepEqual(Object.keys(withValue({ a: 1, b: 2 }, ['a'], 3)), ['a', 'b']);
  });

  test('may have the name of what every object has', () => {
    const values = withValue({}, ['__proto__', 'x'], 1);
    assert.deepEqual(JSON.stringify(values), '{"__proto__":{"x":1}}');
    assert.equal(valueAt(values, ['__proto__', 'x']), 1);
    assert.equal(valueAt({}, ['constructor']), undefined);
    assert.equal(({} as { x?: number }).x, undefined);
  });

  test('have keys that tell paths apart', () => {
    assert.notEqual(keyOf(['a/b']), keyOf(['a', 'b']));
    assert.ok(isWithin(keyOf(['a', 0, 'b']), keyOf(['a'])));
    assert.ok(isWithin(`${keyOf(['a'])}~json`, keyOf(['a'])));
    assert.ok(!isWithin(keyOf(['ab']), keyOf(['a'])));
  });

  test('take what is kept of them to their new place', () => {
    const kept = { 'a/0/x': 'zero', 'a/1': 'one', 'a/2/y': 'two', b: 'other' };
    const gone = (place: number) => (place === 1 ? undefined : place > 1 ? place - 1 : place);
    assert.deepEqual(withItemsMoved(kept, 'a', gone), { 'a/0/x': 'zero', 'a/1/y': 'two', b: 'other' });
  });
});
