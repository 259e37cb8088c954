// Turns a JSON Schema into a form: which values to ask for, and how.

import { isObject } from '../json';
import type { Json, JsonObject } from '../protocol';
import type { Translate } from '../text';
import { type Choice, type Resolved, resolve, type Shape, strings, typesOf } from './resolve';

/**
 * How to ask for a value: a list has scalars and items has what is none, a map has names with scalars and an
 * object the members of its schema. A union has several shapes, of which one is chosen first. Whatever no
 * form can show is json.
 */
export type Kind =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'choice'
  | 'choices'
  | 'list'
  | 'mixed'
  | 'map'
  | 'object'
  | 'items'
  | 'union'
  | 'json';

/** One value of a form. The texts are the server's. */
export interface Field {
  name: string;
  title: string;
  description: string;
  required: boolean;
  kind: Kind;
  nullable: boolean;
  /** The JSON Schema of the value as it is written, for what is within `root`. */
  source: Json | undefined;
  /** The same with references followed and combinations merged. */
  schema: JsonObject;
  root: JsonObject;
  choices: Choice[];
  shapes: Shape[];
  default?: Json;
}

/** A form, or the forms of which one is chosen first. */
export type FormOf = { fields: Field[] } | { shapes: { label: string; description: string; fields: Field[] }[] };

/** Returns the form of the arguments of a tool. */
export function formOf(schema: JsonObject | undefined): FormOf {
  const root = schema ?? {};
  const r = resolve(root, root);
  const shapes = r.shapes.filter((s) => typesOf(s.schema).length === 0 || typesOf(s.schema).includes('object'));
  return shapes.length < 2
    ? { fields: members(shapes[0]?.schema ?? r.schema, root) }
    : {
        shapes: shapes.map(({ label, description, schema }) => ({ label, description, fields: members(schema, root) })),
      };
}

/** Returns all fields that a form may have. */
export function fields(schema: JsonObject | undefined): Field[] {
  const form = formOf(schema);
  const all = 'fields' in form ? form.fields : form.shapes.flatMap((s) => s.fields);
  return [...new Map(all.toReversed().map((f) => [f.name, f])).values()].toReversed();
}

/** Returns the fields of an object whose schema has no references, the required ones first. */
export function members(schema: JsonObject, root: JsonObject): Field[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = new Set(strings(schema.required));
  const names = new Set([...Object.keys(properties), ...required]);
  const list = Array.from(names, (name) => {
    const raw = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return fieldOf(name, raw, required.has(name), root);
  });
  return [...list.filter((f) => f.required), ...list.filter((f) => !f.required)];
}

export function fieldOf(name: string, source: Json | undefined, required: boolean, root: JsonObject): Field {
  const r = resolve(source, root);
  const f: Field = {
    name,
    title: text(r.schema.title) || name,
    description: text(r.schema.description),
    required,
    kind: kindOf(r, root),
    nullable: r.nullable,
    source,
    schema: r.schema,
    root,
    choices: r.choices,
    shapes: r.shapes,
  };
  if (f.kind === 'choices') {
    f.choices = resolve(r.schema.items, root).choices;
  }
  if (r.schema.default !== undefined && (required || r.schema.default !== null)) {
    f.default = r.schema.default;
  }
  return f;
}

/** Returns the field of one shape of a union. It has the same name and place. */
export function shaped(f: Field, { schema }: Shape): Field {
  const { title, required } = f;
  const { default: _, ...rest } = schema;
  return { ...fieldOf(f.name, rest, true, f.root), title, required };
}

/** Returns the field of one item of a list; the first has the place 0. */
export function itemOf(f: Field, place: number): Field {
  const item = fieldOf(String(place + 1), f.schema.items, true, f.root);
  return { ...item, title: item.title === item.name ? item.name : `${item.title} ${item.name}` };
}

