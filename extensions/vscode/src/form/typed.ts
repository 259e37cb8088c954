// What a typed text means as a value, and the text that means a value. Lists and maps are typed as
// words between commas or lines; a word in quotes is a text, written as in JSON.
// Where a text may be null, nothing and the word null mean null, and in quotes the text.

import { isObject, shown } from '../json';
import type { Json } from '../protocol';
import type { Translate } from '../text';
import { check, isScalar } from './check';
import { type Field, fieldOf, scalarTypes, shaped } from './schema';

type Read = { value: Json } | { problem: string };

/** What means null, where a text may be null; in more quotes than none it is a text with one pair less. */
const likeNull = /^("*)(null)?\1$/;

/** Returns the value of what a person typed into a field, undefined to leave it out, or what is wrong with it. */
export function read(f: Field, typed: string, t: Translate): { value: Json | undefined } | { problem: string } {
  if (typed === '' && !f.required) {
    return { value: undefined };
  }
  if (f.nullable && (typed === '' || typed === 'null' || (typed.trim() === 'null' && f.kind !== 'string'))) {
    return { value: null };
  }
  const r = parse(f, typed, t);
  const problem = 'value' in r ? check(f, r.value, t) : undefined;
  return problem === undefined ? r : { problem };
}

function parse(f: Field, typed: string, t: Translate): Read {
  switch (f.kind) {
    case 'string':
      return { value: f.nullable && likeNull.test(typed) ? typed.slice(1, -1) : typed };
    case 'number':
    case 'integer':
      return number(f, typed, t);
    case 'boolean':
      return typed.trim() === 'true' || typed.trim() === 'false'
        ? { value: typed.trim() === 'true' }
        : { problem: t('Type true or false.') };
    case 'choice': {
      const choice = f.choices.find((c) => shown(c.value) === typed) ?? f.choices.find((c) => c.label === typed);
      return { value: choice ? choice.value : typed };
    }
    case 'mixed':
      return mixed(f, typed, t);
    case 'choices':
    case 'list':
      return list(f, typed, t);
    case 'map':
      return map(f, typed, t);
    case 'union':
      return union(f, typed, t);
    default: {
      const value = json(typed);
      return value === undefined
        ? { problem: t('Type JSON, such as {0}.', f.kind === 'items' ? '[…]' : '{…}') }
        : { value };
    }
  }
}

function number(f: Field, typed: string, t: Translate): Read {
  const text = typed.trim();
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
    return { problem: t('Type a number.') };
  }
  const value = Number(text);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    return { problem: t('This number is too large to be sent exactly.') };
  }
  return f.kind === 'integer' && !Number.isInteger(value) ? { problem: t('Type a whole number.') } : { value };
}

function mixed(f: Field, typed: string, t: Translate): Read {
  const types = scalarTypes(f);
  const value = json(typed.trim());
  // A number that cannot be sent exactly stays a text.
  const exact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value);
  if (value !== undefined && exact && (types.length === 0 || check(f, value, t) === undefined)) {
    return { value };
  }
  return types.length === 0 || types.includes('string')
    ? { value: typed }
    : { problem: types.includes('boolean') ? t('Type a number, true or false.') : t('Type a number.') };
}

/** Returns a list. The text may also be an array of JSON. */
function list(f: Field, typed: string, t: Translate): Read {
  const whole = typed.trim().startsWith('[') ? json(typed.trim()) : undefined;
  if (whole !== undefined) {
    return { value: whole };
  }
  const words = split(typed, false, t);
  if ('problem' in words) {
    return words;
  }
  const item = fieldOf('', f.schema.items, true, f.root);
  const value: Json[] = [];
  for (const { text } of words.entries) {
    const r = scalar(item, text, t);
    if ('problem' in r) {
      return { problem: `${value.length + 1}: ${r.problem}` };
    }
    value.push(r.value);
  }
  return { value };
}

/** Returns an object of NAME=VALUE. The text may also be an object of JSON. */
function map(f: Field, typed: string, t: Translate): Read {
  const whole = typed.trim().startsWith('{') ? json(typed.trim()) : undefined;
  if (whole !== undefined) {
    return { value: whole };
  }
  const words = split(typed, true, t);
  if ('problem' in words) {
    return words;
  }
  const item = fieldOf('', f.schema.additionalProperties, true, f.root);
  const value = new Map<string, Json>();
  for (const { name, text } of words.entries) {
    if (name === undefined) {
      return { problem: t('Type NAME=VALUE; "{0}" has no "=".', text.text) };
    }
    if (value.has(name)) {
      return { problem: t('The name "{0}" occurs twice.', name) };
    }
    const r = scalar(item, text, t);
    if ('problem' in r) {
      return { problem: `${name}: ${r.problem}` };
    }
    value.set(name, r.value);
  }
  return { value: Object.fromEntries(value) };
}

