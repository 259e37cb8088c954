// Asks for a value on one line, or by a choice.

import * as vscode from 'vscode';
import type { Json } from '../protocol';
import { line } from '../text';
import { back, type Item, input, Pressed, pick, pickMany, suggest } from '../ui/quick-input';
import { askDocument, editAsJson, editDocument, jsonButton } from './ask-document';
import { checkCount, howToType } from './check';
import { asJson, type Filling, type Outcome, type Spot } from './filling';
import type { Choice } from './resolve';
import { type Field, isLong, scalarTypes } from './schema';
import { read, show } from './typed';

const { t } = vscode.l10n;

function prompt(f: Field): string {
  const about = line(f.description, 400);
  const parts = [/[\p{L}\p{N})]$/u.test(about) ? `${about}.` : about, syntax(f)];
  if (typeof f.schema.pattern === 'string') {
    parts.push(t('The text must match {0}.', line(f.schema.pattern, 120)));
  }
  if (!f.required) {
    parts.push(t('Leave it empty to omit it.'));
  } else if (f.nullable) {
    const empty = t('Leave it empty to send null, or type "" for an empty text.');
    parts.push(f.kind === 'string' ? empty : t('Leave it empty to send null.'));
  }
  return parts.filter((p) => p !== '').join(' ');
}

function syntax(f: Field): string {
  switch (f.kind) {
    case 'list':
      return t('Put commas between the values, and quotes around one that has a comma.');
    case 'map':
      return t('Type NAME=VALUE, with commas between several.');
    case 'mixed': {
      const types = scalarTypes(f);
      return types.length === 0 || types.includes('string') ? t('Put quotes around a number to send it as text.') : '';
    }
    default:
      return howToType(f.schema, t);
  }
}

/** Asks for what can be typed: a text, a number, a list or a map. */
export async function askText(filling: Filling, spot: Spot): Promise<Outcome> {
  const { form } = filling;
  const { field } = spot;
  const typed = filling.typed(spot);
  const value = typeof typed === 'string' ? typed : show(field, filling.value(spot));
  const password = form.password?.(field) ?? false;
  // A quick input has one line, and drops line breaks.
  if (!password && /[\r\n]/.test(value)) {
    return askDocument(filling, spot, false);
  }
  const several = field.kind === 'list' || field.kind === 'map' || field.kind === 'union';
  const own = [
    ...(password || !(several || field.kind === 'string')
      ? []
      : [{ id: 'document', icon: 'edit', label: t('Edit in a Document') }]),
    ...(several ? [jsonButton()] : []),
  ];
  const question = {
    ...filling.frame(several ? { ...spot, buttons: [] } : spot, ...own),
    prompt: prompt(field),
    value,
    password,
    warning: form.warning?.(field),
    ...(field.kind === 'list' && { placeholder: t('one, two, "three, with a comma"') }),
    ...(field.kind === 'map' && { placeholder: t('NAME=value, OTHER=value') }),
    changed: (now: string) => filling.type(spot, now),
    validate: (now: string) => {
      const r = read(field, now, t);
      return 'problem' in r ? line(r.problem, 300) : undefined;
    },
  };
  const long = !password && isLong(field);
  const propose = spot.path.length === 1 ? form.propose : undefined;
  const answer = await (propose || long
    ? suggest({
        ...question,
        propose: propose && ((now, token) => propose(field, now, filling.state.values, token)),
        row: long ? { id: 'document', icon: 'edit', label: t('Edit in a Document…') } : undefined,
      })
    : input(question));
  if (answer instanceof Pressed && answer.button === 'document') {
    return editDocument(filling, spot, false);
  }
  if (several && answer instanceof Pressed && answer.button === asJson) {
    const outcome = await editAsJson(filling, spot);
    return outcome === back ? askText(filling, spot) : outcome;
  }
  if (answer === undefined || answer === back || answer instanceof Pressed) {
    return answer;
  }
  const r = read(field, answer, t);
  if ('problem' in r) {
    return undefined;
  }
  filling.set(spot, r.value);
  return 'answered';
}

interface Chosen {
  value: Json | undefined;
}

export async function askChoice(filling: Filling, spot: Spot, choices: readonly Choice[]): Promise<Outcome> {
  const { field } = spot;
  const now = JSON.stringify(filling.value(spot));
  const items: Item<Chosen>[] = choices.map((c) => ({ label: line(c.label, 120), value: { value: c.value } }));
  if (!field.required) {
    items.push({ label: t('(omit)'), value: { value: undefined } });
  }
  const answer = await pick<Chosen>({
    ...filling.frame(spot),
    placeholder: line(field.description, 200),
    items,
    active: (v) => JSON.stringify(v.value) === now,
  });
  if (answer === undefined || answer === back || answer instanceof Pressed) {
    return answer;
  }
  filling.set(spot, (answer as Chosen).value);
  return 'answered';
}

export function askBoolean(filling: Filling, spot: Spot): Promise<Outcome> {
  const choices: Choice[] = [
    { value: true, label: 'true' },
    { value: false, label: 'false' },
  ];
  return askChoice(filling, spot, spot.field.nullable ? [...choices, { value: null, label: 'null' }] : choices);
}

export async function askChoices(filling: Filling, spot: Spot): Promise<Outcome> {
  const { field } = spot;
  const now = filling.typed(spot) ?? filling.value(spot);
  const before = Array.isArray(now) ? now.map((v) => JSON.stringify(v)) : [];
  const chosen = await pickMany<Json>({
    ...filling.frame(spot),
    placeholder: line(field.description, 200),
    items: field.choices.map((c) => ({
      label: line(c.label, 120),
      value: c.value,
      picked: before.includes(JSON.stringify(c.value)),
    })),
    changed: (selected) => {
      // VS Code also calls this with the initial selection.
      if (JSON.stringify(selected) !== JSON.stringify(now ?? [])) {
        filling.type(spot, selected);
      }
    },
    check: (count) => checkCount(count, field.schema, t),
  });
  if (Array.isArray(chosen)) {
    filling.set(spot, chosen.length === 0 && !field.required ? undefined : chosen);
    return 'answered';
  }
  return chosen;
}
