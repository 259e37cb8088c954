import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Command } from '../../src/daemon/catalog';
import { fields } from '../../src/form/schema';
import type { Tool } from '../../src/protocol';
import { detailsPage, isSaid, keybinding } from '../../src/views/details-page';

const t = (message: string, ...args: (string | number)[]) =>
  message.replace(/\{(\d)\}/g, (_, i) => String(args[Number(i)]));

function command(tool: Omit<Tool, 'name'>): Command & { kind: 'tool' } {
  return { kind: 'tool', id: 'mcp.tool.repo.drop', server: 'repo', name: 'drop', tool: { name: 'drop', ...tool } };
}

/** Returns the page, and the text that a person reads on it. */
function page(tool: Omit<Tool, 'name'>, offered = true): { html: string; text: string } {
  const html = detailsPage(command(tool), fields(tool.inputSchema), offered, 'en', t);
  const main = html.slice(html.indexOf('<body>'), html.indexOf('<script'));
  return {
    html,
    text: main
      .replace(/<[^>]*>/g, ' ')
      .replace(/ +/g, ' ')
      .replaceAll('&#34;', '"'),
  };
}

describe('the details of a tool', () => {
  test('say who it is and what it does, with the lines of its description', () => {
    const { text } = page({ title: 'Drop Table', description: 'Drops a table.\n\n* at once' });
    for (const part of ['Drop Table', 'repo', 'mcp.tool.repo.drop', 'Drops a table.\n\n* at once']) {
      assert.ok(text.includes(part), part);
    }
  });

  for (const [name, annotations, want] of [
    ['destructive', { destructiveHint: true }, 'Destructive: it may delete or overwrite.'],
    ['read-only, which leaves nothing to destroy', { readOnlyHint: true, destructiveHint: true }, 'Read-only: it'],
    ['only adding', { destructiveHint: false }, 'Not destructive: it only adds.'],
    ['idempotent', { idempotentHint: true }, 'Idempotent: the same call'],
    ['open', { openWorldHint: true }, 'Reaches external systems.'],
    ['closed', { openWorldHint: false }, 'Reaches no external systems.'],
    ['silent', {}, 'The server does not say whether it changes'],
  ] as const) {
    test(`say in words that it is ${name}`, () => {
      const { text } = page({ annotations });
      assert.ok(text.includes(want), text);
      assert.equal(text.includes('Destructive:'), want.startsWith('Destructive:'));
    });
  }

  test('explain each argument', () => {
    const { text } = page({
      inputSchema: {
        type: 'object',
        required: ['table'],
        properties: {
          mode: { type: 'string', enum: ['soft', 'hard'], default: 'soft', description: 'How to\ndo it' },
          count: { type: 'integer' },
          table: { type: 'string', title: 'The table' },
          force: { type: 'boolean' },
        },
      },
    });
    for (const part of [
      /table text, required\s+The table/,
      /mode one of the values, optional\s+How to\ndo it\s+Default: soft\s+Values: soft hard/,
      /count whole number, optional/,
      /force true or false, optional/,
      /"integer"/,
    ]) {
      assert.match(text, part);
    }
    assert.ok(text.indexOf(' table ') < text.indexOf(' mode '), 'required ones come first');
  });

  test('have a keybinding that can be read back', () => {
    assert.deepEqual(JSON.parse(keybinding(command({}))), { key: 'ctrl+alt+0', command: 'mcp.tool.repo.drop' });
  });

  test('cannot be run when nobody offers it', () => {
    assert.match(page({}, false).html, /data-say="run" disabled>/);
    assert.match(page({}, false).text, /cannot be run now/);
    assert.doesNotMatch(page({}).html, / disabled>/);
    assert.doesNotMatch(page({}).text, /cannot be run now/);
  });

  // Fault hostile-claims.
  test('are characters, whatever the server writes', () => {
    const harm = '</code><script>alert(1)</script><button data-say="run">\u202e';
    const { html } = page({
      title: harm,
      description: harm,
      inputSchema: {
        type: 'object',
        properties: { [harm]: { title: harm, description: harm, default: harm, enum: [harm] } },
      },
    });
    assert.equal(html.match(/<script/g)?.length, 1);
    assert.equal(html.match(/data-say="run"/g)?.length, 1);
    assert.doesNotMatch(html, /\u202e/);
  });

  test('are cut, so that the page stays one', () => {
    const properties = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`a${i}`, { type: 'string' }]));
    const { html, text } = page({ description: 'x'.repeat(1 << 20), inputSchema: { type: 'object', properties } });
    assert.ok(html.length < 1 << 20, String(html.length));
    assert.match(text, /… and 1500 more/);
  });

  test('take only the words that the page has', () => {
    assert.ok(isSaid('run'));
    for (const other of ['toString', '', { run: true }, undefined]) {
      assert.ok(!isSaid(other));
    }
  });
});

test('a prompt has details too', () => {
  const prompt: Command = {
    kind: 'prompt',
    id: 'mcp.prompt.repo.review',
    server: 'repo',
    name: 'review',
    prompt: { name: 'review', title: 'Review' },
  };
  const html = detailsPage(prompt, [], true, 'en', t);
  assert.match(html, /<h1>Review<\/h1>/);
  assert.match(html, /None\./);
  assert.doesNotMatch(html, /What the server says about it|Schema/);
});
