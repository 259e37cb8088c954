import * as assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type * as vscode from 'vscode';
import { Latest } from '../../src/ui/latest';

/** Returns a Latest, with what it asked and took, and what answers the question at a place. */
function latest() {
  const asked: string[] = [];
  const taken: string[] = [];
  const answers: ((answer: string) => void)[] = [];
  const tokens: { isCancellationRequested: boolean }[] = [];
  const source = () => {
    const token = { isCancellationRequested: false };
    const cancel = () => {
      token.isCancellationRequested = true;
    };
    return { token, cancel, dispose: () => undefined } as unknown as vscode.CancellationTokenSource;
  };
  const it = new Latest<string, string>({
    pause: 300,
    source,
    ask: (question, token) => {
      asked.push(question);
      tokens.push(token);
      return new Promise((done) => answers.push(done));
    },
    take: (answer) => taken.push(answer),
  });
  const answer = async (place: number, text: string) => {
    answers[place]?.(text);
    await Promise.resolve().then(() => undefined);
  };
  return { it, asked, taken, tokens, answer };
}

test('it asks once nobody types any more, and the last question wins', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { it, asked, taken, tokens, answer } = latest();
    it.ask('t');
    mock.timers.tick(299);
    it.ask('ti');
    mock.timers.tick(300);
    assert.deepEqual(asked, ['ti']);
    it.ask('tide');
    mock.timers.tick(300);
    assert.deepEqual(asked, ['ti', 'tide']);
    assert.deepEqual(
      tokens.map((token) => token.isCancellationRequested),
      [true, false],
    );
    await answer(1, 'new');
    await answer(0, 'old'); // it comes late
    assert.deepEqual(taken, ['new']);
    it.ask('tides');
    mock.timers.tick(300);
    it.dispose();
    await answer(2, 'gone');
    assert.deepEqual(taken, ['new']);
  } finally {
    mock.timers.reset();
  }
});
