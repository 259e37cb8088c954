// Checks who imports whom in src/: no file imports itself in a circle, not even for a type.

import * as assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const src = join(__dirname, '../../../src');

interface Import {
  from: string;
  /** Whether it is gone when the program runs. */
  type: boolean;
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replaceAll('\\', '/').slice(0, -'.ts'.length));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** Returns what a file imports: files by their names in src, and packages by theirs. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, `${file}.ts`), 'utf8');
  const found = text.matchAll(/^(?:import|export) (type )?[^'"]*? from '([^']+)';|\bimport\('([^']+)'\)/gm);
  return Array.from(found, ([, type, from, later]) => ({ from: nameOf(file, from ?? later ?? ''), type: !!type }));
}

function nameOf(file: string, from: string): string {
  if (!from.startsWith('.')) {
    return from;
  }
  const path = normalize(join(dirname(file), from)).replaceAll('\\', '/');
  return [path, `${path}/index`].find((name) => files.includes(name)) ?? assert.fail(`${file} imports ${from}`);
}

/** Returns a shortest way from a file to one that `ends` accepts, undefined when there is none. */
function way(from: string, ends: (file: string) => boolean, follows: (i: Import) => boolean): string[] | undefined {
  const ways = [[from]];
  const seen = new Set<string>();
  for (const path of ways) {
    for (const i of (imports.get(path.at(-1) ?? '') ?? []).filter(follows)) {
      if (ends(i.from)) {
        return [...path, i.from];
      }
      if (!seen.has(i.from)) {
        seen.add(i.from);
        ways.push([...path, i.from]);
      }
    }
  }
  return undefined;
}

test('every file is reached from the extension or its worker', () => {
  const entries = ['extension', 'results/worker', 'no-minimatch'];
  const reached = new Set(entries);
  for (const file of reached) {
    for (const { from } of imports.get(file) ?? []) {
      reached.add(from);
    }
  }
  assert.deepEqual(
    files.filter((file) => !reached.has(file)),
    [],
  );
});

for (const file of files) {
  test(`${file} imports itself in no circle`, () => {
    const circle = way(
      file,
      (end) => end === file,
      () => true,
    );
    assert.equal(circle?.join(' → '), undefined);
  });
}

// These are tested without a window. They may import types of vscode, which are gone when they run.
for (const file of [
  'calls/begin',
  'chat/offer',
  'coalesce',
  'commands/entry',
  'commands/move-server',
  'commands/proposals',
  'daemon/binary',
  'daemon/crashes',
  'daemon/documents',
  'daemon/failure',
  'daemon/kept-file',
  'daemon/message',
  'daemon/own-client',
  'form/check',
  'form/draft',
  'form/resolve',
  'form/schema',
  'form/secret',
  'form/skeleton',
  'form/tree',
  'form/typed',
  'json',
  'logs/tail',
  'protocol',
  'questions/consent',
  'questions/convert',
  'questions/grants',
  'questions/inbox',
  'questions/kinds',
  'resources/address',
  'resources/media-types',
  'resources/subscriptions',
  'resources/template',
  'results/format',
  'results/history',
  'results/markdown',
  'results/page',
  'results/render',
  'results/shelf',
  'results/worker',
  'signin/needs',
  'text',
  'ui/latest',
  'ui/search',
  'ui/webpage',
  'ui/wrap',
  'views/details-page',
  'views/items',
  'views/status-text',
]) {
  test(`${file} needs no window`, () => {
    assert.ok(imports.has(file), 'there is no such file');
    const window = way(
      file,
      (end) => end === 'vscode',
      ({ type }) => !type,
    );
    assert.equal(window?.join(' → '), undefined);
  });
}

// The rooms from the lowest up. No file imports one in a room above its own.
const rooms = [
  ['coalesce', 'json', 'mcp', 'no-minimatch', 'protocol', 'protocol.gen', 'text'],
  ['ui'],
  ['daemon'],
  ['form', 'logs', 'resources'],
  ['results'],
  ['ctx', 'questions', 'signin'],
  ['calls', 'chat', 'views'],
  ['commands'],
  ['extension'],
];

test('no room imports one above it', () => {
  const level = (file: string) => rooms.findIndex((names) => names.includes(file.split('/')[0] ?? ''));
  const wrong = files.flatMap((file) => {
    assert.ok(level(file) >= 0, `${file} is in no room`);
    return (imports.get(file) ?? [])
      .filter(({ from }) => files.includes(from) && level(from) > level(file))
      .map(({ from }) => `${file} → ${from}`);
  });
  assert.deepEqual(wrong, []);
});
