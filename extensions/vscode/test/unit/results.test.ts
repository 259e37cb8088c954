import * as assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Block, isMarkdown, maxMedia, maxPage, pageText, present, textOf } from '../../src/results/format';
import { render } from '../../src/results/markdown';
import { page, type View } from '../../src/results/page';
import { render as renderAll } from '../../src/results/render';
import type { Translate } from '../../src/text';

const t: Translate = (message, ...args) => message.replace(/\{(\d)\}/g, (_, i) => String(args[i]));
const view: View = {
  id: '1',
  title: 'a',
  note: '',
  at: undefined,
  blocks: [],
  media: { from: 'https://cdn.example', address: (uri) => uri.replace('file:', 'https:') },
  offered: [],
  focus: undefined,
};
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

test('a text beside data that says something else is a page, with the data under it', () => {
  const both = { ...text('Created #42'), structuredContent: { id: 42 } };
  const json = { kind: 'json', text: '{\n  "id": 42\n}' };
  assert.deepEqual(present(both, 'auto'), { as: 'page', blocks: [{ kind: 'text', text: 'Created #42' }, json] });
  const document = { as: 'document', text: 'Created #42\n\n{\n  "id": 42\n}', language: 'plaintext' };
  assert.deepEqual(present(both, 'document'), document);
  assert.deepEqual(present({ ...both, isError: true }, 'auto'), document);
  const large = 'x'.repeat(maxPage);
  const p = present({ ...text('a text'), structuredContent: { large } }, 'auto');
  assert.ok(p.as === 'document' && p.text.startsWith('a text\n\n{') && p.text.includes(large));
});

// As MCP has servers send data, and as frameworks do.
for (const [name, result, shown] of [
  ['the same data', { ...text('{"b": 2, "a": 1}'), structuredContent: { a: 1, b: 2 } }, '{\n  "a": 1,\n  "b": 2\n}'],
  ['other data', { ...text('{"a":1}'), structuredContent: { a: 2 } }, '{"a":1}\n\n{\n  "a": 2\n}'],
  ['the same text in "result"', { ...text('a\nb'), structuredContent: { result: 'a\nb' } }, 'a\nb'],
  ['the same number in "result"', { ...text('7'), structuredContent: { result: 7 } }, '7'],
  [
    'the items of "result"',
    { content: ['a', 'b'].map((s) => ({ type: 'text', text: s })), structuredContent: { result: ['a', 'b'] } },
    '{\n  "result": [\n    "a",\n    "b"\n  ]\n}',
  ],
] as const) {
  test(`a text that is ${name} is shown once`, () => {
    const p = present(result as never, 'document');
    assert.ok(p.as === 'document');
    assert.equal(p.text, shown);
  });
}

test('an image is a page, with the data under it', () => {
  const p = present(
    { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }], structuredContent: { a: 1 } },
    'auto',
  );
  assert.deepEqual(p.as === 'page' && p.blocks.map((b) => b.kind), ['image', 'json']);
});

const folder = 'file:///state/texts';
const _meta = { 'mcp-editord/file': { part: 'text' } };
/** Returns a link to a file, as the daemon makes it. */
const kept = (file: string, mimeType: string, size = 300_000, part = 'text') => ({
  type: 'resource_link',
  uri: `${folder}/${file}`,
  name: file,
  mimeType,
  size,
  _meta: { 'mcp-editord/file': { part } },
});

test('a large text is a file that VS Code opens, however it should be shown', () => {
  for (const content of [
    [kept('result-a.txt', 'text/plain')],
    [{ type: 'text', text: '' }, kept('result-a.json', '')],
  ]) {
    for (const preference of ['auto', 'preview', 'document'] as const) {
      assert.equal(present({ content }, preference, folder).as, 'file');
      assert.equal(present({ isError: true, content }, preference, folder).as, 'file');
    }
  }
  const messages = [{ role: 'user', content: kept('result-a.txt', 'text/plain') }];
  assert.equal(present({ messages }, 'auto', folder).as, 'file');
});

// Fault huge-picture.
test('large parts beside others are on a page, which draws media up to a size', () => {
  const content = [
    { type: 'text', text: 'a' },
    kept('result-a.txt', 'text/plain'),
    kept('result-b.png', 'image/png', maxMedia, 'image'),
    kept('result-c.png', 'image/png', maxMedia + 1, 'image'),
    kept('result-d.bin', 'image/x', 300_000, 'image'),
  ];
  const p = present({ content }, 'auto', folder);
  assert.deepEqual(p.as === 'page' && p.blocks.map((b) => (b.kind === 'kept' ? b.drawn : b.kind)), [
    'markdown',
    undefined,
    'image',
    undefined,
    undefined,
  ]);
});

for (const [name, link] of Object.entries({
  'another folder': { ...kept('result-a.txt', 'text/plain'), uri: 'file:///etc/passwd' },
  'a folder beside ours': { ...kept('result-a.txt', 'text/plain'), uri: `${folder}/../result-a.txt` },
  'a file that is no result': kept('draft-a.txt', 'text/plain'),
  'a file of ours without a note': { ...kept('result-a.txt', 'text/plain'), _meta: {} },
})) {
  test(`a link of a server to ${name} is no file of the daemon`, () => {
    const p = present({ content: [link] }, 'auto', folder);
    assert.deepEqual(p.as === 'page' && p.blocks.map((b) => b.kind), ['link']);
  });
}

