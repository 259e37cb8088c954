// A form as steps of quick input: the fields that have to be asked one after the
// other, with a way back, then a list of all of them before anything is sent.

import * as vscode from 'vscode';
import type { Json, JsonObject } from '../protocol';
import { firstLine, line } from '../text';
import { type Back, back, type Item, input, pick, pickMany, suggest } from '../ui';
import type { JsonEditor } from './json';
import { checkChoices, type Field, isObject, read, shown } from './schema';

export interface Form {
  title: string;
  fields: Field[];
  /** The schema that the fields are of: references of nested values point into it. */
  schema: JsonObject | undefined;
  /** What is known already. */
  values: JsonObject;
  /** The names of the fields that are asked at once; the rest can be set in the list. */
  ask: string[];
  /** The label of the item that sends the form. */
  submit: string;
  /** Whether the list is shown even when nothing is left to set. */
  review: boolean;
  /** The label of an item that refuses the form, when it can be refused. */
  decline?: string;
  /** Whether the characters of a field stay hidden. */
  password?: (field: Field) => boolean;
  /** What the person should know before answering a field. */
  warning?: (field: Field) => string | undefined;
  /** Proposals for a field, given what is typed and what the other fields are. */
  propose?: (field: Field, value: string, values: JsonObject, token: vscode.CancellationToken) => Promise<string[]>;
  /** Where nested values are edited. */
  json: JsonEditor;
  token?: vscode.CancellationToken | undefined;
}

const { t } = vscode.l10n;
const declined = Symbol('declined');
const submitted = Symbol('submitted');

/** Returns the values, 'declined', or undefined when the form was dismissed. */
export async function fillIn(form: Form): Promise<JsonObject | 'declined' | undefined> {
  const values: JsonObject = {};
  for (const f of form.fields) {
    const value = form.values[f.name] ?? f.default;
    if (value !== undefined) {
      values[f.name] = value;
    }
  }
  const first = form.fields.filter((f) => form.ask.includes(f.name));
  const review = form.review || form.fields.some((f) => !form.ask.includes(f.name));
  const total = first.length + (review ? 1 : 0);
  for (let i = 0; i < total; ) {
    const f = first[i];
    if (f) {
      const answer = await askField(form, f, values, { step: i + 1, totalSteps: total, back: i > 0 });
      if (answer === undefined) {
        return undefined;
      }
      i += answer === back ? -1 : 1;
      continue;
    }
    const choice = await reviewForm(form, values, { step: total, totalSteps: total, back: first.length > 0 });
    if (choice === undefined) {
      return undefined;
    }
    if (choice === declined) {
      return 'declined';
    }
    if (choice === submitted) {
      break;
    }
    if (choice === back) {
      i--;
    } else {
      await askField(form, choice, values, { back: true });
    }
  }
  return values;
}

interface Place {
  step?: number;
  totalSteps?: number;
  back: boolean;
}

async function reviewForm(
  form: Form,
  values: JsonObject,
  place: Place,
): Promise<Field | Back | typeof submitted | typeof declined | undefined> {
  const missing = form.fields.filter((f) => f.required && values[f.name] === undefined);
  const items: Item<Field | typeof submitted | typeof declined>[] = [];
  if (missing.length === 0) {
    items.push({ label: `$(play) ${form.submit}`, value: submitted, alwaysShow: true });
  }
  if (form.decline) {
    items.push({ label: `$(circle-slash) ${form.decline}`, value: declined, alwaysShow: true });
  }
  if (form.fields.length > 0) {
    items.push({ label: t('Values'), kind: vscode.QuickPickItemKind.Separator });
  }
  for (const f of form.fields) {
    const value = values[f.name];
    const hidden = form.password?.(f) && value !== undefined;
    items.push({
      label: `${value === undefined ? '$(circle-outline)' : '$(circle-filled)'} ${line(f.title, 80)}`,
      description: hidden
        ? '••••••'
        : value === undefined
          ? f.required
            ? t('required')
            : t('left out')
          : line(labelOf(f, value), 120),
      detail: firstLine(f.description, 160),
      value: f,
    });
  }
  return pick<Field | Back | typeof submitted | typeof declined>({
    ...place,
    title: form.title,
    placeholder: missing.length === 0 ? t('Send it, or select a value to change it') : t('Select a value to set it'),
    items,
    token: form.token,
  });
}

