// Asks for the values of a form in steps of quick input: the necessary fields one by one, with a way
// back, then a list of all of them before anything is sent. A value with members is a form within the
// form. The draft always has everything that was typed, so that the person can leave the form in any
// way and continue there.

import * as vscode from 'vscode';
import { isObject, shown } from '../json';
import type { Json, JsonObject } from '../protocol';
import { firstLine, line } from '../text';
import { type Button, back, type Item, Pressed, pick } from '../ui/quick-input';
import { askDocument, editAsJson, jsonButton, summary } from './ask-document';
import { askItems, askUnion, within } from './ask-parts';
import { askBoolean, askChoice, askChoices, askText } from './ask-scalar';
import { brief, isScalar } from './check';
import { asJson, Filling, type Form, type Outcome, type Place, type Spot } from './filling';
import { constant, type Field, members } from './schema';
import { isWithin, keyOf, type Path, withValue } from './tree';

export type { Form } from './filling';

const { t } = vscode.l10n;

/** How many names and places may lead to a value with a form. What is deeper is JSON: a schema may require itself. */
const maxPath = 12;

/** A form, or the form of a value within it. */
interface Scope {
  fields: Field[];
  path: Path;
  titleOf: (field: Field) => string;
  title: string;
  /** Whether to ask for a field before the list. */
  ask: (field: Field) => boolean;
  submit: string;
  review: boolean | 'careful';
  /** Whether there is a step before the first one. */
  back: boolean;
  /** The value that this is the form of; undefined for the form itself. */
  self?: Spot;
}

/** Returns the values, the chosen refusal, or undefined when the person left the form. */
export async function fillIn(form: Form): Promise<JsonObject | Pressed | undefined> {
  const filling = new Filling(form, ask);
  const { title, submit } = form;
  const scope = (fields: Field[], goesBack: boolean): Scope => ({
    ...{ fields, path: [], title, submit, back: goesBack },
    titleOf: (f) => `${title}: ${line(f.title, 80)}`,
    ask: form.ask,
    review: form.review || form.draft !== undefined,
  });
  if ('fields' in form.form) {
    const { fields } = form.form;
    begin(filling, fields);
    const outcome = await fill(filling, scope(fields, false));
    return outcome === 'answered' ? valuesOf(filling, fields) : outcome === back ? undefined : outcome;
  }
  for (let known = filling.state.shapes?.['']?.at; ; known = undefined) {
    const at = known ?? (await askShape(filling));
    if (typeof at !== 'number') {
      return at;
    }
    const fields = form.form.shapes[at]?.fields ?? [];
    filling.state.shapes = { ...filling.state.shapes, '': { at, others: {} } };
    begin(filling, fields);
    const outcome = await fill(filling, scope(fields, true));
    if (outcome !== back) {
      return outcome === 'answered' ? valuesOf(filling, fields) : outcome;
    }
  }
}

/** Asks which of the forms to fill in. */
async function askShape(filling: Filling): Promise<number | Pressed | undefined> {
  const { form } = filling;
  const shapes = 'shapes' in form.form ? form.form.shapes : [];
  filling.at('');
  const last = filling.state.shapes?.['']?.at;
  const choice = await pick<number | Pressed>({
    title: form.title,
    placeholder: t('Choose what to send'),
    items: shapes.map(({ label, description, fields }, i) => ({
      label: line(label || fields.map((f) => f.title).join(', '), 120),
      detail: line(description, 160),
      value: i,
    })),
    buttons: form.refusals ?? [],
    active: (v) => v === last,
    token: form.token,
  });
  return choice === back ? undefined : choice;
}

/** Puts in what is known before anything is asked. A constant is always known. */
function begin(filling: Filling, fields: Field[]): void {
  const { state, form } = filling;
  for (const f of fields) {
    const now = Object.hasOwn(state.values, f.name) ? state.values[f.name] : undefined;
    const value = [constant(f), now, form.draft ? undefined : f.default].find((v) => v !== undefined);
    if (value !== undefined) {
      state.values = withValue(state.values, [f.name], value);
    }
  }
}

/** Returns the values of these fields: another form may have left others. */
function valuesOf({ state }: Filling, fields: Field[]): JsonObject {
  const names = fields.map((f) => f.name);
  return Object.fromEntries(Object.entries(state.values).filter(([name]) => names.includes(name)));
}

