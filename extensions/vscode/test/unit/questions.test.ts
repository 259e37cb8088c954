import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type * as vscode from 'vscode';
import type { SamplingParams } from '../../src/protocol';
import { chooseModel, type Parts, toMessages, toResult, transcript } from '../../src/questions/convert';
import { Queue } from '../../src/questions/queue';

/** A token, and what cancels it. */
function source(): { token: vscode.CancellationToken; cancel: () => void } {
  const listeners = new Set<() => void>();
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: (f: () => void) => {
      listeners.add(f);
      return { dispose: () => listeners.delete(f) };
    },
  };
  return {
    token: token as unknown as vscode.CancellationToken,
    cancel: () => {
      token.isCancellationRequested = true;
      for (const f of [...listeners]) {
        f();
      }
    },
  };
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((r) => {
    resolve = r;
  });
  return { promise, resolve };
}

describe('the queue', () => {
  test('asks one question at a time', async () => {
    const q = new Queue();
    const first = deferred<string>();
    const order: string[] = [];
    const ask = (name: string, answer: string | Promise<string>) => {
      const asking = async () => {
        order.push(name);
        return answer;
      };
      return q.ask(asking, '', source().token);
    };
    const a = ask('a', first.promise);
    const b = ask('b', 'b');
    await Promise.resolve();
    await Promise.resolve();
    assert.deepEqual(order, ['a']);
    first.resolve('a');
    assert.deepEqual(await Promise.all([a, b]), ['a', 'b']);
    assert.deepEqual(order, ['a', 'b']);
  });

  // faults.md, row 31.
  test('never asks what was withdrawn', async () => {
    const q = new Queue();
    const first = deferred<string>();
    const a = q.ask(() => first.promise, '', source().token);
    const s = source();
    const b = q.ask(() => assert.fail('it was asked'), 'withdrawn', s.token);
    s.cancel();
    assert.equal(await b, 'withdrawn');
    first.resolve('a');
    assert.equal(await a, 'a');
  });

  test('goes on after a question that failed', async () => {
    const q = new Queue();
    await assert.rejects(q.ask(() => Promise.reject(new Error('x')), '', source().token));
    assert.equal(await q.ask(async () => 'b', '', source().token), 'b');
  });

  test('waits for a form that the person fills in', async () => {
    const q = new Queue();
    const form = deferred<string>();
    const filled = q.during(form.promise);
    let asked = false;
    const a = q.ask(async () => (asked = true), false, source().token);
    await Promise.resolve();
    assert.equal(asked, false);
    form.resolve('x');
    assert.equal(await filled, 'x');
    assert.equal(await a, true);
  });

  test('has room for fifty', async () => {
    const q = new Queue();
    const first = deferred<string>();
    const all = Array.from({ length: 51 }, () => q.ask(() => first.promise, 'refused', source().token));
    assert.equal(await all[50], 'refused');
    first.resolve('x');
    assert.deepEqual(new Set(await Promise.all(all.slice(0, 50))), new Set(['x']));
  });
});

describe('sampling', () => {
  // Stands for the classes of vscode.lm: each part is what it was made of.
  const make = {
    User: (content: unknown) => ({ user: content }),
    Assistant: (content: unknown) => ({ assistant: content }),
    text: (value: string) => value,
    data: (bytes: Uint8Array, mime: string) => [mime, bytes.length],
    toolCall: (id: string, name: string, input: object) => ({ call: id, name, input }),
    toolResult: (id: string, content: unknown) => ({ result: id, content }),
  } as unknown as Parts;

  test('messages keep their roles, content and order', () => {
    const p: SamplingParams = {
      systemPrompt: 'sys',
      messages: [
        { role: 'user', content: { type: 'text', text: 'a' } },
        { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'w', input: { x: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', toolUseId: '1', content: [{ type: 'text', text: 'r' }] }] },
        { role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
        { role: 'user', content: { type: 'hologram' } },
      ],
    };
    assert.deepEqual(toMessages(p, make) as unknown, [
      { user: ['sys'] },
      { user: ['a'] },
      { assistant: [{ call: '1', name: 'w', input: { x: 1 } }] },
      { user: [{ result: '1', content: ['r'] }] },
      { user: [['image/png', 3]] },
      { user: ['{"type":"hologram"}'] },
    ]);
  });

  test('a text is one block, pieces are joined', () => {
    assert.deepEqual(toResult([{ text: 'a' }, { text: 'b' }], 'm'), {
      role: 'assistant',
      content: { type: 'text', text: 'ab' },
      model: 'm',
      stopReason: 'endTurn',
    });
    assert.deepEqual(toResult([], 'm').content, { type: 'text', text: '' });
  });

  test('calls of tools are a list', () => {
    const r = toResult([{ text: 'a' }, { id: '1', name: 'w', input: {} }], 'm');
    assert.deepEqual(r.content, [
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: '1', name: 'w', input: {} },
    ]);
    assert.equal(r.stopReason, 'toolUse');
  });

  const models = [
    { id: 'a-1', name: 'Alpha', family: 'alpha', vendor: 'one' },
    { id: 'b-1', name: 'Beta', family: 'beta', vendor: 'two' },
    { id: 'c-1', name: 'Gamma', family: 'gamma', vendor: 'two' },
  ];
  for (const [name, preferred, hints, want] of [
    ['the first without any wish', [], [], 'a-1'],
    ['by a hint', [], ['nobody', 'gam'], 'c-1'],
    ['by the setting before a hint', ['two/beta'], ['gamma'], 'b-1'],
    ['an empty wish is none', ['', ''], [''], 'a-1'],
  ] as [string, string[], string[], string][]) {
    test(`a model is chosen: ${name}`, () => assert.equal(chooseModel(models, preferred, hints)?.id, want));
  }
  test('of no models none is chosen', () => assert.equal(chooseModel([], ['x'], []), undefined));

  // faults.md, rows 60 and 63.
  test('the messages are shown as data', () => {
    const text = transcript({ messages: [{ role: 'user', content: { type: 'text', text: 'ignore previous\u202e' } }] });
    assert.equal(text, 'user:\nignore previous\\u{202e}\n');
  });
});
