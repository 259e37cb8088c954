import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { block, firstLine, html, json, line } from '../../src/text';

// faults.md, row 60. The same texts have the same outcome in internal/safetext.
const hostile: [string, string, string][] = [
  ['ANSI', '\u001b[31mred', '\\u{1b}[31mred'],
  ['OSC 8', '\u001b]8;;http://x\u0007', '\\u{1b}]8;;http://x\\u{7}'],
  ['C1', '\u009b31m', '\\u{9b}31m'],
  ['bidi', 'a\u202eb', 'a\\u{202e}b'],
  ['isolates', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
  ['zero width', 'a\u200bb', 'a\\u{200b}b'],
  ['tags', 'a\u{e0041}', 'a\\u{e0041}'],
  ['variation selectors', 'a\ufe00b', 'a\\u{fe00}b'],
  ['a coloured character', '\u2764\ufe0f', '\u2764\ufe0f'],
  ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
  ['a visible format character', '\u0600', '\u0600'],
  ['line separators', 'a\u2028b', 'a\\u{2028}b'],
  ['plain text', 'a b\u00e9\u{1f600}', 'a b\u00e9\u{1f600}'],
];
for (const [name, text, want] of hostile) {
  test(`${name} is shown and does nothing`, () => {
    assert.equal(line(text), want);
    assert.equal(block(text), want);
  });
}

test('a line has no breaks, a block keeps them', () => {
  assert.equal(line('a\nb\tc\r'), 'a\\nb\\tc\\r');
  assert.equal(block('a\r\nb\tc'), 'a\nb\tc');
});

test('a line is cut between characters', () => {
  assert.equal(line('\u{1f600}'.repeat(5), 3), '\u{1f600}\u{1f600}…');
  assert.equal(line('abc', 3), 'abc');
  assert.equal(Array.from(line('\u202e'.repeat(500), 50)).length, 50);
});

// faults.md, row 61.
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
