// Turns a JSON Schema into a form: which fields to ask for, how, and which answers to accept.
// It fetches nothing, and runs no regular expression of a server.

import { isObject, shown } from '../json';
import type { Json, JsonObject } from '../protocol';
import type { Translate } from '../text';

/** How to ask for a value. */
export type Kind = 'text' | 'number' | 'boolean' | 'choice' | 'choices' | 'json';

export interface Choice {
  value: Json;
  label: string;
}

/** One value of a form. The texts are the server's. */
export interface Field {
  name: string;
  title: string;
  description: string;
  required: boolean;
  kind: Kind;
  /** The JSON Schema of the value, with references followed. */
  schema: JsonObject;
  choices: Choice[];
  default?: Json;
}

// Without a schema that is deeper or larger than this, its value is edited as plain JSON.
const maxDepth = 16;
const maxNodes = 10_000;

/** Returns the fields of an object schema, the required ones first. */
export function fields(schema: JsonObject | undefined): Field[] {
  const root = schema ?? {};
  const properties = isObject(root.properties) ? root.properties : {};
  const required = strings(root.required);
  const names = [...new Set([...Object.keys(properties), ...required])];
  const list = names.map((name) => field(name, properties[name], required.includes(name), root));
  return [...list.filter((f) => f.required), ...list.filter((f) => !f.required)];
}

function field(name: string, raw: Json | undefined, required: boolean, root: JsonObject): Field {
  const schema = simplify(resolve(raw, root), root);
  const f: Field = {
    name,
    title: typeof schema.title === 'string' && schema.title !== '' ? schema.title : name,
    description: typeof schema.description === 'string' ? schema.description : '',
    required,
    kind: 'json',
    schema,
    choices: choices(schema),
  };
  if (schema.default !== undefined) {
    f.default = schema.default;
  }
  f.kind = kindOf(schema, f.choices);
  if (f.kind === 'choices') {
    f.choices = choices(resolve(schema.items, root));
  }
  return f;
}

function kindOf(schema: JsonObject, found: Choice[]): Kind {
  if (found.length > 0) {
    return 'choice';
  }
  switch (schema.type) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return isObject(schema.items) && choices(schema.items).length > 0 ? 'choices' : 'json';
    case undefined:
      // An argument of a prompt, or a property without a type.
      return isObject(schema.properties) || isObject(schema.items) ? 'json' : 'text';
    default:
      return 'json';
  }
}

/**
 * Returns the values of an enumeration. It is written as enum, with or without enumNames, or as
 * oneOf or anyOf of const and title (MCP 2025-11-25, Client, Elicitation, Requested Schema).
 */
function choices(schema: JsonObject): Choice[] {
  if (Array.isArray(schema.enum)) {
    const labels = strings(schema.enumNames);
    return schema.enum.map((value, i) => ({ value, label: labels[i] ?? shown(value) }));
  }
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(alternatives) || alternatives.length === 0) {
    return [];
  }
  const found: Choice[] = [];
  for (const a of alternatives) {
    if (!isObject(a) || a.const === undefined) {
      return [];
    }
    found.push({ value: a.const, label: typeof a.title === 'string' ? a.title : shown(a.const) });
  }
  return found;
}

/** Omits null, which generators write as an alternative of optional values. */
function simplify(schema: JsonObject, root: JsonObject): JsonObject {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((t) => t !== 'null');
    return types.length === 1 ? { ...schema, type: types[0] as string } : schema;
  }
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
    const list = schema[key];
    if (!Array.isArray(list)) {
      continue;
    }
    const rest = list.filter((a) => !(isObject(a) && a.type === 'null'));
    const { [key]: _, ...others } = schema;
    const [only] = rest;
    if (rest.length === 1 && !(isObject(only) && only.const !== undefined)) {
      return { ...resolve(only, root), ...others };
    }
  }
  return schema;
}

/** Follows references within the schema, and no others. */
function resolve(schema: Json | undefined, root: JsonObject): JsonObject {
  let at = schema;
  for (let i = 0; i < maxDepth && isObject(at); i++) {
    const { $ref: ref, ...beside } = at;
    if (typeof ref !== 'string') {
      return at;
    }
    const target = pointer(ref, root);
    if (!isObject(target)) {
      return beside;
    }
    at = { ...target, ...beside };
  }
  return {};
}

