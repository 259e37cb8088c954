// Asks for the values of a form in steps of quick input: the necessary fields one by one, with a way
// back, then a list of all of them before anything is sent. A value that does not fit on one line
// opens in a document. The draft always has everything that was typed, so that the person can leave
// the form in any way and continue there.

import * as vscode from 'vscode';
import { isObject, shown } from '../json';
import type { Json, JsonObject } from '../protocol';
import { firstLine, line } from '../text';
import { type Back, type Button, back, type Item, input, Pressed, pick, pickMany, suggest } from '../ui/quick-input';
import { type Documents, noSchema } from './documents';
import { type Draft, typedText } from './draft';
import { checkChoices, editorSchema, type Field, isLong, read, readJson, skeleton } from './schema';

export interface Form {
  title: string;
  fields: Field[];
  /** The schema of the fields, for the references in nested values. */
  schema: JsonObject | undefined;
  /** What is known already. */
  values: JsonObject;
  /** The names of the fields to ask one by one; the others can be set in the list. */
  ask: string[];
  /** The label of the item that sends the form. */
  submit: string;
  /** Whether to show the list even when nothing is left to set. */
  review: boolean;
  /** Answers other than sending it. Each is an item of the list, and a button in every step. */
  refusals?: readonly Button[];
  /** Whether to hide the characters of a field. */
  password?: (field: Field) => boolean;
  /** What the person should know before answering a field. */
  warning?: (field: Field) => string | undefined;
  /** Proposes values for a field, given what is typed and the other values. */
  propose?: (field: Field, value: string, values: JsonObject, token: vscode.CancellationToken) => Promise<string[]>;
  /** Opens texts of several lines and nested values. */
  documents: Documents;
  /** Where the person left it. */
  draft?: Draft | undefined;
  /** Is called with the draft whenever the person changes it. */
  keep: (draft: Draft) => void;
  token?: vscode.CancellationToken | undefined;
}

const { t } = vscode.l10n;
const submitted = Symbol('submitted');

/** A form and how far it is. */
interface Filling extends Form {
  state: Draft;
}

/** Returns the values, the chosen refusal, or undefined when the person left the form. */
export async function fillIn(form: Form): Promise<JsonObject | Pressed | undefined> {
  const state: Draft = form.draft ?? { values: {}, typed: {} };
  const values: JsonObject = {};
  for (const f of form.fields) {
    const value = form.draft ? state.values[f.name] : (form.values[f.name] ?? f.default);
    if (value !== undefined) {
      values[f.name] = value;
    }
  }
  state.values = values;
  const filling: Filling = { ...form, state };
  const first = form.fields.filter((f) => form.ask.includes(f.name));
  const review = form.review || form.draft !== undefined || first.length < form.fields.length;
  const total = first.length + (review ? 1 : 0);
  let open = form.fields.find((f) => f.name === state.field);
  const left = first.findIndex((f) => values[f.name] === undefined || state.typed[f.name] !== undefined);
  for (let step = !form.draft ? 0 : left < 0 ? first.length : left; step < total; ) {
    const place = { step: step + 1, totalSteps: total, back: step > 0 };
    const f = first[step];
    const asked = f ?? open;
    if (asked) {
      state.field = f ? undefined : asked.name;
      const answer = await askField(filling, asked, f ? place : { back: true });
      if (answer === undefined || answer instanceof Pressed) {
        return answer;
      }
      step += f ? (answer === back ? -1 : 1) : 0;
      open = undefined;
      continue;
    }
    state.field = undefined;
    const choice = await reviewForm(filling, place);
    if (choice === submitted) {
      break;
    }
    if (choice === undefined || choice instanceof Pressed) {
      return choice;
    }
    if (choice === back) {
      step--;
    } else {
      open = choice;
    }
  }
  return values;
}

interface Place {
  step?: number;
  totalSteps?: number;
  back: boolean;
}

async function reviewForm(form: Filling, place: Place): Promise<Field | Back | typeof submitted | Pressed | undefined> {
  const { values } = form.state;
  const missing = form.fields.filter((f) => f.required && values[f.name] === undefined);
  const items: Item<Field | typeof submitted | Pressed>[] = [];
  if (missing.length === 0) {
    items.push({ label: `$(play) ${form.submit}`, value: submitted, alwaysShow: true });
  }
  for (const { id, icon, label } of form.refusals ?? []) {
    items.push({ label: `$(${icon}) ${label}`, value: new Pressed(id), alwaysShow: true });
  }
  if (form.fields.length > 0) {
    items.push({ label: t('Values'), kind: vscode.QuickPickItemKind.Separator });
  }
  for (const f of form.fields) {
    const value = values[f.name];
    items.push({
      label: `${value === undefined ? '$(circle-outline)' : '$(circle-filled)'} ${line(f.title, 80)}`,
      description: descriptionOf(form, f),
      detail: firstLine(f.description, 160),
      value: f,
    });
  }
  return pick<Field | Back | typeof submitted | Pressed>({
    ...place,
    title: form.title,
    placeholder:
      missing.length === 0 ? t('Press Enter to send, or select a value to change it') : t('Select a value to set it'),
    items,
    token: form.token,
  });
}

