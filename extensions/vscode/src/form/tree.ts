// Finds and changes values within values. Nothing is changed in place.

import { isObject } from '../json';
import type { Json, JsonObject } from '../protocol';

/** Where a value is: the names of members and the places of items, from the outermost. */
export type Path = readonly (string | number)[];

/** Returns a path as a text, by the rules of JSON Pointer but without the first slash. */
export function keyOf(path: Path): string {
  return path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
}

/** Whether the value with this key is that of `outer`, or within it. */
export function isWithin(key: string, outer: string): boolean {
  return outer === '' || key === outer || key.startsWith(`${outer}/`) || key.startsWith(`${outer}~j`);
}

export function valueAt(values: Json | undefined, path: Path): Json | undefined {
  let at = values;
  for (const part of path) {
    if (typeof part === 'number') {
      at = Array.isArray(at) ? at[part] : undefined;
    } else {
      at = isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
    }
  }
  return at;
}

/** Returns the values with one of them changed, or removed when it is undefined. */
export function withValue(values: JsonObject, path: Path, value: Json | undefined): JsonObject {
  return (replaced(values, path, value) ?? {}) as JsonObject;
}

function replaced(at: Json | undefined, path: Path, value: Json | undefined): Json | undefined {
  const [part, ...rest] = path;
  if (part === undefined) {
    return value;
  }
  const now = replaced(valueAt(at, [part]), rest, value);
  if (typeof part === 'number') {
    const list = Array.isArray(at) ? [...at] : [];
    list.splice(part, 1, ...(now === undefined ? [] : [now]));
    return list;
  }
  const others = isObject(at) ? Object.entries(at) : [];
  // A name such as __proto__ is a name like any other.
  return Object.fromEntries(
    now === undefined
      ? others.filter(([name]) => name !== part)
      : others.some(([name]) => name === part)
        ? others.map(([name, v]) => [name, name === part ? now : v])
        : [...others, [part, now]],
  );
}

/**
 * Returns what is kept by key after the items of a list have got other places: `moved` says where an item is
 * now, undefined when it is gone.
 */
export function withItemsMoved<T>(
  kept: Record<string, T>,
  list: string,
  moved: (place: number) => number | undefined,
): Record<string, T> {
  return Object.fromEntries(
    Object.entries(kept).flatMap(([key, value]) => {
      const found = key.startsWith(`${list}/`) ? /^(\d+)(.*)$/s.exec(key.slice(list.length + 1)) : null;
      if (!found) {
        return [[key, value]];
      }
      const place = moved(Number(found[1]));
      return place === undefined ? [] : [[`${list}/${place}${found[2]}`, value]];
    }),
  );
}
