import * as assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Drafts } from '../../src/form/draft';

describe('drafts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drafts-'));
  after(() => rmSync(folder, { recursive: true }));
  let files = 0;
  const store = () => join(folder, `${++files}`, 'drafts.json');
  const draft = (text: string) => ({ values: { a: 1 }, typed: { b: text } });

  test('outlive the window, but for secrets and what is not to be written down', () => {
    const s = store();
    const d = new Drafts(s);
    const values = {
      a: 1,
      token: 'x',
      env: { API_KEY: 'x', PATH: '/bin' },
      accounts: [{ name: 'n', password: 'x' }],
      pass: 'x',
    };
    const typed = {
      b: 'two\nlines',
      password: 'y',
      'accounts/0/password': 'y',
      'env~json': '{"API_KEY": "y"',
      pass: 'y',
    };
    const shapes = {
      target: { at: 1, others: { 0: { kind: 'k', secret: 'x' } } },
      pass: { at: 0, others: { 1: 'x' } },
      'accounts/0': { at: 1, others: { 0: { name: 'n', code: 'x' } } },
    };
    const secrets = ['env~json', 'pass', 'accounts/0/code'];
    d.keep('tool', { values, typed, field: 'accounts/0', shapes, secrets }, true);
    d.keep('question', draft('z'), false);
    d.dispose();
    assert.doesNotMatch(readFileSync(s, 'utf8'), /[xyz]\\?"/);
    assert.equal(statSync(s).mode & 0o777, 0o600);
    const next = new Drafts(s);
    assert.deepEqual(next.of('tool'), {
      values: { a: 1, env: { PATH: '/bin' }, accounts: [{ name: 'n' }] },
      typed: { b: 'two\nlines' },
      field: 'accounts/0',
      shapes: {
        target: { at: 1, others: { 0: { kind: 'k' } } },
        pass: { at: 0, others: {} },
        'accounts/0': { at: 1, others: { 0: { name: 'n' } } },
      },
    });
    assert.equal(next.of('question'), undefined);
    assert.deepEqual(d.of('tool')?.values.token, 'x');
  });

  test('are twenty at most, and the last one is always kept', () => {
    const d = new Drafts(store());
    for (let i = 0; i < 30; i++) {
      d.keep(`${i}`, draft('x'), true);
    }
    assert.equal(d.of('9'), undefined);
    assert.ok(d.of('10'));
    d.keep('large', draft('x'.repeat(9 << 20)), true);
    assert.ok(d.of('large'));
    d.keep('next', draft('x'), true);
    assert.equal(d.of('large'), undefined);
    assert.ok(d.of('next'));
    d.dispose();
  });

  test('of what was sent and failed are put back, unless there is a newer one', () => {
    const d = new Drafts(store());
    assert.equal(d.take('a'), undefined);
    d.keep('a', draft('x'), true);
    const back = d.take('a');
    assert.equal(d.of('a'), undefined);
    back?.();
    assert.deepEqual(d.of('a'), draft('x'));
    const again = d.take('a');
    d.keep('a', draft('newer'), true);
    again?.();
    assert.deepEqual(d.of('a'), draft('newer'));
    d.dispose();
  });

  test('are gone when they are dropped', () => {
    const s = store();
    const d = new Drafts(s);
    d.keep('a', draft('x'), true);
    d.drop('a');
    d.dispose();
    assert.equal(new Drafts(s).of('a'), undefined);
  });
});
