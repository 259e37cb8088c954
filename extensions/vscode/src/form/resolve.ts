// Follows the references of a JSON Schema and merges what it combines, as far as a form needs it. It
// goes one level deep, so that a schema may contain itself, and fetches nothing.

import { isObject, shown } from '../json';
import type { Json, JsonObject } from '../protocol';

export interface Choice {
  value: Json;
  label: string;
}

/** One of several schemas that a value may have. */
export interface Shape {
  /** What tells it from the others, in the words of the schema; empty when nothing does. */
  label: string;
  /** What it says of itself alone; empty when it says nothing. */
  description: string;
  schema: JsonObject;
}

/** A schema without references and combinations, for one level of a value. */
export interface Resolved {
  schema: JsonObject;
  /** Whether null is allowed beside other values. */
  nullable: boolean;
  /** The only values that are allowed; empty when there are others. */
  choices: Choice[];
  /** What the value may be instead of `schema`, which says what all have in common; empty when there is no choice. */
  shapes: Shape[];
}

/** How deep references and combinations may be within each other. */
const maxDepth = 16;
/** How many schemas one level may consist of. */
const maxParts = 1000;
/** How many shapes a value may have. With more it has none, and anything goes. */
const maxShapes = 50;

interface Reading {
  root: JsonObject;
  parts: number;
}

/** Alternatives of which a value has one. */
type Group = Json[];

export function resolve(raw: Json | undefined, root: JsonObject): Resolved {
  const reading: Reading = { root, parts: 0 };
  const groups: Group[] = [];
  let schema = flatten(raw, reading, groups, 0);
  const types = typesOf(schema);
  let nullable = types.length > 1 && types.includes('null');
  const open: Group[] = [];
  for (let group = groups.shift(); group; group = groups.shift()) {
    const values = constants(group, reading);
    if (values) {
      schema = merge(schema, { enum: values.map((c) => c.value), enumNames: values.map((c) => c.label) });
      continue;
    }
    const rest = group.filter((a) => !isNull(a));
    nullable ||= rest.length < group.length && (types.length === 0 || types.includes('null'));
    if (rest.length > 1) {
      open.push(rest);
    } else {
      schema = merge(flatten(rest[0] ?? { const: null }, reading, groups, 0), schema);
      const inner = typesOf(schema);
      nullable ||= inner.length > 1 && inner.includes('null');
    }
  }
  schema = withoutNull(schema);
  const several = typesOf(schema);
  if (open.length === 0 && several.length > 1 && several.some((type) => type === 'array' || type === 'object')) {
    open.push(several.map((type) => ({ type })));
  }
  const shapes = open.length > 0 ? expand(schema, open, reading) : [];
  const found = choices(schema);
  const hasNull = found.some(({ value }) => value === null);
  if (nullable && found.length > 0 && !hasNull) {
    found.push({ value: null, label: shown(null) });
  }
  nullable ||= hasNull && found.length > 1;
  return {
    schema,
    nullable,
    choices: found,
    shapes: shapes.length > maxShapes || reading.parts > maxParts ? [] : shapes,
  };
}

/** Returns a schema with its references followed and all that must hold merged. Alternatives go into `groups`. */
function flatten(raw: Json | undefined, reading: Reading, groups: Group[], depth: number): JsonObject {
  if (!isObject(raw) || depth > maxDepth || ++reading.parts > maxParts) {
    return {};
  }
  const { $ref: ref, allOf, anyOf, oneOf, ...own } = raw;
  let schema: JsonObject = {};
  if (typeof ref === 'string') {
    schema = flatten(pointer(ref, reading.root), reading, groups, depth + 1);
  }
  for (const part of Array.isArray(allOf) ? allOf : []) {
    schema = merge(schema, flatten(part, reading, groups, depth + 1));
  }
  for (const group of [anyOf, oneOf]) {
    if (Array.isArray(group) && group.length > 0) {
      groups.push(group);
    }
  }
  return merge(schema, own);
}

/** Returns what two schemas demand together. Where only one can be told, such as a title, it is that of the second. */
function merge(a: JsonObject, b: JsonObject): JsonObject {
  const out: JsonObject = { ...a, ...b };
  if (isObject(a.properties) && isObject(b.properties)) {
    const before = a.properties;
    const both = Object.entries(b.properties).map(([name, p]) => [
      name,
      Object.hasOwn(before, name) ? { allOf: [before[name] ?? {}, p ?? {}] } : p,
    ]);
    out.properties = { ...before, ...Object.fromEntries(both) };
  }
  if (a.required !== undefined && b.required !== undefined) {
    out.required = [...new Set([...strings(a.required), ...strings(b.required)])];
  }
  if (Array.isArray(a.enum) && Array.isArray(b.enum)) {
    const allowed = new Set(b.enum.map((v) => JSON.stringify(v)));
    out.enum = a.enum.filter((v) => allowed.has(JSON.stringify(v)));
    delete out.enumNames;
  }
  if (a.type !== undefined && b.type !== undefined) {
    const [first, second] = [typesOf(a), typesOf(b)];
    const common = first.filter((type) => second.includes(type) || (type === 'integer' && second.includes('number')));
    if (common.length > 0) {
      out.type = common;
    }
  }
  for (const [name, stricter] of Object.entries(bounds)) {
    const [x, y] = [a[name], b[name]];
    if (typeof x === 'number' && typeof y === 'number') {
      out[name] = stricter(x, y);
    }
  }
  return out;
}

