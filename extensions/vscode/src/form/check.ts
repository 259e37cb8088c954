// Says what is wrong with a value by its JSON Schema: what a person can see and repair in a form. The
// server judges the rest. No regular expression of a server is run.

import { isObject, shown } from '../json';
import type { Json, JsonObject } from '../protocol';
import { line, type Translate } from '../text';
import { resolve, strings, typesOf } from './resolve';
import type { Field } from './schema';

/** How many values are held against a schema. With shapes within shapes there are many times as many as the value has. */
const maxChecks = 20_000;

/** A check of one value with all that is within it. */
interface Checking {
  root: JsonObject;
  t: Translate;
  /** How many values are still held against a schema. */
  left: number;
}

/** Returns what is wrong with the value of a field, undefined when nothing is. */
export function check(f: Field, value: Json, t: Translate): string | undefined {
  return checkValue(value, f.source, { root: f.root, t, left: maxChecks });
}

function checkValue(value: Json, source: Json | undefined, c: Checking): string | undefined {
  if (--c.left < 0) {
    return undefined;
  }
  const { root, t } = c;
  const { schema, nullable, choices, shapes } = resolve(source, root);
  if (value === null && nullable) {
    return undefined;
  }
  if (choices.length > 0) {
    const wanted = JSON.stringify(value);
    return choices.some((c) => JSON.stringify(c.value) === wanted)
      ? undefined
      : t('Choose one of: {0}.', line(choices.map((c) => c.label).join(', '), 160));
  }
  if (shapes.length > 0) {
    const problems: string[] = [];
    for (const s of shapes) {
      const problem = checkValue(value, s.schema, c);
      if (problem === undefined) {
        return undefined;
      }
      problems.push(problem);
    }
    // The shape that has the type of the value is the one that is meant.
    const meant = shapes.map((s, i) => (isOf(value, typesOf(s.schema)) ? problems[i] : undefined)).filter(Boolean);
    return meant.length === 1 ? meant[0] : t('This value has none of the shapes that the server expects.');
  }
  const types = typesOf(schema);
  if (!isOf(value, types)) {
    return t('The value must be of type {0}.', types.join(' | '));
  }
  if (typeof value === 'number') {
    return checkNumber(value, schema, t);
  }
  if (typeof value === 'string') {
    return checkText(value, schema, t);
  }
  if (Array.isArray(value)) {
    return checkCount(value.length, schema, t) ?? checkItems(value, schema, c);
  }
  return isObject(value) ? checkMembers(value, schema, c) : undefined;
}

function isOf(value: Json, types: string[]): boolean {
  const is = typeOf(value);
  return types.length === 0 || types.includes(is) || (is === 'integer' && types.includes('number'));
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

function checkNumber(value: number, schema: JsonObject, t: Translate): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === 'number' && value < minimum) {
    return t('Type a number of at least {0}.', minimum);
  }
  if (typeof maximum === 'number' && value > maximum) {
    return t('Type a number of at most {0}.', maximum);
  }
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
    return t('Type a number above {0}.', exclusiveMinimum);
  }
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
    return t('Type a number below {0}.', exclusiveMaximum);
  }
  if (typeof multipleOf === 'number' && multipleOf > 0) {
    // 0.3 / 0.1 is not quite 3.
    const times = value / multipleOf;
    if (Math.abs(times - Math.round(times)) > 1e-9 * Math.max(1, Math.abs(times))) {
      return t(
        'Type a multiple of {0}, such as {1}.',
        multipleOf,
        Number((Math.round(times) * multipleOf).toPrecision(12)),
      );
    }
  }
  return undefined;
}

function checkText(value: string, schema: JsonObject, t: Translate): string | undefined {
  const { minLength, maxLength, format } = schema;
  const length = Array.from(value).length; // JSON Schema counts characters, not code units
  if (typeof minLength === 'number' && length < minLength) {
    return minLength === 1 ? t('This must not be empty.') : t('Type at least {0} characters.', minLength);
  }
  if (typeof maxLength === 'number' && length > maxLength) {
    return maxLength === 1 ? t('Type at most one character.') : t('Type at most {0} characters.', maxLength);
  }
  // The formats of MCP's elicitation; the server judges others.
  switch (format) {
    case 'email':
      return /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(value)
        ? undefined
        : t('Type an email address such as {0}.', 'name@example.com');
    case 'uri':
      return URL.canParse(value) ? undefined : t('Type an address such as {0}.', 'https://example.com/page');
    case 'date':
      return isDate(value) ? undefined : t('Type a date such as {0}.', '2026-01-31');
    case 'date-time':
      return /^\d{4}-\d{2}-\d{2}[Tt ]/.test(value) && isDate(value.slice(0, 10)) && !Number.isNaN(Date.parse(value))
        ? undefined
        : t('Type a date and a time such as {0}.', '2026-01-31T12:00:00Z');
    default:
      return undefined;
  }
}

