// What is kept of results, and for how long.

import * as assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { History } from '../../src/results/history';
import { Shelf } from '../../src/results/shelf';

describe('the history of results', () => {
  const entry = (size: number) => ({ size });
  const filled = (...entries: ReturnType<typeof entry>[]) => {
    const history = new History<ReturnType<typeof entry>>({ count: 3, size: 100 });
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
  afterEach(() => {
    for (const folder of readdirSync(root)) {
      rmSync(join(root, folder), { recursive: true });
    }
  });
  const folders = () => readdirSync(root).map((folder) => folder.replace(/-.*/, ''));
  const left = async (shelf: Shelf<string>) => (await shelf.claim()).map(({ value }) => value);
  const dead = spawnSync(process.execPath, ['--version']).pid;

  test('has values in files that only this person can read, until they are dropped', async () => {
    const shelf = new Shelf<string>(root);
    const [a, b] = [shelf.name(), shelf.name()];
    shelf.put(a, 'a');
    assert.equal(shelf.put(b, 'b'), '"b"'.length);
    assert.deepEqual(await left(shelf), []); // they are its own
    const [folder = ''] = readdirSync(root);
    assert.equal(statSync(join(root, folder)).mode & 0o777, 0o700);
    assert.deepEqual(
      readdirSync(join(root, folder)).map((file) => statSync(join(root, folder, file)).mode & 0o777),
      [0o600, 0o600],
    );
    shelf.drop(a);
    shelf.drop(b);
    await shelf.claim();
    assert.deepEqual(folders(), []);
  });

  test('gives a window what the one before it had, in its order, once', async () => {
    const before = new Shelf<string>(root);
    const names = Array.from({ length: 12 }, () => before.name());
    names.forEach((name, i) => {
      before.put(name, String(i));
    });
    before.put(names[3] ?? '', 'newer');
    await before.claim();
    before.dispose();
    const [one, two] = [new Shelf<string>(root), new Shelf<string>(root)];
    const [mine, others] = await Promise.all([one.claim(), two.claim()]);
    assert.deepEqual(
      [...mine, ...others].map(({ value }) => value),
      ['0', '1', '2', 'newer', ...Array.from({ length: 8 }, (_, i) => String(i + 4))],
    );
    assert.ok(mine.length === 0 || others.length === 0, 'both have it');
    assert.deepEqual(
      [...mine, ...others].map(({ name }) => name),
      names,
    );
    const owner = mine.length > 0 ? one : two;
    owner.dispose(); // a second reload
    assert.equal((await left(new Shelf<string>(root))).length, 12);
  });

  test('takes over from windows that were killed, and leaves those alone that run', async () => {
    for (const pid of [1, dead]) {
      mkdirSync(join(root, `${pid}-x${pid}`));
      writeFileSync(join(root, `${pid}-x${pid}`, '1.json'), JSON.stringify(`of ${pid}`));
    }
    writeFileSync(join(root, `${dead}-x${dead}`, '2.json'), '{"half":'); // it was killed while it wrote
    const shelf = new Shelf<string>(root);
    assert.deepEqual(await left(shelf), [`of ${dead}`]);
    await shelf.claim();
    assert.deepEqual(folders().sort(), ['1', String(process.pid)].sort());
    shelf.dispose();
    assert.deepEqual(folders().sort(), ['0', '1']);
  });

  test('writes nothing after its end, nor where it cannot', async () => {
    const shelf = new Shelf<string>(root);
    const name = shelf.name();
    shelf.put(name, 'a');
    await shelf.claim();
    shelf.dispose();
    shelf.drop(name);
    assert.deepEqual(await left(new Shelf<string>(root)), ['a']);
    const file = join(root, 'file');
    writeFileSync(file, '');
    for (const nowhere of [undefined, file]) {
      const none = new Shelf<string>(nowhere);
      none.put(none.name(), 'a');
      assert.deepEqual(await left(none), []);
      none.dispose();
    }
  });
});