/** Scalars come before lists, whatever the order of the schema: a list is always typed as JSON there, if it could be a text. */
function union(f: Field, typed: string, t: Translate): Read {
  const value = json(typed.trim());
  if (value !== undefined && !isScalar(value) && check(f, value, t) === undefined) {
    return { value };
  }
  const shapes = f.shapes.map((s) => ({ ...shaped(f, s), required: true }));
  const simple = (kind: Field['kind']) =>
    !['list', 'choices', 'map', 'items', 'object', 'json', 'union'].includes(kind);
  let first: Read | undefined;
  for (const shape of [...shapes.filter((s) => simple(s.kind)), ...shapes.filter((s) => !simple(s.kind))]) {
    const r = read(shape, typed, t);
    if ('value' in r && r.value !== undefined) {
      return { value: r.value };
    }
    first ??= 'problem' in r ? r : undefined;
  }
  return first ?? { problem: t('This value has none of the shapes that the server expects.') };
}

interface Word {
  text: string;
  quoted: boolean;
}

function scalar(item: Field, { text, quoted }: Word, t: Translate): Read {
  if (quoted) {
    const problem = check(item, text, t);
    return problem === undefined ? { value: text } : { problem };
  }
  const r = read(item, text, t);
  if ('value' in r) {
    // A word is a scalar: what only looks like JSON is a text.
    return { value: r.value === undefined || !isScalar(r.value) ? text : r.value };
  }
  return r;
}

/** Returns the words between commas and lines, and the names before them when they have some. */
function split(
  typed: string,
  named: boolean,
  t: Translate,
): { entries: { name?: string; text: Word }[] } | { problem: string } {
  const entries: { name?: string; text: Word }[] = [];
  const blank = /[^\S\r\n]*/y;
  const bare = { word: /[^,\r\n]*/y, name: /[^,\r\n=]*/y };
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const [found = ''] = pattern.exec(typed) ?? [];
    at += found.length;
    return found;
  };
  const word = (pattern: RegExp): Word | undefined => {
    take(blank);
    if (typed[at] !== '"') {
      return { text: take(pattern).trim(), quoted: false };
    }
    const value = json(take(/"(?:[^"\\]|\\.)*"/y));
    take(blank);
    return typeof value === 'string' ? { text: value, quoted: true } : undefined;
  };
  while (at < typed.length) {
    const first = word(named ? bare.name : bare.word);
    let entry: { name?: string; text: Word } | undefined = first && { text: first };
    if (first && named && typed[at] === '=') {
      at++;
      const text = word(bare.word);
      entry = text && { name: first.text, text };
    }
    if (!entry) {
      return { problem: t('A quote is not closed; type " at the end of the text.') };
    }
    if (at < typed.length && !/[,\r\n]/.test(typed[at] ?? '')) {
      return { problem: t('Type a comma after what is in quotes.') };
    }
    at++;
    if (entry.name !== undefined || entry.text.quoted || entry.text.text !== '') {
      entries.push(entry);
    }
  }
  return { entries };
}

/** Returns the text that a person would type for a value. */
export function show(f: Field, value: Json | undefined): string {
  if (value === undefined || (value === null && f.nullable)) {
    return '';
  }
  switch (f.kind) {
    case 'string':
      return f.nullable && likeNull.test(shown(value)) ? `"${shown(value)}"` : shown(value);
    case 'choice':
      return shown(value);
    case 'mixed':
      return typeof value === 'string' ? quoted(value, scalarTypes(f)) : JSON.stringify(value);
    case 'list':
    case 'choices': {
      const item = fieldOf('', f.schema.items, true, f.root);
      return Array.isArray(value) && value.every(isScalar)
        ? value.map((v) => word(item, v, /^["[]|[,\r\n]/)).join(', ')
        : JSON.stringify(value);
    }
    case 'map': {
      const item = fieldOf('', f.schema.additionalProperties, true, f.root);
      return isObject(value) && Object.values(value).every(isScalar)
        ? Object.entries(value)
            .map(
              ([name, v]) =>
                `${plain(name, /^["{]|[,=\r\n]/) ? name : JSON.stringify(name)}=${word(item, v ?? null, /^"|[,\r\n]/)}`,
            )
            .join(', ')
        : JSON.stringify(value);
    }
    case 'union':
      return typeof value === 'string' ? value : JSON.stringify(value);
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

/** Returns a text so that it is not read as another type. */
function quoted(text: string, types: string[]): string {
  const value = json(text.trim());
  const other = value !== undefined && (types.length === 0 || isScalar(value));
  return other || text === '' ? JSON.stringify(text) : text;
}

function word(item: Field, value: Json, special: RegExp): string {
  if (typeof value !== 'string') {
    return JSON.stringify(value);
  }
  const another = item.kind === 'string' ? item.nullable && value === 'null' : json(value) !== undefined;
  return plain(value, special) && !another ? value : JSON.stringify(value);
}

function plain(text: string, special: RegExp): boolean {
  return text !== '' && text.trim() === text && !special.test(text);
}

function json(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