const signs = { minimum: '≥', exclusiveMinimum: '>', maximum: '≤', exclusiveMaximum: '<' };

/** Says how a number or a text of a format is typed; empty for any other value. */
export function howToType(schema: JsonObject, t: Translate): string {
  if (schema.type !== 'number' && schema.type !== 'integer') {
    return checkText('', { format: schema.format }, t) ?? ''; // which has no format
  }
  const what = schema.type === 'integer' ? t('Type a whole number.') : t('Type a number.');
  const bounds = Object.entries(signs).flatMap(([name, sign]) =>
    typeof schema[name] === 'number' ? [`${sign} ${schema[name]}`] : [],
  );
  return bounds.length === 0 ? what : `${what.replace(/\.$/, '')} (${bounds.join(', ')}).`;
}

function isDate(text: string): boolean {
  // Date reads 2026-02-30 as a day in March.
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Returns what is wrong with a number of items, undefined when nothing is. */
export function checkCount(count: number, { minItems, maxItems }: JsonObject, t: Translate): string | undefined {
  if (typeof minItems === 'number' && count < minItems) {
    return minItems === 1 ? t('Give at least one value.') : t('Give at least {0} values.', minItems);
  }
  if (typeof maxItems === 'number' && count > maxItems) {
    return maxItems === 1 ? t('Give at most one value.') : t('Give at most {0} values.', maxItems);
  }
  return undefined;
}

function checkItems(list: Json[], schema: JsonObject, c: Checking): string | undefined {
  const { t } = c;
  if (schema.uniqueItems === true) {
    const seen = new Set<string>();
    for (const item of list.map((v) => JSON.stringify(v))) {
      if (seen.has(item)) {
        return t('{0} occurs twice.', line(item, 60));
      }
      seen.add(item);
    }
  }
  if (schema.prefixItems !== undefined || !isObject(schema.items)) {
    return undefined;
  }
  for (const [i, item] of list.entries()) {
    const problem = checkValue(item, schema.items, c);
    if (problem) {
      return `${i + 1}: ${problem}`;
    }
  }
  return undefined;
}

function checkMembers(value: JsonObject, schema: JsonObject, c: Checking): string | undefined {
  const { t } = c;
  const missing = strings(schema.required).filter((name) => !Object.hasOwn(value, name) || value[name] === undefined);
  if (missing.length > 0) {
    return t('Missing: {0}.', line(missing.join(', '), 160));
  }
  const properties = isObject(schema.properties) ? schema.properties : {};
  const { additionalProperties: others, patternProperties } = schema;
  for (const [name, v] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name);
    if (v === undefined || (!known && patternProperties !== undefined)) {
      continue;
    }
    const problem = known
      ? checkValue(v, properties[name], c)
      : others === false
        ? t('The server does not know this name.')
        : checkValue(v, others, c);
    if (problem) {
      return `${line(name, 60)}: ${problem}`;
    }
  }
  return undefined;
}

/** Whether a value is no list and no object. */
export function isScalar(value: Json | undefined): boolean {
  return value === null || typeof value !== 'object';
}

/** Returns a short text of a value, in which an empty text and the text null are what they are. */
export function brief(value: Json | undefined): string {
  const scalar = (v: Json | undefined) => (v === '' || v === 'null' ? JSON.stringify(v) : shown(v));
  return isObject(value)
    ? Object.entries(value)
        .map(([name, v]) => `${name}: ${scalar(v)}`)
        .join(', ')
    : Array.isArray(value)
      ? value.map((v) => (isScalar(v) ? scalar(v) : `{${brief(v)}}`)).join(', ')
      : scalar(value);
}
