import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import vectors from '../../../../internal/safetext/testdata/vectors.json';
import { block, firstLine, html, json, line } from '../../src/text';

// The rules are those of the daemon's internal/safetext, and so are the cases.
for (const { name, in: given, out } of vectors.block) {
  test(`block: ${name}`, () => assert.equal(block(given), out));
}
for (const { name, in: given, max, out } of vectors.line) {
  test(`line: ${name}`, () => assert.equal(line(given, max), out));
}

test('every character that is escaped, and no other', () => {
  const escaped = new Set<number>();
  for (const [first, last] of vectors.escaped) {
    for (let code = first as number; code <= (last as number); code++) {
      escaped.add(code);
    }
  }
  const wrong: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    const c = String.fromCodePoint(code);
    if ((code < 0xd800 || code > 0xdfff) && (line(c) !== c) !== escaped.has(code)) {
      wrong.push(code.toString(16));
    }
  }
  assert.deepEqual(wrong, []);
});

test('a lone surrogate', () => {
  assert.equal(line('a\ud800b'), 'a\\u{d800}b');
});

test('a line has no breaks, a block keeps them', () => {
  assert.equal(line('a\nb\tc\r'), 'a\\nb\\tc\\r');
  assert.equal(block('a\r\nb\tc'), 'a\nb\tc');
});

test('a line is cut between characters', () => {
  assert.equal(line('\u{1f600}'.repeat(5), 3), '\u{1f600}\u{1f600}…');
  assert.equal(line('abc', 3), 'abc');
  assert.equal(Array.from(line('\u202e'.repeat(500), 50)).length, 50);
});

// VS Code would draw the icon, and run the command of the link.
test('icons and links in a line are taken apart', () => {
  assert.equal(line('$(trash) [x](command:y)'), '$ (trash) [x] (command:y)');
});

test('HTML is text', () => {
  assert.equal(html('<img src="x" onerror=\'y\'>&'), '&#60;img src=&#34;x&#34; onerror=&#39;y&#39;&#62;&#38;');
});

test('JSON can be read back', () => {
  const value = { a: 'x\u202ey\u{e0041}', b: ['\u200b'], c: 'é' };
  const text = json(value);
  assert.match(text, /^[\x20-\x7eé\n]*$/);
  assert.deepEqual(JSON.parse(text), value);
});

test('the first line that is not empty', () => {
  assert.equal(firstLine('\n  \n two\nthree'), 'two');
  assert.equal(firstLine(undefined), '');
});
