// The forms and values that both plugins make of JSON Schemas: internal/toolschema/testdata/forms.json.

import * as assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Field, fieldOf, formOf } from '../../src/form/schema';
import { skeleton } from '../../src/form/skeleton';
import { read, show } from '../../src/form/typed';
import type { Json, JsonObject } from '../../src/protocol';

const t = (message: string) => message;

interface Case {
  name: string;
  root?: JsonObject;
  schema: JsonObject;
  kind: string;
  required: boolean & string[];
  typed: string;
  value: Json;
  problem?: boolean;
  omitted?: boolean;
  fields?: Record<string, string>;
  alternatives?: { label: string; fields: Record<string, string>; required: string[] }[];
}

const path = join(__dirname, '../../../../../internal/toolschema/testdata/forms.json');
const cases = JSON.parse(readFileSync(path, 'utf8')) as Record<
  'kinds' | 'read' | 'show' | 'skeletons' | 'forms',
  Case[]
>;
const of = (c: Case): Field => fieldOf('a', c.schema, c.required ?? false, c.root ?? {});

describe('the form of a schema', () => {
  for (const c of cases.kinds) {
    test(`asks for ${c.name}`, () => assert.equal(of(c).kind, c.kind));
  }
  for (const c of cases.read) {
    test(`reads ${c.name}`, () => {
      const got = read(of(c), c.typed, t);
      if (c.problem) {
        assert.ok('problem' in got && got.problem !== '', JSON.stringify(got));
      } else {
        assert.deepEqual(got, { value: c.omitted ? undefined : c.value });
      }
    });
  }
  for (const c of cases.show) {
    test(`shows ${c.name}`, () => {
      const f = { ...of(c), required: true };
      assert.equal(show(f, c.value), c.typed);
      assert.deepEqual(read(f, c.typed, t), { value: c.value });
    });
  }
  for (const c of cases.skeletons) {
    test(`begins with ${c.name}`, () => assert.deepEqual(skeleton(of(c)), c.value));
  }
  for (const c of cases.forms) {
    test(`has ${c.name}`, () => {
      const form = formOf(c.schema);
      if (c.alternatives) {
        assert.ok('shapes' in form);
        assert.deepEqual(
          form.shapes.map((s) => ({ label: s.label, ...told(s.fields) })),
          c.alternatives.map(({ label, fields, required }) => ({ label, fields, required: required.toSorted() })),
        );
      } else {
        assert.ok('fields' in form);
        assert.deepEqual(told(form.fields), { fields: c.fields, required: c.required.toSorted() });
      }
    });
  }
});

function told(fields: Field[]) {
  return {
    fields: Object.fromEntries(fields.map((f) => [f.name, f.kind])),
    required: fields
      .filter((f) => f.required)
      .map((f) => f.name)
      .toSorted(),
  };
}
