import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type * as vscode from 'vscode';
import { fields } from '../../src/form/schema';
import { asksForSecret } from '../../src/form/secret';
import type { ApproveParams, Caller, SamplingParams, Server } from '../../src/protocol';
import { forWhom } from '../../src/questions/caller';
import { readUrl } from '../../src/questions/consent';
import { chooseModel, type Parts, toMessages, toResult, transcript } from '../../src/questions/convert';
import { Grants } from '../../src/questions/grants';
import { Inbox } from '../../src/questions/inbox';
import { wordsOf } from '../../src/questions/kinds';

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

describe('the inbox', () => {
  /** An inbox, and the questions that it has when it says that they have changed. */
  function inbox(): { q: Inbox; changes: string[]; gone: string[] } {
    const changes: string[] = [];
    const gone: string[] = [];
    const q: Inbox = new Inbox(
      () => {
        const { token, cancel } = source();
        return { token, cancel, dispose: () => undefined } as vscode.CancellationTokenSource;
      },
      () => changes.push(q.waiting.map((w) => w.title).join()),
      (w) => gone.push(`${w.title}: ${w.typed?.()}`),
    );
    return { q, changes, gone };
  }
  const question = (title: string, open: (token: vscode.CancellationToken) => Promise<string | undefined>) => ({
    server: 's',
    title,
    withdrawn: 'withdrawn',
    open,
  });

  // One that opened by itself would take what is being typed for its answer.
  test('opens nothing by itself, and takes what was chosen', async () => {
    const { q, changes } = inbox();
    const a = q.ask(
      question('a', async () => 'yes'),
      source().token,
    );
    const b = q.ask(
      question('b', () => assert.fail('it was opened')),
      source().token,
    );
    await q.waiting[0]?.open();
    assert.equal(await a, 'yes');
    assert.deepEqual(changes, ['a', 'a,b', 'b']);
    // That is no answer: the daemon would take it for the person's.
    q.clear();
    await assert.rejects(b, { code: -32800 });
  });

  test('a question that was left waits on', async () => {
    const { q } = inbox();
    const answers: (string | undefined)[] = [undefined, undefined, 'yes'];
    const a = q.ask(
      question('a', async () => answers.shift()),
      source().token,
    );
    await q.waiting[0]?.open();
    await q.waiting[0]?.open();
    assert.equal(q.waiting.length, 1);
    await q.waiting[0]?.open();
    assert.equal(await a, 'yes');
  });

  test('a question that was left goes without a word', async () => {
    const { q, gone } = inbox();
    const s = source();
    const a = q.ask(
      question('a', async () => undefined),
      s.token,
    );
    await q.waiting[0]?.open();
    s.cancel();
    assert.equal(await a, 'withdrawn');
    assert.deepEqual(gone, []);
  });

  test('what is withdrawn is gone, also from the screen, which says so with what was typed', async () => {
    const { q, gone } = inbox();
    const s = source();
    const left = deferred<string | undefined>();
    const open = (token: vscode.CancellationToken) => {
      token.onCancellationRequested(() => left.resolve(undefined));
      return left.promise;
    };
    const a = q.ask({ ...question('a', open), typed: () => 'half' }, s.token);
    const opened = q.waiting[0]?.open();
    s.cancel();
    assert.equal(await a, 'withdrawn');
    await opened;
    assert.equal(q.waiting.length, 0);
    assert.deepEqual(gone, ['a: half']);
  });

  test('one that is open is opened anew, and stays one', async () => {
    const { q } = inbox();
    let openings = 0;
    const begun = deferred<void>();
    const a = q.ask(
      question('a', (token) => {
        const left = deferred<string | undefined>();
        begun.resolve();
        token.onCancellationRequested(() => left.resolve(undefined));
        if (++openings === 2) {
          left.resolve('yes');
        }
        return left.promise;
      }),
      source().token,
    );
    const first = q.waiting[0]?.open();
    await begun.promise;
    await q.waiting[0]?.open();
    await first;
    assert.equal(await a, 'yes');
    assert.equal(openings, 2);
  });

  test('a question that fails is answered by that', async () => {
    const { q } = inbox();
    const a = q.ask(
      question('a', () => Promise.reject(new Error('x'))),
      source().token,
    );
    const failed = assert.rejects(a, /x/);
    await q.waiting[0]?.open();
    await failed;
    assert.equal(q.waiting.length, 0);
  });

  test('a server that floods leaves room for the others', async () => {
    const { q } = inbox();
    const ask = (server: string) => q.ask({ ...question('a', async () => 'x'), server }, source().token);
    const flood = Array.from({ length: 100 }, () => ask('flood'));
    assert.equal(q.waiting.length, 10);
    assert.equal(await flood[10], 'withdrawn');
    void ask('other');
    assert.equal(q.waiting.length, 11);
  });
});

