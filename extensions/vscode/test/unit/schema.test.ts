import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkChoices, editorSchema, type Field, fields, read, readJson, skeleton } from '../../src/form/schema';
import type { Json, JsonObject } from '../../src/protocol';

const t = (message: string, ...args: (string | number)[]) =>
  message.replace(/\{(\d)\}/g, (_, i) => String(args[Number(i)]));

function only(schema: JsonObject, root: JsonObject = {}): Field {
  const [f] = fields({ ...root, properties: { a: schema }, required: ['a'] });
  assert.ok(f);
  return f;
}

const kinds: [string, JsonObject, Field['kind']][] = [
  ['a string', { type: 'string' }, 'text'],
  ['nothing said', {}, 'text'],
  ['a number', { type: 'number' }, 'number'],
  ['an integer', { type: 'integer' }, 'number'],
  ['a boolean', { type: 'boolean' }, 'boolean'],
  ['an enum', { type: 'string', enum: ['x', 'y'] }, 'choice'],
  ['titled values', { oneOf: [{ const: 'x', title: 'X' }] }, 'choice'],
  ['an array of an enum', { type: 'array', items: { enum: ['x'] } }, 'choices'],
  ['an array of titled values', { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } }, 'choices'],
  ['an array of strings', { type: 'array', items: { type: 'string' } }, 'json'],
  ['an object', { type: 'object' }, 'json'],
  ['an object without a type', { properties: { b: {} } }, 'json'],
  ['a list of types with null', { type: ['string', 'null'] }, 'text'],
  ['several types', { type: ['string', 'number'] }, 'json'],
  ['an alternative with null', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'number'],
  ['alternatives', { anyOf: [{ type: 'integer' }, { type: 'string' }] }, 'text'],
  ['a reference', { $ref: '#/$defs/n' }, 'number'],
  ['a reference in an alternative', { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] }, 'number'],
  ['a reference that leads elsewhere', { $ref: 'http://example.com/x' }, 'text'],
  ['a reference to itself', { $ref: '#/$defs/loop' }, 'text'],
];
for (const [name, schema, kind] of kinds) {
  test(`${name} is asked as ${kind}`, () => {
    assert.equal(only(schema, { $defs: { n: { type: 'number' }, loop: { $ref: '#/$defs/loop' } } }).kind, kind);
  });
}

test('required fields come first, also those that nothing else is said about', () => {
  const list = fields({ properties: { a: {}, b: {} }, required: ['b', 'c'] });
  assert.deepEqual(
    list.map((f) => [f.name, f.required]),
    [
      ['b', true],
      ['c', true],
      ['a', false],
    ],
  );
});

test('a schema that is none has no fields', () => {
  for (const schema of [undefined, {}, { properties: [] }, { properties: null, required: 'a' }] as (
    | JsonObject
    | undefined
  )[]) {
    assert.deepEqual(fields(schema), []);
  }
});

const typed: [string, JsonObject, string, Json | { problem: RegExp }][] = [
  ['a text', { type: 'string' }, ' a ', ' a '],
  ['an empty text', { type: 'string' }, '', ''],
  ['too short', { type: 'string', minLength: 2 }, '\u{1f600}', { problem: /at least 2/ }],
  ['too long', { type: 'string', maxLength: 1 }, 'ab', { problem: /at most 1/ }],
  ['one character of two code units', { type: 'string', maxLength: 1 }, '\u{1f600}', '\u{1f600}'],
  ['an email', { type: 'string', format: 'email' }, 'a@b.c', 'a@b.c'],
  ['no email', { type: 'string', format: 'email' }, 'a b@c', { problem: /email/ }],
  ['no uri', { type: 'string', format: 'uri' }, 'here', { problem: /uri/ }],
  ['a date', { type: 'string', format: 'date' }, '2028-02-29', '2028-02-29'],
  ['a day that there is not', { type: 'string', format: 'date' }, '2026-02-30', { problem: /date/ }],
  ['a time', { type: 'string', format: 'date-time' }, '2026-02-03T04:05:06Z', '2026-02-03T04:05:06Z'],
  ['a format nobody knows', { type: 'string', format: 'x' }, 'anything', 'anything'],
  ['a number', { type: 'number' }, ' -1.5e3 ', -1500],
  ['a fraction for an integer', { type: 'integer' }, '1.5', { problem: /whole/ }],
  ['hexadecimal', { type: 'number' }, '0x10', { problem: /number/ }],
  ['no number', { type: 'number' }, '', { problem: /number/ }],
  ['beyond what is exact', { type: 'integer' }, '9007199254740993', { problem: /too large/ }],
  ['below the minimum', { type: 'number', minimum: 2 }, '1', { problem: /at least 2/ }],
  ['above the maximum', { type: 'number', maximum: 2 }, '3', { problem: /at most 2/ }],
  ['on the exclusive minimum', { type: 'number', exclusiveMinimum: 2 }, '2', { problem: /above 2/ }],
  ['on the exclusive maximum', { type: 'number', exclusiveMaximum: 2 }, '2', { problem: /below 2/ }],
];
for (const [name, schema, text, want] of typed) {
  test(`typed: ${name}`, () => {
    const got = read(only(schema), text, t);
    if (typeof want === 'object' && want !== null && 'problem' in want) {
      assert.match('problem' in got ? got.problem : '', want.problem as unknown as RegExp);
    } else {
      assert.deepEqual(got, { value: want });
    }
  });
}

