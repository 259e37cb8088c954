import * as assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { isMarkdown, maxMedia, present, textOf } from '../../src/results/format';
import { render } from '../../src/results/markdown';
import { page } from '../../src/results/page';
import { render as renderAll } from '../../src/results/render';

const labels = { save: 'Save', open: 'Open', asText: 'As Text', image: 'image', audio: 'audio' };
const text = (s: string) => ({ content: [{ type: 'text', text: s }] });

test('a short text is a message', () => {
  assert.deepEqual(present(text('done'), 'auto'), { as: 'message', text: 'done' });
});

test('a text of several lines is a document', () => {
  assert.deepEqual(present(text('a\nb'), 'auto'), { as: 'document', text: 'a\nb', language: 'plaintext' });
});

test('Markdown is a page, and a document for those who want one', () => {
  assert.equal(present(text('# Title\n\ntext'), 'auto').as, 'page');
  assert.deepEqual(present(text('# Title'), 'document'), { as: 'document', text: '# Title', language: 'plaintext' });
});

test('data is a JSON document, also when it comes as text', () => {
  assert.deepEqual(present({ content: [], structuredContent: { a: 1 } }, 'auto'), {
    as: 'document',
    text: '{\n  "a": 1\n}',
    language: 'json',
  });
  assert.equal((present(text('{"a":1}'), 'auto') as { language: string }).language, 'json');
});

test('an image is a page, with the data under it', () => {
  const p = present(
    { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }], structuredContent: { a: 1 } },
    'auto',
  );
  assert.deepEqual(p.as === 'page' && p.blocks.map((b) => b.kind), ['image', 'json']);
});

// Fault huge-picture.
test('an image that is too large is a file', () => {
  const data = 'A'.repeat(Math.ceil((maxMedia * 4) / 3) + 8);
  const p = present({ content: [{ type: 'image', mimeType: 'image/png', data }] }, 'auto');
  assert.deepEqual(p.as === 'page' && p.blocks.map((b) => b.kind), ['file']);
});

test('content that nobody knows is shown as it is, and the rest too', () => {
  const p = present(
    {
      content: [
        { type: 'hologram', x: 1 },
        { type: 'text', text: '# a' },
      ],
    },
    'auto',
  );
  assert.deepEqual(p.as === 'page' && p.blocks.map((b) => b.kind), ['json', 'markdown']);
});

for (const [name, content] of Object.entries({
  'a type that is none': { type: 'image', mimeType: 'image/png" onerror="x', data: 'AAAA' },
  'data that is none': { type: 'image', mimeType: 'image/png', data: '"><script>' },
})) {
  test(`an image with ${name} is not drawn`, () => {
    const p = present({ content: [content] }, 'preview');
    assert.deepEqual(p.as === 'page' && p.blocks.map((b) => b.kind), ['json']);
  });
}

test('results that are none do no harm', () => {
  for (const result of [{}, { content: null }, { content: [null, 1, 'x'] }, { messages: [{ role: 'user' }] }]) {
    present(result as never, 'auto');
  }
});

test('a prompt is its messages', () => {
  const p = present({ messages: [{ role: 'user', content: { type: 'text', text: '# hi' } }] }, 'auto');
  assert.deepEqual(p.as === 'page' && p.blocks.map((b) => b.kind), ['heading', 'markdown']);
  assert.equal(textOf({ messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }] }), 'hi');
});

test('what is Markdown', () => {
  for (const s of ['# a', '- a\n- b', '**a**', '[a](b)', '```\nx\n```', '| a | b |']) {
    assert.equal(isMarkdown(s), true, s);
  }
  for (const s of ['a', 'a - b', '#include', 'a * b', '1 < 2']) {
    assert.equal(isMarkdown(s), false, s);
  }
});

// Fault hostile-markup.
const hostile: [string, string][] = [
  ['a command link', '[x](command:workbench.action.quit)'],
  ['a reference to a command', '[x][y]\n\n[y]: command:workbench.action.quit'],
  ['an autolink of a command', '<command:workbench.action.quit>'],
  ['a script link', '[x](javascript:alert(1))'],
  ['a data link', '[x](data:text/html,x)'],
  ['a file link', '[x](file:///etc/passwd)'],
  ['an image', '![x](https://example.com/a.png)'],
  ['a reference to an image', '![x][y]\n\n[y]: https://example.com/a.png'],
  ['HTML', '<img src="https://example.com/a.png"><script>x</script><meta http-equiv="refresh" content="0">'],
  ['HTML in a line', 'a <a href="command:x" onclick="y">b</a>'],
  ['HTML in a name', '[<img src=x>](https://example.com)'],
  ['quotes in an address', '[x](https://example.com/"onclick="y)'],
  ['HTML in code', '```"><img src=x>\n<img src=x>\n```'],
];
for (const [name, markdown] of hostile) {
  test(`${name} in Markdown is not one in the page`, () => {
    const out = render(markdown);
    assert.doesNotMatch(out, /<(img|script|meta|iframe|form|object|style)\b/i);
    assert.doesNotMatch(out, /<[^>]*\son\w+\s*=\s*["']/i);
    for (const [, href] of out.matchAll(/<a\b[^>]*href="([^"]*)"/g)) {
      assert.match(href ?? '', /^https?:/);
    }
  });
}

test('the page lets nothing in', () => {
  const text = '</section><script>x</script>';
  const blocks = [
    { kind: 'markdown' as const, text },
    { kind: 'markdown' as const, text },
  ];
  const out = page('<title>', blocks, [render(text), undefined], 'en', labels);
  const nonce = /<script nonce="([\w-]{20,})">/.exec(out)?.[1];
  assert.ok(
    out.includes(
      `Content-Security-Policy" content="default-src 'none'; img-src data:; media-src data:; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; form-action 'none'; base-uri 'none'"`,
    ),
  );
  assert.equal(out.match(/<script/g)?.length, 1);
  assert.doesNotMatch(out, /<title><title>/);
});

// What a server writes never holds up the extension host.
const worker = join(__dirname, '../../markdown.js');

test('Markdown that no parser gets through is shown as it is, beside the rest', async () => {
  const texts = ['# a', '*a_'.repeat(14_000), '# b'];
  let turns = 0;
  const turning = setInterval(() => turns++, 10);
  const html = await renderAll(texts, worker);
  clearInterval(turning);
  // The last one waits for the one before it, which takes all the time.
  assert.deepEqual(html, ['<h1>a</h1>\n', undefined, undefined]);
  assert.ok(turns > 1, `the event loop has turned ${turns} times`);
});

test('Markdown that is deep spoils nothing beside it', async () => {
  const [, other] = await renderAll(['> '.repeat(3000), '# b'], worker);
  assert.equal(other, '<h1>b</h1>\n');
});

test('Markdown that would fill the memory is shown as it is', async () => {
  const wide = 2000;
  const rows = `|${'-|'.repeat(wide)}\n`;
  assert.deepEqual(await renderAll([`${'|a'.repeat(wide)}|\n${rows}${'|a|\n'.repeat(20_000)}`], worker), [undefined]);
});

// Were it quadratic, each of these would take minutes.
test('what is Markdown, and data, is found in linear time', { timeout: 60_000 }, () => {
  for (const c of ['\n', '[', '[a](', '*', '**a', '|a', '- ']) {
    isMarkdown(`${c.repeat(400_000)}!`);
  }
  const data = `${' '.repeat(1_000_000)}!`;
  assert.equal(present({ content: [{ type: 'image', mimeType: 'image/png', data }] }, 'auto').as, 'document');
});
