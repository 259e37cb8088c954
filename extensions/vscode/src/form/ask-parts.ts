// Asks for values with parts: the items of a list, and a union, of which a shape is chosen first.

import * as vscode from 'vscode';
import { isObject } from '../json';
import type { Json } from '../protocol';
import { line } from '../text';
import { back, type Item, Pressed, pick } from '../ui/quick-input';
import { editAsJson, jsonButton } from './ask-document';
import { brief, check } from './check';
import { asJson, type Filling, type Outcome, type Spot } from './filling';
import { itemOf, members, shaped, shapeLabel } from './schema';
import { keyOf, withItemsMoved } from './tree';

const { t } = vscode.l10n;

/** Choices that are no shape: no value, and null. */
const omit = -2;
const none = -1;

/** Returns the title of a value within another. */
export function within(title: string, name: string): string {
  return `${title} › ${line(name, 80)}`;
}

/** Asks for a list of what is no scalar: one item after the other. */
export async function askItems(filling: Filling, spot: Spot): Promise<Outcome> {
  const { field } = spot;
  const key = keyOf(spot.path);
  const left = placeIn(filling.state.field, key);
  if (left !== undefined) {
    const outcome = await askItem(filling, spot, left);
    if (outcome === undefined || outcome instanceof Pressed) {
      return outcome;
    }
  }
  for (;;) {
    filling.at(key);
    const value = filling.value(spot);
    const list = Array.isArray(value) ? value : [];
    const next = [...spot.path, list.length];
    const problem = check(field, list, t);
    const items: Item<number | 'done' | 'omit'>[] = [];
    if (problem === undefined && (list.length > 0 || field.required)) {
      items.push({ label: `$(check) ${t('Done')}`, value: 'done' });
    }
    const add = {
      label: `$(add) ${list.length === 0 ? t('Add the First One…') : t('Add Another…')}`,
      value: list.length,
      ...(filling.hasTyped(next) && { description: t('typed, not used yet') }),
    };
    items.push(add);
    if (!field.required) {
      items.push({ label: t('(omit)'), value: 'omit' });
    }
    if (list.length > 0) {
      items.push({ label: t('Values'), kind: vscode.QuickPickItemKind.Separator });
    }
    items.push(
      ...list.map((item, i) => {
        const wrong = check(itemOf(field, i), item, t);
        return {
          label: `$(circle-filled) ${i + 1}`,
          description: line(brief(item), 120),
          ...(wrong !== undefined && { detail: `$(warning) ${line(wrong, 160)}` }),
          value: i,
        };
      }),
    );
    const choice = await pick<number | 'done' | 'omit'>({
      ...filling.frame({ ...spot, buttons: [] }, jsonButton()),
      placeholder: problem !== undefined && list.length > 0 ? line(problem, 200) : line(field.description, 200),
      items,
      alone: (v) => typeof v === 'string',
      // An empty list is begun, unless nothing is needed.
      active: (v) => v === (list.length === 0 ? 0 : 'done'),
    });
    if (choice instanceof Pressed && choice.button === asJson) {
      const outcome = await editAsJson(filling, spot);
      if (outcome === back || outcome === 'answered') {
        continue;
      }
      return outcome;
    }
    if (choice === undefined || choice === back || choice instanceof Pressed) {
      return choice;
    }
    if (choice === 'done' || choice === 'omit') {
      filling.set(spot, choice === 'omit' ? undefined : list);
      return 'answered';
    }
    const i = choice as number;
    const outcome = i === list.length ? await askItem(filling, spot, i) : await changeItem(filling, spot, i);
    if (outcome === undefined || outcome instanceof Pressed) {
      return outcome;
    }
  }
}

function askItem(filling: Filling, spot: Spot, i: number): Promise<Outcome> {
  const field = itemOf(spot.field, i);
  const title = within(spot.title, field.title);
  return filling.ask(filling, { field, path: [...spot.path, i], title, place: { back: true }, buttons: [] });
}

/** Returns the item of a list that the person was at when they left the form, undefined when they were at none. */
function placeIn(field: string | undefined, list: string): number | undefined {
  const found = field?.startsWith(`${list}/`) ? /^\d+/.exec(field.slice(list.length + 1)) : undefined;
  return found ? Number(found[0]) : undefined;
}