test('no link is a file of the daemon before that has named its folder', () => {
  assert.equal(present({ content: [kept('result-a.txt', 'text/plain')] }, 'auto', undefined).as, 'page');
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

test('data stays data beside content that nobody knows, which alone is a page', () => {
  const content = [{ type: 'hologram', x: 1 }];
  assert.equal(present({ content, structuredContent: { a: 1 } }, 'auto').as, 'document');
  assert.equal(present({ content }, 'auto').as, 'page');
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

for (const [name, result] of Object.entries({
  'no content': { content: [] },
  'a blank text': text(' \n'),
  'a message without a text': { messages: [{ role: 'user', content: { type: 'text', text: '' } }] },
})) {
  test(`a result with ${name} says nothing`, () => {
    assert.deepEqual(
      (['auto', 'preview', 'document'] as const).map((preference) => present(result, preference).as),
      ['nothing', 'nothing', 'nothing'],
    );
  });
}

test('the text of a resource in a result is a page', () => {
  const resource = { uri: 'demo://a', mimeType: 'text/plain', text: 'inside' };
  const p = present({ content: [{ type: 'resource', resource }] }, 'auto');
  assert.deepEqual(p.as === 'page' && p.blocks, [{ kind: 'text', text: 'inside' }]);
});

test('what a failed tool wrote is text and not Markdown', () => {
  const failed = { isError: true, content: [{ type: 'text', text: '# trace\n  *at* line 1' }] };
  assert.deepEqual(present(failed, 'preview'), {
    as: 'document',
    text: '# trace\n  *at* line 1',
    language: 'plaintext',
  });
  const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' };
  const p = present({ ...failed, content: [...failed.content, image] }, 'preview');
  assert.deepEqual(p.as === 'page' && p.blocks.map((b) => b.kind), ['text', 'image']);
});

test('a blank line is between the messages of a prompt', () => {
  const say = (role: string, text: string) => ({ role, content: { type: 'text', text } });
  assert.equal(pageText({ messages: [say('user', 'a'), say('assistant', 'b')] }).text, 'a\n\nb');
});

test('the text of a page is what it shows: data only where the text says no more', () => {
  const structuredContent = { a: 1 };
  assert.equal(pageText({ ...text('# a'), structuredContent }).text, '# a');
  assert.equal(pageText({ ...text('{"a":1}'), structuredContent }).text, '{\n  "a": 1\n}');
  assert.equal(pageText({ content: [], structuredContent }).text, '{\n  "a": 1\n}');
});

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
  const out = page({ ...view, title: '<title>', blocks }, [render(text), undefined], 'en', t);
  const nonce = /<script nonce="([\w-]{20,})">/.exec(out)?.[1];
  assert.ok(
    out.includes(
      `Content-Security-Policy" content="default-src 'none'; img-src data:; media-src data:; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; form-action 'none'; base-uri 'none'"`,
    ),
  );
  assert.equal(out.match(/<script/g)?.length, 1);
  assert.doesNotMatch(out, /<title><title>/);
});

test('a page with an image of a file lets in what is there, and nothing else', () => {
  const file = { uri: 'file:///a"b.png', mimeType: 'image/png', size: 3, _meta };
  const out = page({ ...view, blocks: [{ kind: 'kept', name: 'a.png', file, drawn: 'image' }] }, [], 'en', t);
  assert.match(out, /img-src data: https:\/\/cdn\.example; media-src data: https:\/\/cdn\.example; /);
  assert.match(out, /<img alt="Image in the result" src="https:\/\/\/a&#34;b\.png">/);
});

/** Returns the buttons of a page, each with its block. */
function buttons(v: Partial<View>): string[] {
  const out = page({ ...view, ...v }, [], 'en', t);
  return Array.from(
    out.matchAll(/<button data-action="(\w+)"( data-block="\d+")?([^>]*)>/g),
    ([, action, block, more]) =>
      [action, block?.match(/\d+/)?.[0], ...(more?.match(/\b(?:disabled|focus)\b/g) ?? [])].filter(Boolean).join(' '),
  );
}

test('a page goes back and forward as far as there are results', () => {
  assert.deepEqual(buttons({ at: { position: 1, count: 1 } }), ['back disabled', 'forward disabled', 'keep']);
  assert.deepEqual(buttons({ at: { position: 2, count: 3 }, focus: 'back' }), ['back focus', 'forward', 'keep']);
  assert.deepEqual(buttons({ at: undefined }), []);
});

test('a page has a button for each thing that its parts are good for', () => {
  const blocks: Block[] = [
    { kind: 'heading', text: 'user' },
    { kind: 'markdown', text: 'a' },
    { kind: 'image', name: 'a.png', mime: 'image/png', data: 'AAAA' },
    { kind: 'audio', name: 'a.wav', mime: 'audio/wav', data: 'AAAA' },
    { kind: 'file', name: 'a.zip', mime: '', data: 'AAAA', bytes: 3 },
    {
      kind: 'kept',
      name: 'a.txt',
      file: { uri: '', size: 3, _meta },
      drawn: undefined,
    },
    { kind: 'link', uri: 'x:', name: 'x', file: 'x', mime: '', description: '' },
  ];
  assert.deepEqual(buttons({ blocks, offered: ['copy', 'text'] }), [
    'copy',
    'text',
    'copy 1',
    'save 2',
    'save 3',
    'save 4',
    'open 5',
    'save 5',
    'open 6',
  ]);
  assert.deepEqual(buttons({ blocks: [{ kind: 'text', text: 'a' }], offered: ['copy'] }), ['copy']);
  assert.deepEqual(buttons({ blocks: [{ kind: 'text', text: 'a' }] }), ['copy 0']);
});

test('the texts around a result harm nothing in the page', () => {
  const hostile = '"><script>x</script>\u202e';
  const out = page({ ...view, title: hostile, note: hostile }, [], 'en"><script>', t);
  assert.equal(out.match(/<script/g)?.length, 1);
  assert.doesNotMatch(out, /\u202e/);
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
  assert.equal(present({ content: [{ type: 'image', mimeType: 'image/png', data }] }, 'auto').as, 'page');
});