/** Returns the only value that a field may have, undefined when it may have others or none. */
export function constant(f: Field): Json | undefined {
  return f.required && f.kind === 'choice' && f.choices.length === 1 ? f.choices[0]?.value : undefined;
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function kindOf({ schema, choices, shapes }: Resolved, root: JsonObject): Kind {
  if (choices.length > 0) {
    return 'choice';
  }
  if (shapes.length > 0) {
    const kinds = shapes.map((s) => scalarKind(s.schema));
    return kinds.includes(undefined)
      ? 'union'
      : kinds.every((kind) => kind === kinds[0])
        ? (kinds[0] ?? 'mixed')
        : 'mixed';
  }
  return scalarKind(schema) ?? (isArray(schema) ? arrayKind(schema, root) : objectKind(schema, root));
}

/** Returns how to ask for a scalar, undefined when the value is none. */
function scalarKind(schema: JsonObject): Kind | undefined {
  const types = typesOf(schema);
  if (isArray(schema) || isObjectSchema(schema)) {
    return undefined;
  }
  const [type] = types;
  if (types.length === 1) {
    return type === 'string' || type === 'number' || type === 'integer' || type === 'boolean' ? type : 'mixed';
  }
  return types.length > 0 && types.every((t) => t === 'number' || t === 'integer') ? 'number' : 'mixed';
}

function isArray(schema: JsonObject): boolean {
  const types = typesOf(schema);
  return types.length === 0 ? schema.items !== undefined || schema.prefixItems !== undefined : types.includes('array');
}

function isObjectSchema(schema: JsonObject): boolean {
  const types = typesOf(schema);
  return types.length === 0
    ? isObject(schema.properties) || isObject(schema.additionalProperties) || isObject(schema.patternProperties)
    : types.includes('object');
}

function arrayKind(schema: JsonObject, root: JsonObject): Kind {
  if (schema.prefixItems !== undefined || Array.isArray(schema.items)) {
    return 'json';
  }
  const item = resolve(schema.items, root);
  return item.choices.length > 0 ? 'choices' : isScalar(item) ? 'list' : 'items';
}

function objectKind(schema: JsonObject, root: JsonObject): Kind {
  if (schema.patternProperties !== undefined) {
    return 'json';
  }
  if (
    (isObject(schema.properties) && Object.keys(schema.properties).length > 0) ||
    strings(schema.required).length > 0
  ) {
    return 'object';
  }
  return schema.additionalProperties !== false && isScalar(resolve(schema.additionalProperties, root)) ? 'map' : 'json';
}

function isScalar({ schema, choices, shapes }: Resolved): boolean {
  return (
    choices.length > 0 || (shapes.length > 0 ? shapes : [{ schema }]).every((s) => scalarKind(s.schema) !== undefined)
  );
}

/** Returns the scalar types that a field of the kind mixed may have; none when it may have any value. */
export function scalarTypes(f: Field): string[] {
  const all = (f.shapes.length > 0 ? f.shapes : [f]).map((s) => typesOf(s.schema));
  return all.some((types) => types.length === 0) ? [] : [...new Set(all.flat())];
}

/** Whether a text probably has several lines, by its schema or else by its name. */
export function isLong(f: Field): boolean {
  const { contentMediaType, format } = f.schema;
  return (
    f.kind === 'string' &&
    (typeof contentMediaType === 'string' ||
      /^(multi-?line|textarea|markdown)$/.test(typeof format === 'string' ? format : '') ||
      /^(body|contents?|code|diff|patch|snippet|source|markdown|html)$/i.test(f.name))
  );
}

/** Returns what a shape is called: by its schema, else by what it consists of. */
export function shapeLabel(f: Field, place: number, t: Translate): string {
  const shape = f.shapes[place];
  if (shape?.label !== '') {
    return shape?.label ?? '';
  }
  const own = shaped(f, shape);
  switch (own.kind) {
    case 'choice':
      return own.choices.map((c) => c.label).join(' | ');
    case 'object':
      return members(own.schema, own.root)
        .map((m) => m.name)
        .join(', ');
    default:
      return inWords(own, t);
  }
}

/** Returns the type of a value in words. */
export function inWords(f: Field, t: Translate): string {
  switch (f.kind) {
    case 'string':
      return t('text');
    case 'number':
      return t('number');
    case 'integer':
      return t('whole number');
    case 'boolean':
      return t('true or false');
    case 'choice':
      return t('one of the values');
    case 'choices':
      return t('any number of the values');
    case 'list':
      return t('list: {0}', inWords(fieldOf('', f.schema.items, true, f.root), t));
    case 'items':
      return t('list');
    case 'map':
      return t('names with values');
    case 'object':
      return t('object');
    case 'union':
      return t('one of several shapes');
    case 'mixed':
      return t('any value');
    default:
      return isArray(f.schema) ? t('list') : isObjectSchema(f.schema) ? t('object') : 'JSON';
  }
}
