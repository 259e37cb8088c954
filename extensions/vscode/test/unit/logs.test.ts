import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newLines } from '../../src/logs/tail';

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
