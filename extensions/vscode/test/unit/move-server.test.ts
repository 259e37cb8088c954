// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of mcp.json

import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { difference, moveServer } from '../../src/commands/move-server';

const t = (message: string, ...args: (string | number)[]) =>
  message.replace(/\{(\d)\}/g, (_, i) => String(args[Number(i)]));

const move = (source: string, target: string | undefined, name = 'a') =>
  moveServer(name, { name: '.vscode/mcp.json', text: source }, { name: '.mcp.json', text: target }, 'mcpServers', t);

describe('moving a server', () => {
  test('into a file that is not there', () => {
    assert.deepEqual(move('{\n  "servers": {\n    "a": {\n      "command": "c"\n    }\n  }\n}\n', undefined), {
      source: '{\n  "servers": {\n  }\n}\n',
      target: '{\n  "mcpServers": {\n    "a": {\n      "command": "c"\n    }\n  }\n}\n',
    });
  });

  const three = `{
  // All servers.
  "servers": {
    // The first.
    "a": { "command": "a" }, // not much

    // The second,
    // with more to say.
    "b": {
      /* why */
      "command": "b", // and how
    },
    // The last.
    "c": { "command": "c" } // the end
  }
}
`;
  const target = '{\n\t"servers": {\n\t\t"z": {} // already there\n\t}\n}\n';

  test('keeps the comments of the others, and takes its own along', () => {
    assert.deepEqual(move(three, target, 'b'), {
      source: `{
  // All servers.
  "servers": {
    // The first.
    "a": { "command": "a" }, // not much

    // The last.
    "c": { "command": "c" } // the end
  }
}
`,
      target: `{
\t"servers": {
\t\t"z": {}, // already there
\t\t// The second,
\t\t// with more to say.
\t\t"b": {
\t\t  /* why */
\t\t  "command": "b", // and how
\t\t}
\t}
}
`,
    });
  });
  test('that is the first', () => {
    const { source, target: into } = move(three, target, 'a');
    assert.ok(source.startsWith('{\n  // All servers.\n  "servers": {\n\n    // The second,'), source);
    assert.ok(
      into.includes('"z": {}, // already there\n\t\t// The first.\n\t\t// not much\n\t\t"a": { "command": "a" }\n\t}'),
      into,
    );
  });
  test('that is the last', () => {
    const { source, target: into } = move(three, target, 'c');
    assert.ok(source.endsWith('      "command": "b", // and how\n    }\n  }\n}\n'), source);
    assert.ok(into.includes('\t\t// The last.\n\t\t// the end\n\t\t"c": { "command": "c" }\n\t}'), into);
  });
  test('on one line', () => {
    assert.deepEqual(move('{"servers": {"a": {}, "b": {}}}', '{"mcpServers": {"z": {}}}'), {
      source: '{"servers": { "b": {}}}',
      target: '{"mcpServers": {"z": {},\n  "a": {}\n}}',
    });
    assert.equal(move('{"servers": {"a": {}, "b": {}}}', '{}', 'b').source, '{"servers": {"a": {} }}');
  });
  test('with commas at odd places', () => {
    const { source } = move('{"servers": {\n  "z": {}\n  , "a": {}\n  , "b": {}\n}}', '{}');
    assert.deepEqual(JSON.parse(source), { servers: { z: {}, b: {} } });
    assert.match(move('{"servers": {"a": {}}}', '{"servers": {"z": {},},}').target, /"z": \{\},\n {2}"a": \{\}\n/);
  });
  test('in a file with the line ends of Windows', () => {
    const { source, target: into } = move('{\r\n  "servers": {\r\n    "a": {\r\n    }\r\n  }\r\n}\r\n', '{\r\n}\r\n');
    assert.equal(source, '{\r\n  "servers": {\r\n  }\r\n}\r\n');
    assert.equal(into, '{\r\n  "mcpServers": {\r\n    "a": {\r\n    }\r\n  }\r\n}\r\n');
  });

  const fails = (problem: RegExp, source: string, into: string | undefined = undefined) =>
    assert.throws(() => move(source, into), problem);

  test('that the target has already is refused, whatever the spelling of the key', () => {
    for (const key of ['servers', 'mcpServers']) {
      fails(/\.mcp\.json has a server "a" already/, '{"servers": {"a": {}}}', `{"${key}": {"a": {}}}`);
    }
  });
  test('that is gone, or there twice, is refused', () => {
    fails(/"a" is no longer in \.vscode\/mcp\.json/, '{"servers": {}}');
    fails(/twice/, '{"servers": {"a": {}}, "mcpServers": {"a": {}}}');
  });
  test('in a file that cannot be read is refused', () => {
    fails(/\.vscode\/mcp\.json is not a valid JSON object/, '{"servers": {"a": {}}');
    fails(/ \.?mcp\.json is not|^Error: \.mcp\.json is not a valid/, '{"servers": {"a": {}}}', '[]');
  });
  test('that mcp-editord would not understand is refused', () => {
    fails(/\$\{config:x\}, which mcp-editord does not know/, '{"servers": {"a": {"args": ["${config:x}"]}}}');
    fails(/"envFile" of "a" is relative/, '{"servers": {"a": {"envFile": ".env"}}}');
    move(
      '{"servers": {"a": {"envFile": "${workspaceFolder}/.env", "tools": {"t": {"bind": {"f": "${file}"}}}}}}',
      '{}',
    );
  });
});

