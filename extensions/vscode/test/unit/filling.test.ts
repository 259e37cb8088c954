import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Draft } from '../../src/form/draft';
import { Filling, type Form } from '../../src/form/filling';
import { fieldOf } from '../../src/form/schema';

describe('a form that is being filled in', () => {
  const begin = (draft: Draft) => {
    const form = { draft, keep: (now: Draft) => Object.assign(draft, now) } as Partial<Form> as Form;
    return new Filling(form, async () => undefined);
  };

  for (const schema of [
    { type: ['string', 'null'] },
    { type: ['integer', 'null'] },
    { enum: ['a', 'b', null] },
    { type: ['object', 'null'], properties: { a: { type: 'string' } }, required: ['a'] },
  ]) {
    test(`sends null for ${JSON.stringify(schema)}`, () => {
      const spot = { path: ['a'], field: fieldOf('a', schema, true, {}) };
      const filling = begin({ values: {}, typed: {} });
      assert.equal(
        filling.problem(spot, (text) => text),
        'required',
      );
      filling.set(spot, null);
      assert.equal(filling.sent(spot), null);
      assert.equal(
        filling.problem(spot, (text) => text),
        undefined,
      );
    });
  }

  for (const name of ['title', '__proto__', 'constructor', '']) {
    test(`keeps what is typed for the name "${name}"`, () => {
      const spot = { path: [name], field: fieldOf(name, { type: 'string' }, true, {}) };
      const draft: Draft = { values: {}, typed: {} };
      const filling = begin(draft);
      assert.equal(filling.typed(spot), undefined);
      filling.type(spot, 'half');
      assert.equal(begin(structuredClone(draft)).typed(spot), 'half');
      filling.set(spot, 'whole');
      assert.equal(filling.typed(spot), undefined);
      assert.equal(filling.value(spot), 'whole');
    });
  }
});
