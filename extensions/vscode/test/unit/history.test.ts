// What is kept of results, and for how long.

import * as assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { History } from '../../src/results/history';
import { type Result, Shelf, weigh } from '../../src/results/shelf';

describe('the history of results', () => {
  const entry = (memory: number, disk = 0) => ({ weight: { memory, disk } });
  const filled = (...entries: ReturnType<typeof entry>[]) => {
    const history = new History<ReturnType<typeof entry>>({ count: 3, memory: 100, disk: 1000 });
    for (const e of entries) {
      history.add(e);
    }
    return entries.map((e) => history.at(e)?.position);
  };
  test('has the newest last', () => assert.deepEqual(filled(entry(1), entry(1)), [1, 2]));
  test('lets go of the oldest when there are too many', () =>
    assert.deepEqual(filled(entry(1), entry(1), entry(1), entry(1)), [undefined, 1, 2, 3]));
  test('lets go of the oldest ones when they take too much memory', () =>
    assert.deepEqual(filled(entry(50), entry(40), entry(60)), [undefined, 1, 2]));
  test('lets go of the oldest ones when they take too much of the disk', () =>
    assert.deepEqual(filled(entry(0, 600), entry(0, 500)), [undefined, 1]));
  test('keeps the newest, whatever it takes', () => assert.deepEqual(filled(entry(1), entry(200)), [undefined, 1]));

  test('goes back and forward, and ends at both ends', () => {
    const [a, b] = [entry(1), entry(1)];
    const history = new History<ReturnType<typeof entry>>();
    history.add(a);
    history.add(b);
    assert.deepEqual(history.at(b), { position: 2, count: 2 });
    assert.equal(history.beside(b, -1), a);
    assert.equal(history.beside(a, 1), b);
    assert.equal(history.beside(a, -1), undefined);
    assert.equal(history.beside(b, 1), undefined);
  });

  test('is left by what is kept elsewhere, which is then beside nothing', () => {
    const [a, b, c] = [entry(1), entry(1), entry(1)];
    const history = new History<ReturnType<typeof entry>>();
    for (const e of [a, b, c]) {
      history.add(e);
    }
    history.retain((e) => e !== b);
    assert.equal(history.has(b), false);
    assert.equal(history.at(b), undefined);
    assert.equal(history.beside(b, -1), undefined);
    assert.equal(history.beside(c, -1), a);
  });
});

describe('the shelf', () => {
  const root = mkdtempSync(join(tmpdir(), 'mcp-editord-shelf-'));
  after(() => rmSync(root, { recursive: true, force: true }));
  const result = (text: string): Result => ({ content: [{ type: 'text', text }] });
  const mine = join(root, String(process.pid));

  test('keeps small results in memory', async () => {
    const shelf = new Shelf(root);
    const kept = await shelf.put(result('small'));
    assert.deepEqual(await kept.read(), result('small'));
    assert.equal(kept.weight.disk, 0);
    assert.deepEqual(readdirSync(root), []);
    shelf.dispose();
  });

  test('keeps large results in files that only this person can read, until they are dropped', async () => {
    const shelf = new Shelf(root);
    const large = result('aä😀'.repeat(1 << 18)); // whatever its pieces are, some end within a character

    const kept = await shelf.put(large);
    assert.equal(kept.weight.memory, 0);
    assert.deepEqual(await kept.read(), large);
    const [file = ''] = readdirSync(mine);
    assert.equal(statSync(join(mine, file)).mode & 0o777, 0o600);
    assert.equal(statSync(mine).mode & 0o777, 0o700);
    assert.equal(statSync(join(mine, file)).size, kept.weight.disk);
    await kept.drop();
    assert.deepEqual(readdirSync(mine), []);
    await assert.rejects(kept.read());
    shelf.dispose();
    assert.deepEqual(readdirSync(root), []);
  });

  test('keeps a large result in memory when no file can be written', async () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    const large = result('a'.repeat(1 << 20));
    const kept = await new Shelf(file).put(large);
    assert.ok(kept.weight.memory > 1 << 20);
    assert.deepEqual(await kept.read(), large);
    rmSync(file);
  });

  test('begins with what windows left behind that no longer run, and leaves those alone that do', () => {
    const init = 1; // runs, and belongs to another person
    const none = spawnSync(process.execPath, ['--version']).pid;
    for (const pid of [init, none]) {
      mkdirSync(join(root, String(pid)));
      writeFileSync(join(root, String(pid), '1.json'), '{}');
    }
    new Shelf(root).dispose();
    assert.deepEqual(readdirSync(root), [String(init)]);
  });
});

test('a result weighs what its texts take', () => {
  assert.ok(weigh({ a: 'x'.repeat(1000) }) > 2000);
  assert.ok(weigh(Array(1000).fill(null)) > 1000);
  assert.ok(weigh({ a: [1, true, null, undefined as never] }) < 1000);
});