/** Asks what to do with an item of a list. */
async function changeItem(filling: Filling, spot: Spot, i: number): Promise<Outcome> {
  const list = filling.value(spot) as Json[];
  const items: Item<'edit' | 'up' | 'remove'>[] = [{ label: `$(edit) ${t('Edit…')}`, value: 'edit' }];
  if (i > 0) {
    items.push({ label: `$(arrow-up) ${t('Move Up')}`, value: 'up' });
  }
  items.push({ label: `$(trash) ${t('Remove')}`, value: 'remove' });
  const choice = await pick<'edit' | 'up' | 'remove'>({
    ...filling.frame({ ...spot, title: within(spot.title, String(i + 1)), place: { back: true }, buttons: [] }),
    placeholder: line(brief(list[i]), 200),
    items,
  });
  if (choice === 'edit') {
    return askItem(filling, spot, i);
  }
  if (choice === undefined || choice === back || choice instanceof Pressed) {
    return choice;
  }
  const moved =
    choice === 'up'
      ? (place: number) => (place === i ? i - 1 : place === i - 1 ? i : place)
      : (place: number) => (place === i ? undefined : place > i ? place - 1 : place);
  const { state } = filling;
  const key = keyOf(spot.path);
  state.typed = withItemsMoved(state.typed as Record<string, Json>, key, moved);
  state.shapes = withItemsMoved(state.shapes ?? {}, key, moved);
  const places = list.map((item, place) => ({ item, place: moved(place) })).filter((p) => p.place !== undefined);
  const now = places.sort((a, b) => (a.place ?? 0) - (b.place ?? 0)).map((p) => p.item);
  filling.set(spot, now);
  return 'answered';
}

/** Asks for a value of several shapes, or for one that may be null: for its shape, then for the value. */
export async function askUnion(filling: Filling, spot: Spot): Promise<Outcome> {
  const { field, path } = spot;
  const key = keyOf(path);
  const known = filling.state.shapes?.[key]?.at ?? shapeOf(filling, spot);
  for (let at = known; ; at = undefined) {
    const last = filling.state.shapes?.[key]?.at ?? known;
    if (at === undefined) {
      filling.at(key);
      const items: Item<number>[] = field.shapes.map((shape, i) => ({
        label: line(shapeLabel(field, i, t), 120),
        detail: line(shape.description, 160),
        value: i,
      }));
      if (!field.required) {
        items.push({ label: t('(omit)'), value: omit });
      } else if (field.nullable) {
        items.push({ label: 'null', value: none });
      }
      const choice = await pick<number>({
        ...filling.frame({ ...spot, buttons: [] }, jsonButton()),
        placeholder: line(field.description, 200) || t('Choose what to send'),
        items,
        active: (v) => v === last,
      });
      if (choice instanceof Pressed && choice.button === asJson) {
        const outcome = await editAsJson(filling, spot);
        if (outcome === back) {
          continue;
        }
        return outcome;
      }
      if (choice === undefined || choice === back || choice instanceof Pressed) {
        return choice;
      }
      if (choice === omit) {
        filling.set(spot, undefined);
        return 'answered';
      }
      if (choice === none) {
        chooseShape(filling, spot, none);
        filling.set(spot, null);
        return 'answered';
      }
      at = choice as number;
      chooseShape(filling, spot, at);
    }
    const shape = field.shapes[at];
    if (!shape) {
      continue;
    }
    const outcome = await filling.ask(filling, {
      ...spot,
      field: shaped(field, shape),
      place: { ...spot.place, back: true },
    });
    if (outcome !== back) {
      return outcome;
    }
  }
}

/** Returns the shape that the value has; `none` when that is null, undefined when there is no value or none that fits. */
function shapeOf(filling: Filling, spot: Spot): number | undefined {
  const value = filling.value(spot);
  const at = spot.field.shapes.findIndex(
    (s) => value !== undefined && check(shaped(spot.field, s), value, t) === undefined,
  );
  return at >= 0 ? at : value === null ? none : undefined;
}

/** Gives a value another shape. What it was before comes back with the shape that it had. */
function chooseShape(filling: Filling, spot: Spot, at: number): void {
  const { state } = filling;
  const key = keyOf(spot.path);
  const before = state.shapes?.[key] ?? { at: shapeOf(filling, spot) ?? -1, others: {} };
  const value = filling.value(spot);
  const others = { ...before.others };
  if (before.at !== at) {
    if (value !== undefined) {
      others[before.at] = value;
    }
    const shape = spot.field.shapes[at];
    const next = others[at] ?? (shape && common(value, members(shape.schema, spot.field.root)));
    filling.set(spot, next);
  }
  state.shapes = { ...state.shapes, [key]: { at, others } };
  filling.keep();
}

/** Returns the members of an object that are right in another shape as well. */
function common(value: Json | undefined, fields: ReturnType<typeof members>): Json | undefined {
  if (!isObject(value)) {
    return undefined;
  }
  const kept = Object.entries(value).filter(([name, v]) => {
    const f = fields.find((one) => one.name === name);
    return f !== undefined && v !== undefined && check(f, v, t) === undefined;
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
