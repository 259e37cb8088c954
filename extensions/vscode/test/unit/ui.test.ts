import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { coalesce } from '../../src/coalesce';
import { wrap } from '../../src/ui/wrap';

describe('rows', () => {
  for (const [name, text, want] of [
    ['a short line is one', 'node', ['node']],
    ['lines stay lines', 'a\n\nb', ['a', '', 'b']],
    ['they break after a space', 'aaaa bbbb cccc', ['aaaa bbbb ', '    cccc']],
    ['a word that is too long is broken', 'aaaaaaaaaaaa', ['aaaaaaaaa', '    aaa']],
    ['wide characters count for more', 'WWWWWWW', ['WWWWWW', '    W']],
    ['and those of other scripts too', '漢漢漢漢漢漢', ['漢漢漢漢漢', '    漢']],
    // What a file says is never taken for a label.
    ['nothing in a text begins a line', '"aaaa Run: x"', ['"aaaa ', '    Run: x"']],
  ] as const) {
    test(name, () => assert.deepEqual(wrap(text, 6), want));
  }
  test('nothing is lost', () => {
    const text = `https://example.com/?a=b c  d   ${'x'.repeat(300)}`;
    const parts = wrap(text, 40).map((part, i) => (i > 0 ? part.slice(4) : part));
    assert.equal(parts.join(''), text);
  });
});

describe('what comes too often', () => {
  test('is done at once, then rarely, and once more at the end', async () => {
    const { mock } = await import('node:test');
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      let done = 0;
      const call = coalesce(() => done++, 100);
      for (let i = 0; i < 1000; i++) {
        call();
      }
      assert.equal(done, 1);
      mock.timers.tick(100);
      assert.equal(done, 2);
      mock.timers.tick(1000);
      assert.equal(done, 2);
      call();
      assert.equal(done, 3);
    } finally {
      mock.timers.reset();
    }
  });
});