test('an optional field that is left empty is left out', () => {
  const [f] = fields({ properties: { a: { type: 'number' } } });
  assert.ok(f);
  assert.deepEqual(read(f, '', t), { value: undefined });
});

test('a regular expression of a server is not run', () => {
  assert.deepEqual(read(only({ type: 'string', pattern: '^(a+)+$' }), `${'a'.repeat(100)}!`, t), {
    value: `${'a'.repeat(100)}!`,
  });
});

test('the schema for the JSON editor fetches and runs nothing', () => {
  const root: JsonObject = { $defs: { d: { $ref: 'https://example.com/s', type: 'string' } } };
  const f = only(
    {
      $schema: 'http://example.com/meta',
      $id: 'http://example.com/',
      type: 'object',
      pattern: '(a+)+',
      patternProperties: { '(a+)+': {} },
      properties: { pattern: { type: 'string' }, x: { $ref: '#/$defs/d' } },
    },
    root,
  );
  assert.deepEqual(editorSchema(f, root), {
    type: 'object',
    properties: {
      $schema: true,
      a: { type: 'object', properties: { pattern: { type: 'string' }, x: { $ref: '#/$defs/d' } } },
    },
    required: ['a'],
    additionalProperties: false,
    $defs: { d: { type: 'string' } },
  });
});

test('a schema that is too large is left out', () => {
  const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`p${i}`, { type: 'string' }]));
  assert.deepEqual(editorSchema(only({ type: 'object', properties }), {}), {});
});

test('the JSON editor begins with what is required', () => {
  const schema = {
    type: 'object',
    properties: { s: { type: 'string' }, n: { type: 'number', default: 3 }, o: {} },
    required: ['s', 'n'],
  };
  assert.deepEqual(skeleton(only(schema)), { s: '', n: 3 });
  assert.deepEqual(skeleton(only({ type: 'array' })), []);
});

const documents: [string, string, Json | { problem: RegExp }][] = [
  ['an object', '{"$schema": "x", "a": {"b": 1}}', { b: 1 }],
  ['no JSON', '{', { problem: /not valid JSON/ }],
  ['no value', '{"b": 1}', { problem: /missing/ }],
  ['another type', '{"a": []}', { problem: /type object/ }],
];
for (const [name, text, want] of documents) {
  test(`a document with ${name}`, () => {
    const got = readJson(only({ type: 'object' }), text, t);
    if (typeof want === 'object' && want !== null && 'problem' in want) {
      assert.match('problem' in got ? got.problem : '', want.problem as unknown as RegExp);
    } else {
      assert.deepEqual(got, { value: want });
    }
  });
}

test('how many values are selected is checked', () => {
  const f = only({ type: 'array', items: { enum: ['x', 'y', 'z'] }, minItems: 1, maxItems: 2 });
  assert.match(checkChoices(f, 0, t) ?? '', /at least 1/);
  assert.equal(checkChoices(f, 2, t), undefined);
  assert.match(checkChoices(f, 3, t) ?? '', /at most 2/);
});
