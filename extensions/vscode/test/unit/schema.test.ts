import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { check, checkCount, howToType } from '../../src/form/check';
import { type Field, fieldOf, fields, formOf } from '../../src/form/schema';
import { editorSchema, readJson, skeleton } from '../../src/form/skeleton';
import { read } from '../../src/form/typed';
import type { Json, JsonObject } from '../../src/protocol';

const t = (message: string, ...args: (string | number)[]) =>
  message.replace(/\{(\d)\}/g, (_, i) => String(args[Number(i)]));

function only(schema: JsonObject, root: JsonObject = {}): Field {
  const [f] = fields({ ...root, type: 'object', properties: { a: schema }, required: ['a'] });
  assert.ok(f);
  return f;
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
  ['too long', { type: 'string', maxLength: 1 }, 'ab', { problem: /at most one character/ }],
  ['one character of two code units', { type: 'string', maxLength: 1 }, '\u{1f600}', '\u{1f600}'],
  ['an email', { type: 'string', format: 'email' }, 'a@b.c', 'a@b.c'],
  ['no email', { type: 'string', format: 'email' }, 'a b@c', { problem: /name@example\.com/ }],
  ['no uri', { type: 'string', format: 'uri' }, 'here', { problem: /https:/ }],
  ['a date', { type: 'string', format: 'date' }, '2028-02-29', '2028-02-29'],
  ['a day that there is not', { type: 'string', format: 'date' }, '2026-02-30', { problem: /such as 2026-01-31/ }],
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
  const properties = { pattern: { type: 'string' }, x: { $ref: '#/$defs/d' } };
  const schema = {
    $schema: 'http://example.com/meta',
    $id: 'http://example.com/',
    type: 'object',
    pattern: '(a+)+',
    patternProperties: { '(a+)+': {} },
    properties,
  };
  const $defs = { d: { $ref: 'https://example.com/s', type: 'string' } };
  const got = editorSchema(only(schema, { $defs }));
  const x = { $ref: '#/$defs/root/$defs/d' };
  assert.deepEqual(got.properties, {
    $schema: true,
    a: { type: 'object', properties: { pattern: { type: 'string' }, x } },
  });
  assert.deepEqual((got.$defs as JsonObject).root, {
    $defs: { d: { type: 'string' } },
    type: 'object',
    properties: { a: { type: 'object', properties: { pattern: { type: 'string' }, x } } },
    required: ['a'],
  });
});

test('a schema that is too large is left out', () => {
  const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`p${i}`, { type: 'string' }]));
  assert.deepEqual(editorSchema(only({ type: 'object', properties })), {});
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
  const { schema } = only({ type: 'array', items: { enum: ['x', 'y', 'z'] }, minItems: 1, maxItems: 2 });
  assert.match(checkCount(0, schema, t) ?? '', /at least one value/);
  assert.equal(checkCount(2, schema, t), undefined);
  assert.match(checkCount(3, schema, t) ?? '', /at most 2 values/);
});

const inner = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] };
const checked: [string, JsonObject, Json, RegExp | undefined][] = [
  ['a member that is missing', inner, {}, /Missing: n/],
  ['a member that is wrong', inner, { n: 0 }, /^n: .*at least 1/],
  ['a member that nobody knows', inner, { n: 1, m: 2 }, undefined],
  ['a member that may not be', { ...inner, additionalProperties: false }, { n: 1, m: 2 }, /^m: /],
  ['an item that is wrong', { type: 'array', items: inner }, [{ n: 1 }, {}], /^2: Missing: n/],
  ['an item that occurs twice', { type: 'array', uniqueItems: true }, [1, 1], /twice/],
  ['the shape that is meant', { anyOf: [{ type: 'string' }, inner] }, { n: 0 }, /at least 1/],
  ['no shape', { anyOf: [{ type: 'string' }, inner] }, 7, /none of the shapes/],
  ['a shape', { oneOf: [{ type: 'string' }, inner] }, 'x', undefined],
  ['null where it may be', { anyOf: [inner, { type: 'null' }] }, null, undefined],
  ['null where it may not be', inner, null, /type object/],
  ['another name than a constant', { const: 'x' }, 'y', /Choose one of: x/],
];
for (const [name, schema, value, want] of checked) {
  test(`checks ${name}`, () => {
    const got = check(only(schema), value, t);
    if (want) {
      assert.match(got ?? '', want);
    } else {
      assert.equal(got, undefined);
    }
  });
}

test('a schema that refers to itself in every way costs little', () => {
  const all = Array.from({ length: 10 }, () => ({ $ref: '#/$defs/a' }));
  const $defs = { a: { allOf: all, anyOf: all, oneOf: all } };
  const f = only({ $ref: '#/$defs/a' }, { $defs });
  assert.equal(f.kind, 'mixed');
  check(f, { a: [1] }, t);
  formOf({ $ref: '#/$defs/a', $defs });
});

test('shapes within shapes, and what is required of itself, cost little', () => {
  const a = { type: 'object', properties: { a: { $ref: '#/$defs/n' } }, required: ['a'] };
  const $defs = { n: { anyOf: Array.from({ length: 8 }, () => a) } };
  let value: Json = 1;
  for (let i = 0; i < 16; i++) {
    value = { a: value };
  }
  check(only({ $ref: '#/$defs/n' }, { $defs }), value, t); // it says nothing: the server judges the rest
  const names = Array.from({ length: 20 }, (_, i) => `m${i}`);
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: '#' }]));
  const root = { type: 'object', properties, required: names };
  assert.ok(JSON.stringify(skeleton(fieldOf('a', root, true, root))).length < 100_000);
});

test('a name that objects have anyway is a name like any other', () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"integer"}},"required":["__proto__"]}');
  assert.deepEqual(fields(schema)[0]?.kind, 'integer');
  assert.deepEqual(
    fields({ type: 'object', required: ['constructor'] }).map((f) => f.kind),
    ['mixed'],
  );
});

test('a form says how formats and numbers are typed', () => {
  const says = (schema: JsonObject) => howToType(schema, t);
  assert.equal(says({ type: 'string', format: 'date' }), 'Type a date such as 2026-01-31.');
  assert.equal(says({ type: 'integer', minimum: 1, maximum: 5 }), 'Type a whole number (≥ 1, ≤ 5).');
  assert.equal(says({ type: 'number', exclusiveMinimum: 0 }), 'Type a number (> 0).');
  assert.equal(says({ type: 'number' }), 'Type a number.');
  assert.equal(says({ type: 'string', format: 'hostname' }), '');
});