/** Asks for one value, whatever its kind, and keeps the answer. */
async function ask(filling: Filling, spot: Spot): Promise<Outcome> {
  const { field } = spot;
  const was = filling.state.field;
  const key = keyOf(spot.path);
  if (was === undefined || !isWithin(was, key)) {
    filling.at(key); // else the person was within it, and continues there
  }
  if (constant(field) !== undefined) {
    filling.set(spot, constant(field));
    return 'answered';
  }
  // What is typed or chosen says itself whether it is null.
  if (field.nullable && field.required && ['object', 'items', 'choices', 'json'].includes(field.kind)) {
    const shapes = [{ label: t('Set a Value…'), description: '', schema: field.schema }];
    return askUnion(filling, { ...spot, field: { ...field, shapes } });
  }
  if (spot.path.length > maxPath && field.kind === 'object') {
    return askDocument(filling, { ...spot, field: { ...field, kind: 'json' }, buttons: [] }, true);
  }
  switch (field.kind) {
    case 'boolean':
      return askBoolean(filling, spot);
    case 'choice':
      return askChoice(filling, spot, field.choices);
    case 'choices':
      return askChoices(filling, spot);
    case 'object':
      return askMembers(filling, spot);
    case 'items':
      return askItems(filling, spot);
    case 'union':
      return askUnion(filling, spot);
    case 'json':
      return askDocument(filling, { ...spot, buttons: [] }, true);
    default:
      return askText(filling, spot);
  }
}

/** Asks for the members of an object, as a form within the form. */
async function askMembers(filling: Filling, spot: Spot): Promise<Outcome> {
  const fields = members(spot.field.schema, spot.field.root);
  return fill(filling, {
    fields,
    path: spot.path,
    title: spot.title,
    titleOf: (f) => within(spot.title, f.title),
    ask: (f) => f.required,
    submit: t('Done'),
    review: false,
    back: spot.place.back,
    self: spot,
  });
}

/** Asks for the fields of a form in turn, then shows the list of them. */
async function fill(filling: Filling, scope: Scope): Promise<Outcome> {
  const { state } = filling;
  const { fields, self } = scope;
  const pathOf = (f: Field): Path => [...scope.path, f.name];
  const first = fields.filter((f) => scope.ask(f) && constant(f) === undefined);
  const isDone = (f: Field) =>
    filling.problem({ path: pathOf(f), field: f }, t) === undefined && !filling.hasTyped(pathOf(f));
  const rest = fields.filter((f) => constant(f) === undefined).length > first.length;
  // Where the person was: asking for a field, or else at the first that still lacks something.
  const was = state.field;
  let open = was === undefined ? undefined : fields.find((f) => isWithin(was, keyOf(pathOf(f))));
  const undone = first.findIndex((f) => !isDone(f));
  let step = 0;
  if (open) {
    step = first.includes(open) ? first.indexOf(open) : first.length;
  } else if (self || filling.form.draft) {
    step = undone < 0 ? first.length : undone;
  }
  if (open && first.includes(open)) {
    open = undefined;
  }
  const begun = step;
  const lowest = self && begun === first.length ? begun : 0;
  const total = first.length + (scope.review || rest || (self && begun === first.length) ? 1 : 0);
  const buttons = self ? [jsonButton(t('Edit "{0}" as JSON', line(self.field.title, 60)))] : [];
  while (step < total) {
    const place = { step: step + 1, totalSteps: total, back: step > lowest || scope.back };
    const f = first[step];
    const asked = f ?? open;
    if (!asked) {
      filling.at(keyOf(scope.path));
    }
    const outcome = asked
      ? await filling.ask(filling, {
          field: asked,
          path: pathOf(asked),
          title: scope.titleOf(asked),
          place: f ? place : { back: true },
          buttons,
        })
      : await review(filling, scope, place);
    if (outcome instanceof Pressed && outcome.button === asJson && self) {
      const edited = await editAsJson(filling, self);
      if (edited === 'answered') {
        step = first.length;
        if (total === first.length) {
          return 'answered';
        }
      } else if (edited !== back) {
        return edited;
      }
      continue;
    }
    if (outcome === undefined || outcome instanceof Pressed) {
      return outcome;
    }
    open = undefined;
    if (asked && !f) {
      continue; // from a field of the list back to the list
    }
    if (outcome === back) {
      if (step <= lowest) {
        finish(filling, scope);
        return back;
      }
      step--;
    } else if (outcome === 'answered') {
      step++;
    } else {
      open = outcome;
    }
  }
  if (self && filling.value(self) === undefined && self.field.required) {
    filling.set(self, {});
  }
  finish(filling, scope);
  return 'answered';
}

/** Puts in the constants of a value with members. Without any other member there is no value. */
function finish(filling: Filling, { fields, path, self }: Scope): void {
  for (const f of self && isObject(filling.value(self)) ? fields : []) {
    const spot = { path: [...path, f.name], field: f };
    const value = constant(f);
    if (value !== undefined && filling.value(spot) !== value) {
      filling.set(spot, value);
    }
  }
}