describe('the inputs of a server that is moved', () => {
  const source = (others: string) => `{
  "inputs": [
    // Ask the team.
    { "id": "token", "type": "promptString", "password": true },
    { "id": "other", "type": "promptString" }
  ],
  "servers": {
    "a": { "command": "c", "env": { "T": "\${input:token}" } }${others}
  }
}
`;
  test('go along', () => {
    const { source: from, target } = move(source(''), '{\n  "mcpServers": {}\n}\n');
    assert.ok(!from.includes('token') && from.includes('"other"'), from);
    assert.equal(
      target,
      `{
  "mcpServers": {
    "a": { "command": "c", "env": { "T": "\${input:token}" } }
  },
  "inputs": [
    // Ask the team.
    { "id": "token", "type": "promptString", "password": true }
  ]
}
`,
    );
  });
  test('stay as well where another server uses them', () => {
    const { source: from, target } = move(source(',\n    "b": { "command": "${input:token}" }'), undefined);
    assert.ok(from.includes('"token"') && target.includes('"token"'), from + target);
  });
  const with_ = (input: string) =>
    source('').replace('{ "id": "token", "type": "promptString", "password": true }', input);
  test('that mcp-editord cannot ask for are refused', () => {
    assert.throws(() => move(with_('{ "id": "token", "type": "command", "command": "x" }'), '{}'), /cannot ask for/);
    assert.throws(
      () => move(with_('{ "id": "token", "type": "pickString", "options": [{ "label": "x" }] }'), '{}'),
      /cannot ask for/,
    );
    move(with_('{ "id": "token", "type": "pickString", "options": ["x"] }'), '{}');
  });
  test('that nobody defines are refused', () => {
    assert.throws(() => move(with_('{ "id": "else" }'), '{}'), /uses the input "token", which/);
  });
  test('of the same name in the target must be the same', () => {
    const same = '{"inputs": [{ "id": "token", "type": "promptString", "password": true }]}';
    assert.equal(move(source(''), same).target.match(/"token"/g)?.length, 1);
    assert.throws(() => move(source(''), '{"inputs": [{ "id": "token" }]}'), /\.mcp\.json has another input "token"/);
  });
});

test('the difference of two texts', () => {
  for (const [a, b] of [
    ['abc', 'abc'],
    ['aa', 'aaa'],
    ['aaa', 'aa'],
    ['', 'x'],
    ['abc', 'axc'],
  ] as const) {
    const { start, end, text } = difference(a, b);
    assert.equal(a.slice(0, start) + text + a.slice(end), b);
  }
  assert.deepEqual(difference('abc', 'axc'), { start: 1, end: 2, text: 'x' });
});
