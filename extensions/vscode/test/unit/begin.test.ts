import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { begin, filesIn } from '../../src/calls/begin';

describe('a new call', () => {
  for (const [name, text, want] of [
    [
      'goes on at the first argument without a value',
      'call: a.b\nwith:\n  # x:\n  id: 1\n  title:\n  body:\n',
      '  title: ',
    ],
    ['leaves the space that is there', 'call: a.b\nwith:\n  title: \n', '  title: '],
    ['goes on at its end when nothing is missing', 'call: a.b\nwith:\n  id: 1\n', ''],
  ] as const) {
    test(name, () => {
      const { text: after, at } = begin(text);
      assert.equal(after.slice(after.lastIndexOf('\n', at - 1) + 1, at), want);
      assert.equal(after.replace(/ +$/gm, ''), text.replace(/ +$/gm, ''));
    });
  }
});

describe('the files that results name', () => {
  const name = `result-image-${'a2'.repeat(13)}`;
  const paths = (text: string) => filesIn(text).map(({ path }) => path);
  test('are those that the daemon keeps', () => {
    assert.deepEqual(paths(`result: |\n  image/png, 1 KB: /home/me/my state/texts/${name}.png\n`), [
      `/home/me/my state/texts/${name}.png`,
    ]);
    assert.deepEqual(paths(`  C:\\state\\texts\\${name}.txt`), [`C:\\state\\texts\\${name}.txt`]);
  });
  test('are no others', () => {
    assert.deepEqual(paths(`/etc/passwd\n/home/me/result-1.png\nhttps://example.com/${name}.png`), []);
  });
});