/** Asks one field and keeps its answer in values. */
async function askField(
  form: Form,
  f: Field,
  values: JsonObject,
  place: Place,
): Promise<Back | 'answered' | undefined> {
  const frame = { ...place, title: `${form.title}: ${line(f.title, 80)}`, token: form.token };
  const answer = await askValue(form, f, values, frame);
  if (answer === undefined || answer === back) {
    return answer;
  }
  if (answer.value === undefined) {
    delete values[f.name];
  } else {
    values[f.name] = answer.value;
  }
  return 'answered';
}

type Answer = { value: Json | undefined } | Back | undefined;
type FrameOf = Place & { title: string; token: vscode.CancellationToken | undefined };

async function askValue(form: Form, f: Field, values: JsonObject, frame: FrameOf): Promise<Answer> {
  switch (f.kind) {
    case 'boolean':
      return askChoice(f, values[f.name], frame, [
        { value: true, label: 'true' },
        { value: false, label: 'false' },
      ]);
    case 'choice':
      return askChoice(f, values[f.name], frame, f.choices);
    case 'choices':
      return askChoices(f, values[f.name], frame);
    case 'json':
      return askJson(form, f, values[f.name], frame);
    default:
      return askText(form, f, values, frame);
  }
}

function prompt(f: Field): string {
  const parts = [line(f.description, 400)];
  if (typeof f.schema.pattern === 'string') {
    parts.push(t('It must match {0}.', line(f.schema.pattern, 120)));
  }
  if (!f.required) {
    parts.push(t('Leave it empty to leave it out.'));
  }
  return parts.filter((p) => p !== '').join(' ');
}

async function askText(form: Form, f: Field, values: JsonObject, frame: FrameOf): Promise<Answer> {
  const question = {
    ...frame,
    prompt: prompt(f),
    value: shown(values[f.name]),
    password: form.password?.(f) ?? false,
    warning: form.warning?.(f),
    validate: (typed: string) => {
      const r = read(f, typed, t);
      return 'problem' in r ? r.problem : undefined;
    },
  };
  const { propose } = form;
  const typed = await (propose
    ? suggest({ ...question, propose: (value, token) => propose(f, value, values, token) })
    : input(question));
  if (typed === undefined || typed === back) {
    return typed;
  }
  const r = read(f, typed, t);
  return 'problem' in r ? undefined : r;
}

async function askChoice(f: Field, now: Json | undefined, frame: FrameOf, choices: Field['choices']): Promise<Answer> {
  const items: Item<{ value: Json | undefined }>[] = choices.map((c) => ({
    label: line(c.label, 120),
    value: { value: c.value },
  }));
  if (!f.required) {
    items.push({ label: t('(leave it out)'), value: { value: undefined } });
  }
  return pick<{ value: Json | undefined } | Back>({
    ...frame,
    placeholder: line(f.description, 200),
    items,
    active: (v) => v !== back && JSON.stringify(v.value) === JSON.stringify(now),
  });
}

async function askChoices(f: Field, now: Json | undefined, frame: FrameOf): Promise<Answer> {
  const before = Array.isArray(now) ? now.map((v) => JSON.stringify(v)) : [];
  const chosen = await pickMany<Json>({
    ...frame,
    placeholder: line(f.description, 200),
    items: f.choices.map((c) => ({
      label: line(c.label, 120),
      value: c.value,
      picked: before.includes(JSON.stringify(c.value)),
    })),
    check: (count) => checkChoices(f, count, t),
  });
  return Array.isArray(chosen) ? { value: chosen.length === 0 && !f.required ? undefined : chosen } : chosen;
}

async function askJson(form: Form, f: Field, now: Json | undefined, frame: FrameOf): Promise<Answer> {
  const items: Item<'edit' | 'leave'>[] = [
    {
      label: `$(json) ${t('Edit as JSON…')}`,
      detail: t('Save the document to go on, close it to go back.'),
      value: 'edit',
    },
  ];
  if (!f.required) {
    items.push({ label: t('(leave it out)'), value: 'leave' });
  }
  const choice = await pick<'edit' | 'leave' | Back>({ ...frame, placeholder: line(f.description, 200), items });
  if (choice === 'leave') {
    return { value: undefined };
  }
  if (choice !== 'edit') {
    return choice;
  }
  const value = await form.json.edit(f, now, form.schema, frame.token);
  return value === undefined ? back : { value };
}

function labelOf(f: Field, value: Json): string {
  const label = (v: Json) => f.choices.find((c) => JSON.stringify(c.value) === JSON.stringify(v))?.label ?? shown(v);
  return Array.isArray(value) && f.kind === 'choices'
    ? value.map(label).join(', ')
    : isObject(value)
      ? shown(value)
      : label(value);
}