/** What the list says of a value. */
function descriptionOf(form: Filling, f: Field): string {
  const value = form.state.values[f.name];
  const said =
    value === undefined
      ? f.required
        ? t('required')
        : t('omitted')
      : form.password?.(f)
        ? '••••••'
        : summary(labelOf(f, value));
  return form.state.typed[f.name] === undefined ? said : `${said} · ${t('typed, not used yet')}`;
}

/** Asks for one field and keeps the answer in the draft. */
async function askField(form: Filling, f: Field, place: Place): Promise<Back | Pressed | 'answered' | undefined> {
  const { state } = form;
  const title = `${form.title}: ${line(f.title, 80)}`;
  const answer = await askValue(form, f, { ...place, title, token: form.token, buttons: form.refusals });
  if (answer === undefined || answer === back || answer instanceof Pressed) {
    return answer;
  }
  delete state.typed[f.name];
  if (answer.value === undefined) {
    delete state.values[f.name];
  } else {
    state.values[f.name] = answer.value;
  }
  form.keep(state);
  return 'answered';
}

interface Answered {
  value: Json | undefined;
}
type Answer = Answered | Back | Pressed | undefined;
type FrameOf = Place & {
  title: string;
  token: vscode.CancellationToken | undefined;
  buttons: readonly Button[] | undefined;
};

async function askValue(form: Filling, f: Field, frame: FrameOf): Promise<Answer> {
  switch (f.kind) {
    case 'boolean':
      return askChoice(form, f, frame, [
        { value: true, label: 'true' },
        { value: false, label: 'false' },
      ]);
    case 'choice':
      return askChoice(form, f, frame, f.choices);
    case 'choices':
      return askChoices(form, f, frame);
    case 'json':
      return askDocument(form, f, frame);
    default:
      return askText(form, f, frame);
  }
}

function prompt(f: Field): string {
  const parts = [line(f.description, 400)];
  if (typeof f.schema.pattern === 'string') {
    parts.push(t('It must match {0}.', line(f.schema.pattern, 120)));
  }
  if (!f.required) {
    parts.push(t('Leave it empty to omit it.'));
  }
  return parts.filter((p) => p !== '').join(' ');
}

/** Returns what the person typed into a field, else the text of its value. */
function textOf({ state }: Filling, f: Field): string {
  return typedText(state, f.name) ?? shown(state.values[f.name]);
}

function typed(form: Filling, f: Field, value: Json): void {
  form.state.typed[f.name] = value;
  form.keep(form.state);
}

async function askText(form: Filling, f: Field, frame: FrameOf): Promise<Answer> {
  const value = textOf(form, f);
  const password = form.password?.(f) ?? false;
  // A quick input has one line, and drops line breaks.
  if (!password && (isLong(f) || /[\r\n]/.test(value))) {
    return askDocument(form, f, frame);
  }
  const inDocument = { id: 'document', icon: 'edit', label: t('Edit in a Document') };
  const question = {
    ...frame,
    buttons: [...(password || f.kind !== 'text' ? [] : [inDocument]), ...(frame.buttons ?? [])],
    prompt: prompt(f),
    value,
    password,
    warning: form.warning?.(f),
    changed: (now: string) => typed(form, f, now),
    validate: (now: string) => {
      const r = read(f, now, t);
      return 'problem' in r ? r.problem : undefined;
    },
  };
  const { propose } = form;
  const answer = await (propose
    ? suggest({ ...question, propose: (now, token) => propose(f, now, form.state.values, token) })
    : input(question));
  if (answer instanceof Pressed && answer.button === inDocument.id) {
    return edit(form, f, frame);
  }
  if (answer === undefined || answer === back || answer instanceof Pressed) {
    return answer;
  }
  const r = read(f, answer, t);
  return 'problem' in r ? undefined : r;
}