const bounds = {
  minimum: Math.max,
  exclusiveMinimum: Math.max,
  minLength: Math.max,
  minItems: Math.max,
  maximum: Math.min,
  exclusiveMaximum: Math.min,
  maxLength: Math.min,
  maxItems: Math.min,
};

/** Returns every way to take one alternative of each group. */
function expand(base: JsonObject, groups: Group[], reading: Reading): Shape[] {
  const [group, ...rest] = groups;
  if (!group) {
    return [{ label: '', description: '', schema: base }];
  }
  const flat = group
    .filter((a) => !isNull(a))
    .map((a) => {
      const inner: Group[] = [];
      return { schema: flatten(a, reading, inner, 0), inner };
    });
  const common = sameConstants(flat.map(({ schema }) => schema));
  const shapes: Shape[] = [];
  for (const { schema, inner } of flat) {
    if (shapes.length > maxShapes || ++reading.parts > maxParts) {
      break;
    }
    const label = labelOf(schema, base, common);
    const about = typeof schema.description === 'string' ? schema.description : '';
    for (const shape of expand(merge(base, schema), [...inner, ...rest], reading)) {
      shapes.push({
        label: [label, shape.label].filter(Boolean).join(' · '),
        description: shape.description || about,
        schema: withoutNull(shape.schema),
      });
    }
  }
  return shapes;
}

/** What an alternative calls itself, else its constants, else what only it requires. */
function labelOf(schema: JsonObject, base: JsonObject, common: Set<string>): string {
  if (typeof schema.title === 'string' && schema.title !== '') {
    return schema.title;
  }
  const told = constantsOf(schema).filter((c) => !common.has(c));
  if (told.length > 0) {
    return told.join(', ');
  }
  const before = strings(base.required);
  return strings(schema.required)
    .filter((name) => !before.includes(name))
    .join(', ');
}

/** Returns the members of an object that have one value only, as "name: value". */
function constantsOf(schema: JsonObject): string[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  return Object.entries(properties).flatMap(([name, p]) => {
    const [only, ...others] = isObject(p) ? choices(p) : [];
    return only && others.length === 0 ? [`${name}: ${shown(only.value)}`] : [];
  });
}

/** Returns the constants that all alternatives have, which tell none from the others. */
function sameConstants(schemas: JsonObject[]): Set<string> {
  const all = schemas.map(constantsOf);
  return new Set((all[0] ?? []).filter((c) => all.every((list) => list.includes(c))));
}

/** Returns the values of alternatives that all are constants, undefined when one is not. */
function constants(group: Group, reading: Reading): Choice[] | undefined {
  const found: Choice[] = [];
  for (const a of group) {
    const inner: Group[] = [];
    const schema = flatten(a, reading, inner, 0);
    const values = inner.length === 0 ? choices(schema) : [];
    if (values.length === 0) {
      return undefined;
    }
    const { title } = schema;
    found.push(
      ...(values.length === 1 && typeof title === 'string' ? values.map((v) => ({ ...v, label: title })) : values),
    );
  }
  return found;
}

/**
 * Returns the values of an enumeration. It is written as const, as enum, with or without enumNames, or as
 * oneOf or anyOf of const and title (MCP 2025-11-25, Client, Elicitation, Requested Schema).
 */
function choices(schema: JsonObject): Choice[] {
  if (Array.isArray(schema.enum)) {
    const labels = strings(schema.enumNames);
    return schema.enum.map((value, i) => ({ value, label: labels[i] ?? shown(value) }));
  }
  const { const: only } = schema.type === 'null' ? { const: null } : schema;
  return only === undefined ? [] : [{ value: only, label: shown(only) }];
}

function isNull(schema: Json): boolean {
  return isObject(schema) && (schema.type === 'null' || schema.const === null);
}

/** Omits null from several types. */
function withoutNull(schema: JsonObject): JsonObject {
  const types = typesOf(schema);
  const rest = types.filter((type) => type !== 'null');
  const [only] = rest;
  if (only === undefined || (rest.length === types.length && !Array.isArray(schema.type))) {
    return schema;
  }
  return { ...schema, type: rest.length === 1 ? only : rest };
}

/** Returns the types that a schema names; none when it does not say. */
export function typesOf({ type }: JsonObject): string[] {
  return typeof type === 'string' ? [type] : strings(type);
}

/** The value at a JSON Pointer (RFC 6901) in the form of a URI fragment. */
function pointer(ref: string, root: JsonObject): Json | undefined {
  if (ref !== '#' && !ref.startsWith('#/')) {
    return undefined;
  }
  let at: Json | undefined = root;
  for (const part of ref.split('/').slice(1)) {
    const name = decode(part);
    if (Array.isArray(at)) {
      at = at[Number(name)];
    } else if (isObject(at) && name !== undefined && Object.hasOwn(at, name)) {
      at = at[name];
    } else {
      return undefined;
    }
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

export function strings(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : [];
}