describe('sampling', () => {
  // Stands in for the classes of vscode.lm: each part is what it was made of.
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

  test('the messages are shown as data', () => {
    const text = transcript({ messages: [{ role: 'user', content: { type: 'text', text: 'ignore previous\u202e' } }] });
    assert.equal(text, 'user:\nignore previous\\u{202e}\n');
  });
});

describe('consent', () => {
  for (const [title, secret, marks] of [
    ['API key', true, {}],
    ['Your password', true, {}],
    ['Access token', true, {}],
    ['PIN', true, {}],
    ['Name', false, {}],
    ['Pinned tab', false, {}],
    ['Phrase of the schema', true, { format: 'password' }],
    ['What is only written', true, { writeOnly: true }],
    ['A date', false, { format: 'date', writeOnly: false }],
  ] as const) {
    test(`${title} is ${secret ? 'a secret' : 'none'}`, () => {
      const [f] = fields({ properties: { value: { type: 'string', title, ...marks } } });
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

describe('grants', () => {
  const store = () => {
    const kept = new Map<string, unknown>();
    return { kept, get: (k: string) => kept.get(k), update: async (k: string, v: unknown) => void kept.set(k, v) };
  };
  const server = { name: 's', source: 'file:///a', digest: '1' } as Server;
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

describe('the answers to a question of the daemon', () => {
  const words = (kind: ApproveParams['kind'], before?: string) =>
    wordsOf({ kind, text: { title: '', short: '', whole: '', before, complete: true } } as ApproveParams, (m) => m);

  test('say how long they hold', () => {
    assert.equal(words('server').allow, 'until its definition changes');
    assert.equal(words('folder').deny, 'you are not asked again');
    assert.equal(words('tools').allow, 'until they change again');
    assert.equal(words('call').allow, 'this call only');
  });
  test('say that an agent waits', () => {
    assert.match(words('call').about, /^An agent waits\..*; Later refuses it too\.$/);
    assert.equal(words('call').later, 'the call fails; the agent may ask again');
  });
  test('name what else there is to see', () => {
    assert.equal(words('server').look, 'Look at the Whole Definition');
    assert.equal(words('server', 'as it was').look, 'Look at the Changes');
    assert.equal(words('tools').look, 'Look at the Changes');
    assert.equal(words('call').look, 'Look at the Whole Call');
  });
});

describe('for whom a server asks', () => {
  const t = (text: string, ...values: string[]) => text.replace(/\{(\d)\}/g, (_, n) => values[Number(n)] ?? '');
  const asked = (caller?: Caller) => forWhom({ server: 'fs', params: {}, ...(caller && { caller }) }, t);

  test('the program and its tool', () => {
    assert.equal(asked({ name: 'Claude Code', tool: 'write_file' }), 'for Claude Code (tool write_file)');
    assert.equal(asked({ name: 'Claude Code' }), 'for Claude Code');
    assert.equal(asked(), undefined);
  });

  test('their names are only text, and short', () => {
    assert.equal(
      asked({ name: 'a\u202e$(trash)\n', tool: '[x](command:y)' }),
      'for a\\u{202e}$ (trash)\\n (tool [x] (command:y))',
    );
    assert.ok((asked({ name: 'n'.repeat(1000), tool: 't'.repeat(1000) })?.length ?? 0) < 140);
  });
});
