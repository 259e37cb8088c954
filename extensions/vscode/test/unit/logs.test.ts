import * as assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { Tail } from '../../src/logs/tail';
import type { ServerLogResult } from '../../src/protocol';

describe('a log that is followed', () => {
  /** The questions for it that wait, and what is on the screen. */
  let asked: { after: string | undefined; answer: (lines: ServerLogResult) => void; fail: (error: Error) => void }[];
  let shown: string[];
  let tail: Tail;
  beforeEach(() => {
    asked = [];
    shown = [];
    tail = new Tail(
      (after) => new Promise((answer, fail) => asked.push({ after, answer, fail })),
      ({ lines, missed }) => shown.push(...(missed ? [`${missed} missed`] : []), ...lines),
    );
  });

  test('is asked for once, and told from then on', async () => {
    const following = tail.follow();
    assert.equal(tail.follow(), following);
    asked[0]?.answer({ lines: ['a', 'b'], cursor: '2' });
    await following;
    tail.logged({ lines: ['c'], cursor: '3' });
    await tail.follow();
    assert.deepEqual(shown, ['a', 'b', 'c']);
    assert.deepEqual(
      asked.map(({ after }) => after),
      [undefined],
    );
  });

  test('says how many lines are missing, where they are', async () => {
    const following = tail.follow();
    asked[0]?.answer({ lines: ['a'], cursor: '1', missed: 7 });
    await following;
    tail.logged({ lines: ['b'], cursor: '5', missed: 3 });
    assert.deepEqual(shown, ['7 missed', 'a', '3 missed', 'b']);
  });

  test('keeps its order when news overtakes the answer', async () => {
    const following = tail.follow();
    tail.logged({ lines: ['b'], cursor: '2' });
    asked[0]?.answer({ lines: ['a'], cursor: '1' });
    await following;
    assert.deepEqual(shown, ['a', 'b']);
  });

  test('goes on after the last line with the next connection', async () => {
    const first = tail.follow();
    asked[0]?.answer({ lines: ['a'], cursor: 'one' });
    await first;
    tail.logged({ lines: ['b'], cursor: 'two' });
    tail.end();
    tail.logged({ lines: ['of nobody'], cursor: 'three' });
    const second = tail.follow();
    assert.equal(asked[1]?.after, 'two');
    asked[1]?.answer({ lines: ['c'], cursor: 'four' });
    await second;
    assert.deepEqual(shown, ['a', 'b', 'c']);
  });

  test('takes no answer of a connection that has ended', async () => {
    const first = tail.follow();
    tail.logged({ lines: ['of the first'], cursor: '2' });
    tail.end();
    const second = tail.follow();
    asked[0]?.answer({ lines: ['of the first'], cursor: '1' });
    asked[1]?.answer({ lines: ['of the second'], cursor: '1' });
    await Promise.all([first, second]);
    assert.deepEqual(shown, ['of the second']);
  });

  test('is asked for again when nobody answered', async () => {
    const first = tail.follow();
    asked[0]?.fail(new Error('no such server'));
    await assert.rejects(first, /no such server/);
    tail.logged({ lines: ['of nobody'], cursor: '1' });
    const second = tail.follow();
    asked[1]?.answer({ lines: ['a'], cursor: '1' });
    await second;
    assert.deepEqual(shown, ['a']);
  });

  test('fails for the connection that has ended alone', async () => {
    const first = tail.follow();
    tail.end();
    const second = tail.follow();
    asked[0]?.fail(new Error('the connection has ended'));
    await assert.rejects(first);
    asked[1]?.answer({ lines: ['a'], cursor: '1' });
    await second;
    tail.logged({ lines: ['b'], cursor: '2' });
    assert.deepEqual(shown, ['a', 'b']);
  });
});