/** Shows all fields of a form. Returns the one to set, or 'answered' to send them. */
async function review(filling: Filling, scope: Scope, place: Place): Promise<Field | Outcome> {
  const { form } = filling;
  const { fields, self, submit } = scope;
  const careful = scope.review === 'careful';
  const values = valuesAt(filling, scope);
  const ready = fields.every((field) => filling.problem({ path: [...scope.path, field.name], field }, t) === undefined);
  const items: Item<Field | 'answered' | 'omit' | Pressed>[] = [];
  if (ready) {
    const icon = self ? 'check' : 'play';
    const sent = careful ? { detail: sentOf(filling, values) } : {};
    const note = !self && form.note ? { description: form.note } : {};
    items.push({ label: `$(${icon}) ${submit}`, value: 'answered', alwaysShow: true, ...note, ...sent });
  }
  if (self && !self.field.required) {
    items.push({ label: t('(omit)'), value: 'omit' });
  }
  for (const { id, icon, label } of self ? [] : (form.refusals ?? [])) {
    items.push({ label: `$(${icon}) ${label}`, value: new Pressed(id), alwaysShow: true });
  }
  if (fields.length > 0) {
    items.push({ label: t('Values'), kind: vscode.QuickPickItemKind.Separator });
  }
  for (const f of fields) {
    const path = [...scope.path, f.name];
    const value = filling.sent({ path, field: f });
    const wrong = value === undefined ? undefined : filling.problem({ path, field: f }, t);
    items.push({
      label: `${value === undefined ? '$(circle-outline)' : wrong ? '$(warning)' : '$(circle-filled)'} ${line(f.title, 80)}`,
      description: descriptionOf(filling, f, path),
      detail: wrong ? line(wrong, 160) : firstLine(f.description, 160),
      value: f,
    });
  }
  const buttons: Button[] = [
    ...(self ? [jsonButton()] : []),
    ...(form.look && !self ? [{ id: 'look', icon: 'eye', label: t('Show All Values') }] : []),
  ];
  const choice = await pick<Field | 'answered' | 'omit' | Pressed>({
    ...place,
    title: scope.title,
    placeholder: !ready
      ? t('Select a value to set it')
      : careful
        ? t('Check the values, then choose "{0}"', submit)
        : t('Press Enter to go on, or select a value to change it'),
    items,
    buttons,
    token: form.token,
    alone: (v) => typeof v === 'string' || v instanceof Pressed,
    // Enter too many opens a value, and sends nothing.
    ...(careful && { active: (v) => v === (fields.find((f) => values[f.name] !== undefined) ?? fields[0]) }),
  });
  if (choice instanceof Pressed && choice.button === 'look') {
    await form.look?.(values);
    return review(filling, scope, place);
  }
  if (choice === 'omit' && self) {
    filling.set(self, undefined);
    return back;
  }
  return choice as Field | Outcome;
}

function valuesAt(filling: Filling, { fields, path }: Scope): JsonObject {
  const entries = fields.map((f) => [f.name, filling.value({ path: [...path, f.name] })]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Returns what is sent, in a few words. */
function sentOf(filling: Filling, values: JsonObject): string {
  const { form } = filling;
  const all = 'fields' in form.form ? form.form.fields : form.form.shapes.flatMap((s) => s.fields);
  const parts = Object.entries(values).map(([name, value]) => {
    const f = all.find((one) => one.name === name);
    return `${name}: ${f && isHidden(filling, f, value ?? null) ? '••••••' : summary(isScalar(value) ? brief(value) : shown(value))}`;
  });
  return line(parts.join(' · ') || t('no values'), 300);
}

/** Whether a value is not to be shown. What has parts may have a secret among them. */
function isHidden({ form }: Filling, f: Field, value: Json): boolean {
  return form.password !== undefined && (form.password(f) || (!isScalar(value) && f.kind !== 'choices'));
}

/** What the list says of a value. */
function descriptionOf(filling: Filling, f: Field, path: Path): string {
  const value = filling.sent({ path, field: f });
  const label = f.choices.find((c) => JSON.stringify(c.value) === JSON.stringify(value))?.label;
  const text = label ?? (Array.isArray(value) && f.kind === 'choices' ? labels(f, value) : undefined) ?? brief(value);
  const said =
    value === undefined
      ? f.required
        ? t('required')
        : t('omitted')
      : isHidden(filling, f, value)
        ? '••••••'
        : summary(text);
  return filling.hasTyped(path) ? `${said} · ${t('typed, not used yet')}` : said;
}

function labels(f: Field, values: unknown[]): string {
  return values
    .map((v) => f.choices.find((c) => JSON.stringify(c.value) === JSON.stringify(v))?.label ?? JSON.stringify(v))
    .join(', ');
}