/** The value at a JSON Pointer (RFC 6901) in the form of a URI fragment. */
function pointer(ref: string, root: JsonObject): Json | undefined {
  if (ref !== '#' && !ref.startsWith('#/')) {
    return undefined;
  }
  let at: Json | undefined = root;
  for (const part of ref.split('/').slice(1)) {
    const name = decode(part);
    if (!isObject(at) || name === undefined || !Object.hasOwn(at, name)) {
      return undefined;
    }
    at = at[name];
  }
  return at;
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

/**
 * Returns the schema of the JSON document that edits a field, {"name": value}: without anything that
 * VS Code would fetch or run, and with the definitions that references point to. Returns {} for a
 * schema that is too large.
 */
export function editorSchema(f: Field, root: JsonObject | undefined): JsonObject {
  const budget = { nodes: maxNodes };
  const out: JsonObject = {
    type: 'object',
    properties: { $schema: true, [f.name]: harmless(f.schema, 0, budget) },
    required: [f.name],
    additionalProperties: false,
  };
  for (const key of ['$defs', 'definitions'] as const) {
    const definitions = root?.[key];
    if (isObject(definitions)) {
      out[key] = harmless(definitions, 0, budget);
    }
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
  const out: JsonObject = {};
  for (const [name, v] of Object.entries(value)) {
    // A property may have the name of a keyword; then its value is a schema and not a string.
    const text = typeof v === 'string' ? v : undefined;
    const drop =
      name === 'patternProperties' ||
      (text !== undefined && ['$schema', '$id', 'id', 'pattern', '$dynamicRef', '$recursiveRef'].includes(name)) ||
      (text !== undefined && name === '$ref' && !text.startsWith('#'));
    if (v !== undefined && !drop) {
      out[name] = harmless(v, depth + 1, budget);
    }
  }
  return out;
}

/** Whether a text probably has several lines, by its schema or else by its name. */
export function isLong(f: Field): boolean {
  const { contentMediaType, format } = f.schema;
  return (
    f.kind === 'text' &&
    (typeof contentMediaType === 'string' ||
      /^(multi-?line|textarea|markdown)$/.test(typeof format === 'string' ? format : '') ||
      /^(body|contents?|code|diff|patch|snippet|source|markdown|html)$/i.test(f.name))
  );
}

/** Returns the value of what a person typed into a field, or what is wrong with it. */
export function read(f: Field, typed: string, t: Translate): { value: Json | undefined } | { problem: string } {
  if (typed === '' && !f.required) {
    return { value: undefined };
  }
  switch (f.kind) {
    case 'number':
      return readNumber(f, typed, t);
    case 'text':
      return readText(f, typed, t);
    default:
      return { problem: t('This value cannot be typed.') };
  }
}

function readNumber(f: Field, typed: string, t: Translate): { value: Json } | { problem: string } {
  const text = typed.trim();
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
    return { problem: t('Type a number.') };
  }
  const value = Number(text);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    return { problem: t('This number is too large to be sent exactly.') };
  }
  if (f.schema.type === 'integer' && !Number.isInteger(value)) {
    return { problem: t('Type a whole number.') };
  }
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = f.schema;
  if (typeof minimum === 'number' && value < minimum) {
    return { problem: t('Type a number of at least {0}.', minimum) };
  }
  if (typeof maximum === 'number' && value > maximum) {
    return { problem: t('Type a number of at most {0}.', maximum) };
  }
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
    return { problem: t('Type a number above {0}.', exclusiveMinimum) };
  }
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
    return { problem: t('Type a number below {0}.', exclusiveMaximum) };
  }
  return { value };
}

function readText(f: Field, typed: string, t: Translate): { value: Json } | { problem: string } {
  const { minLength, maxLength, format } = f.schema;
  const length = Array.from(typed).length; // JSON Schema counts characters, not code units
  if (typeof minLength === 'number' && length < minLength) {
    return { problem: t('Type at least {0} characters.', minLength) };
  }
  if (typeof maxLength === 'number' && length > maxLength) {
    return { problem: t('Type at most {0} characters.', maxLength) };
  }
  if (typeof format === 'string' && !hasFormat(typed, format)) {
    return { problem: t('Type a value of the format {0}.', format) };
  }
  return { value: typed };
}

/** Checks the formats of MCP's elicitation; the server judges others. */
function hasFormat(text: string, format: string): boolean {
  switch (format) {
    case 'email':
      return /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text);
    case 'uri':
      return URL.canParse(text);
    case 'date':
      return isDate(text);
    case 'date-time':
      return /^\d{4}-\d{2}-\d{2}[Tt ]/.test(text) && isDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));
    default:
      return true;
  }
}

function isDate(text: string): boolean {
  // Date reads 2026-02-30 as a day in March.
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Reads the JSON document of a field. */
export function readJson(f: Field, text: string, t: Translate): { value: Json } | { problem: string } {
  let document: Json;
  try {
    document = JSON.parse(text) as Json;
  } catch (error) {
    return { problem: t('This is not valid JSON: {0}', (error as Error).message) };
  }
  const value = isObject(document) ? document[f.name] : undefined;
  if (value === undefined) {
    return { problem: t('The value of "{0}" is missing.', f.name) };
  }
  const { type } = f.schema;
  const wanted = Array.isArray(type) ? strings(type) : typeof type === 'string' ? [type] : [];
  const is = typeOf(value);
  if (wanted.length > 0 && !wanted.includes(is) && !(is === 'integer' && wanted.includes('number'))) {
    return { problem: t('The value must be of type {0}.', wanted.join(' | ')) };
  }
  return { value };
}

/** Returns what is wrong with a number of selected values, undefined when nothing is. */
export function checkChoices(f: Field, count: number, t: Translate): string | undefined {
  const { minItems, maxItems } = f.schema;
  if (typeof minItems === 'number' && count < minItems) {
    return t('Select at least {0}.', minItems);
  }
  if (typeof maxItems === 'number' && count > maxItems) {
    return t('Select at most {0}.', maxItems);
  }
  return undefined;
}

/** Returns the value that the JSON document begins with when there is none. */
export function skeleton(f: Field): Json {
  if (f.schema.type === 'array') {
    return [];
  }
  const properties = f.schema.properties;
  if (!isObject(properties)) {
    return {};
  }
  const out: JsonObject = {};
  for (const name of strings(f.schema.required)) {
    const p = properties[name];
    out[name] = isObject(p) && p.default !== undefined ? p.default : empty(isObject(p) ? p.type : undefined);
  }
  return out;
}

function empty(type: Json | undefined): Json {
  switch (type) {
    case 'string':
      return '';
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    default:
      return type === 'object' ? {} : null;
  }
}

function strings(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : [];
}

function typeOf(value: Json): string {
  if (value === null) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return 'array';
  }
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}