async function askChoice(form: Filling, f: Field, frame: FrameOf, choices: Field['choices']): Promise<Answer> {
  const now = form.state.values[f.name];
  const items: Item<Answered>[] = choices.map((c) => ({
    label: line(c.label, 120),
    value: { value: c.value },
  }));
  if (!f.required) {
    items.push({ label: t('(omit)'), value: { value: undefined } });
  }
  return pick<Answered | Back | Pressed>({
    ...frame,
    placeholder: line(f.description, 200),
    items,
    active: (v) => v !== back && !(v instanceof Pressed) && JSON.stringify(v.value) === JSON.stringify(now),
  });
}

async function askChoices(form: Filling, f: Field, frame: FrameOf): Promise<Answer> {
  const now = form.state.typed[f.name] ?? form.state.values[f.name];
  const before = Array.isArray(now) ? now.map((v) => JSON.stringify(v)) : [];
  const chosen = await pickMany<Json>({
    ...frame,
    placeholder: line(f.description, 200),
    items: f.choices.map((c) => ({
      label: line(c.label, 120),
      value: c.value,
      picked: before.includes(JSON.stringify(c.value)),
    })),
    changed: (selected) => {
      // VS Code also calls this with the initial selection.
      if (JSON.stringify(selected) !== JSON.stringify(now ?? [])) {
        typed(form, f, selected);
      }
    },
    check: (count) => checkChoices(f, count, t),
  });
  return Array.isArray(chosen) ? { value: chosen.length === 0 && !f.required ? undefined : chosen } : chosen;
}

/** Returns the first text of the document of a field, and what reads the document. */
function documentOf(form: Filling, f: Field): { text: string; read: (text: string) => Answered | { problem: string } } {
  if (f.kind !== 'json') {
    return { text: textOf(form, f), read: (text) => read(f, text, t) };
  }
  const value = form.state.values[f.name] ?? skeleton(f);
  const text = `${JSON.stringify({ $schema: noSchema, [f.name]: value }, undefined, 2)}\n`;
  return { text: typedText(form.state, f.name) ?? text, read: (now) => readJson(f, now, t) };
}

/** Offers to edit a value in a document, or to use the one that is there as it is. */
async function askDocument(form: Filling, f: Field, frame: FrameOf): Promise<Answer> {
  const { text, read } = documentOf(form, f);
  const isTyped = typedText(form.state, f.name) !== undefined;
  const items: Item<Answered | 'edit'>[] = [];
  if (isTyped || form.state.values[f.name] !== undefined) {
    const now = read(text);
    const label = isTyped ? t('Use What You Typed') : t('Use As Is');
    if ('value' in now) {
      items.push({ label: `$(check) ${label}`, detail: summary(shown(now.value)), value: now });
    } else {
      items.push({ label: t('What you typed'), kind: vscode.QuickPickItemKind.Separator });
    }
    items.push({
      label: `$(edit) ${t('Edit in a Document…')}`,
      detail: 'value' in now ? t('Closing the document keeps what you type.') : line(now.problem, 200),
      value: 'edit',
    });
  } else {
    items.push({
      label: `$(edit) ${t('Edit in a Document…')}`,
      detail: t('Closing the document keeps what you type.'),
      value: 'edit',
    });
  }
  if (!f.required) {
    items.push({ label: t('(omit)'), value: { value: undefined } });
  }
  const choice = await pick<Answered | 'edit' | Back | Pressed>({
    ...frame,
    placeholder: line(f.description, 200),
    items,
  });
  return choice === 'edit' ? edit(form, f, frame) : choice;
}

/** Opens a field in a document. When the person closes that, asks for the field again, with what was typed. */
async function edit(form: Filling, f: Field, frame: FrameOf): Promise<Answer> {
  const { text, read } = documentOf(form, f);
  const outcome = await form.documents.edit({
    name: f.name,
    text,
    language: f.kind === 'json' ? 'json' : 'plaintext',
    ...(f.kind === 'json' && { schema: editorSchema(f, form.schema) }),
    read,
    changed: (now) => typed(form, f, now),
    token: frame.token,
  });
  return outcome === 'closed' ? askDocument(form, f, frame) : outcome;
}

/** Returns a value on one line: of several lines their number and the first one. */
function summary(text: string): string {
  const lines = text.replace(/\r?\n$/, '').split(/\r\n|\r|\n/);
  return lines.length > 1 ? `${t('{0} lines', lines.length)}: ${firstLine(text, 100)}` : line(text, 120);
}

function labelOf(f: Field, value: Json): string {
  const label = (v: Json) => f.choices.find((c) => JSON.stringify(c.value) === JSON.stringify(v))?.label ?? shown(v);
  return Array.isArray(value) && f.kind === 'choices'
    ? value.map(label).join(', ')
    : isObject(value)
      ? shown(value)
      : label(value);
}
