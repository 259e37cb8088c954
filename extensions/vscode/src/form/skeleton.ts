// The JSON document of a value: what it begins with, the schema that VS Code checks it by, and what it
// means.

import { isObject } from '../json';
import type { Json, JsonObject } from '../protocol';
import type { Translate } from '../text';
import { check } from './check';
import { resolve, strings, typesOf } from './resolve';
import type { Field } from './schema';

// Without a schema that is deeper or larger than this, a value is edited as plain JSON.
const maxDepth = 24;
const maxNodes = 10_000;
/** How deep the members that a skeleton has may be within each other. */
const maxSkeleton = 8;
/** How many items a skeleton begins with. */
const maxItems = 10;
/** How many values a skeleton has in all. */
const maxValues = 1000;

/** Returns the value that a document begins with when there is none: what is required, and nothing else. */
export function skeleton(f: Field): Json {
  return empty(f.source, f.root, 0, { values: maxValues });
}

function empty(source: Json | undefined, root: JsonObject, depth: number, left: { values: number }): Json {
  if (--left.values < 0) {
    return null;
  }
  const { schema: common, choices, shapes } = resolve(source, root);
  const schema = shapes[0]?.schema ?? common;
  if (schema.default !== undefined) {
    return schema.default;
  }
  if (choices[0]) {
    return choices[0].value;
  }
  const kind = shapes[0] ? resolve(schema, root) : undefined;
  if (kind?.choices[0]) {
    return kind.choices[0].value;
  }
  const type = typesOf(schema)[0] ?? (isObject(schema.properties) ? 'object' : undefined);
  switch (type) {
    case 'string':
      return '';
    case 'number':
    case 'integer':
      return typeof schema.minimum === 'number' ? schema.minimum : 0;
    case 'boolean':
      return false;
    case 'array': {
      const count =
        typeof schema.minItems === 'number' && depth < maxSkeleton ? Math.min(schema.minItems, maxItems) : 0;
      return Array.from({ length: count }, () => empty(schema.items, root, depth + 1, left));
    }
    case 'object': {
      const properties = isObject(schema.properties) ? schema.properties : {};
      const names = depth < maxSkeleton ? strings(schema.required) : [];
      return Object.fromEntries(
        names.map((name) => [
          name,
          empty(Object.hasOwn(properties, name) ? properties[name] : undefined, root, depth + 1, left),
        ]),
      );
    }
    default:
      return null;
  }
}

/**
 * Returns the schema of the JSON document that edits a field, {"name": value}: without anything that
 * VS Code would fetch or run, and with what references point to. Returns {} for a schema that is too large.
 */
export function editorSchema(f: Field): JsonObject {
  const budget = { nodes: maxNodes };
  const value = harmless(f.source ?? true, 0, budget);
  const out: JsonObject = {
    type: 'object',
    properties: { $schema: true, [f.name]: value },
    required: [f.name],
    additionalProperties: false,
  };
  if (JSON.stringify(value).includes('"$ref"')) {
    out.$defs = { root: harmless(f.root, 0, budget) };
  }
  return budget.nodes < 0 ? {} : out;
}

function harmless(value: Json, depth: number, budget: { nodes: number }): Json {
  if (--budget.nodes < 0 || depth > maxDepth) {
    return true;
  }
  if (Array.isArray(value)) {
    return value.map((v) => harmless(v, depth + 1, budget));
  }
  if (!isObject(value)) {
    return value;
  }
  const out: [string, Json][] = [];
  for (const [name, v] of Object.entries(value)) {
    // A property may have the name of a keyword; then its value is a schema and not a string.
    const text = typeof v === 'string' ? v : undefined;
    const drop =
      name === 'patternProperties' ||
      (text !== undefined && ['$schema', '$id', 'id', 'pattern', '$dynamicRef', '$recursiveRef'].includes(name)) ||
      (text !== undefined && name === '$ref' && !/^#($|\/)/.test(text));
    if (v !== undefined && !drop) {
      out.push([
        name,
        name === '$ref' && text !== undefined ? `#/$defs/root${text.slice(1)}` : harmless(v, depth + 1, budget),
      ]);
    }
  }
  return Object.fromEntries(out);
}

/** Reads the JSON document of a field. */
export function readJson(f: Field, text: string, t: Translate): { value: Json } | { problem: string } {
  let document: Json;
  try {
    document = JSON.parse(text) as Json;
  } catch (error) {
    return { problem: t('This is not valid JSON: {0}', (error as Error).message) };
  }
  const value = isObject(document) && Object.hasOwn(document, f.name) ? document[f.name] : undefined;
  if (value === undefined) {
    return { problem: t('The value of "{0}" is missing.', f.name) };
  }
  const problem = check(f, value, t);
  return problem === undefined ? { value } : { problem };
}
