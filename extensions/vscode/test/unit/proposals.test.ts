import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  failureLog,
  failureText,
  fits,
  foundRow,
  looksLikeServer,
  offersText,
  proposedRow,
  wayRow,
  wholeOf,
} from '../../src/commands/proposals';
import type { ProposedServer, Server } from '../../src/protocol';

const t = (message: string, ...args: (string | number)[]) =>
  message.replace(/\{(\d)\}/g, (_, i) => String(args[Number(i)]));

describe('a copied text', () => {
  const servers = [
    'npx -y @a/b',
    '  uvx mcp-server-git\n',
    '/usr/local/bin/docker run -i --rm a/b',
    'https://example.com/mcp',
    'npm:@a/b@1.2.3',
    'pypi:a',
    'docker:a/b:1',
    'io.github.acme/git-tools',
    'com.example/a_b@1.0.0',
    '{\n  // mine\n  "mcpServers": {"a": {"command": "b"}}\n}',
    '"a": {"url": "https://example.com"}',
  ];
  const others = ['say uvx', '', 'src/main.go', 'hunter2', 'npx', 'see https://example.com', '{"a": 1}', 'a/b'];
  for (const text of servers) {
    test(`is a server: ${JSON.stringify(text)}`, () => assert.ok(looksLikeServer(text)));
  }
  for (const text of [...others, `{"command":"${'x'.repeat(100_000)}"}`]) {
    test(`is none: ${JSON.stringify(text.slice(0, 40))}`, () => assert.ok(!looksLikeServer(text)));
  }
});

const server = (more: Partial<ProposedServer> = {}): ProposedServer => ({
  name: 'tide',
  definition: { command: 'npx' },
  runs: 'npx -y tide',
  from: 'npm',
  file: 'file:///home/u/mcp.json',
  text: '"tide": {\n  "command": "npx"\n}',
  state: 'new',
  ...more,
});

const harm = '\u001b[31m\u202e[x](command:y) **b** $(flame)\nRuns: ls';
const seen = '\\u{1b}[31m\\u{202e}[x] (command:y) **b** $ (flame)\\nRuns: ls';

describe('a proposed server', () => {
  test('is all that is decided on', () => {
    assert.equal(
      wholeOf(server(), t),
      'Runs: npx -y tide\nFrom: npm\nWritten to: /home/u/mcp.json\n\n    "tide": {\n      "command": "npx"\n    }',
    );
  });

  test('says what it is asked for, what is kept as a secret, and what it replaces', () => {
    const inputs = [{ id: 'region' }, { id: 'key', password: true }, { id: 'token', password: true }];
    const text = wholeOf(server({ definition: { url: 'x' }, inputs, secrets: { token: '1' }, state: 'different' }), t);
    assert.match(text, /^Beware: the file has another server of this name/);
    assert.match(text, /\nConnects to: npx -y tide\n/);
    assert.match(text, /\nAsks you for: region, key\nKept as secrets: key, token\n/);
  });

  test('is text, and begins no line by itself', () => {
    const whole = wholeOf(server({ runs: harm, from: harm, notes: [harm], text: `"a": ${harm}` }), t);
    assert.deepEqual(whole.split('\n'), [
      'Runs: \\u{1b}[31m\\u{202e}[x](command:y) **b** $(flame)\\nRuns: ls',
      `From: ${seen}`,
      `Note: ${seen}`,
      'Written to: /home/u/mcp.json',
      '',
      '    "a": \\u{1b}[31m\\u{202e}[x](command:y) **b** $(flame)',
      '    Runs: ls',
    ]);
    const row = proposedRow(server({ name: harm, runs: harm, from: harm, notes: [harm], state: 'different' }), t);
    assert.deepEqual(row, {
      label: `$(warning) ${seen}`,
      description: `${seen} · replaces another server of this name`,
      detail: `${seen} · ${seen}`,
    });
    assert.deepEqual(wayRow(server({ runs: harm, notes: [harm] })), { label: seen, detail: seen });
  });

  test('fits into a dialog unless it is long', () => {
    assert.ok(fits(wholeOf(server(), t)));
    assert.ok(!fits(wholeOf(server({ runs: 'x'.repeat(2000) }), t)));
    assert.ok(!fits(wholeOf(server({ text: '\n'.repeat(30) }), t)));
  });
});

test('a server of the registry is text, and says that it is deprecated', () => {
  const found = { name: 'a/b', version: '1.0.0', kinds: ['npm', 'remote'], description: harm, deprecated: harm };
  const { label, description, detail } = foundRow(found, t);
  assert.equal(label, '$(warning) a/b');
  assert.equal(description, 'npm, remote · 1.0.0');
  const shown = seen.replace('\\n', ' ');
  assert.equal(detail, `deprecated: ${shown} · ${shown}`);
});

test('a server that did not start says why', () => {
  const error = { kind: 'exit', message: 'it exited', stderr: ['one', '', 'two', `three ${harm}`, 'four'] };
  const failed = { error } as Server;
  assert.equal(failureText(failed, t), `it exited · two · three ${seen} · four`);
  assert.equal(failureText({} as Server, t), 'it does not say why');
  assert.match(failureLog(failed), /^it exited\n\none\n\ntwo\nthree \\u\{1b\}/);
});

test('what a server offers is counted', () => {
  assert.equal(offersText(8, 1, 0, t), '8 tools, one prompt');
  assert.equal(offersText(0, 0, 0, t), '');
});
