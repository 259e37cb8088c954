// Asks for a value in a document: a text of several lines, or JSON with its schema.

import * as vscode from 'vscode';
import { shown } from '../json';
import type { Json } from '../protocol';
import { firstLine, line } from '../text';
import { type Back, back, type Item, Pressed, pick } from '../ui/quick-input';
import { noSchema } from './documents';
import { asJson, type Filling, type Outcome, type Spot } from './filling';
import { editorSchema, readJson, skeleton } from './skeleton';
import { read, show } from './typed';

const { t } = vscode.l10n;

type Read = { value: Json | undefined } | { problem: string };

interface Document {
  text: string;
  json: boolean;
  read: (text: string) => Read;
}

export function jsonButton(label = t('Edit as JSON')) {
  return { id: asJson, icon: 'json', label };
}

/** Returns the document of a value: as JSON, or as the text that a person types. */
function documentOf(filling: Filling, spot: Spot, json: boolean): Document {
  const { field } = spot;
  const typed = filling.typed(spot, json);
  const value = filling.value(spot);
  if (!json) {
    return { json, text: typeof typed === 'string' ? typed : show(field, value), read: (text) => read(field, text, t) };
  }
  const text = `${JSON.stringify({ $schema: noSchema, [field.name]: value === undefined ? skeleton(field) : value }, undefined, 2)}\n`;
  return { json, text: typeof typed === 'string' ? typed : text, read: (now) => readJson(field, now, t) };
}

/** Offers to edit a value in a document, or to use the one that is there as it is. */
export async function askDocument(filling: Filling, spot: Spot, json: boolean): Promise<Outcome> {
  const { field } = spot;
  const { text, read } = documentOf(filling, spot, json);
  const isTyped = typeof filling.typed(spot, json) === 'string';
  const items: Item<'use' | 'edit' | 'omit'>[] = [];
  const edit = { label: `$(edit) ${t('Edit in a Document…')}`, value: 'edit' as const };
  const keeps = t('Closing the document keeps what you type.');
  const now = isTyped || filling.value(spot) !== undefined ? read(text) : undefined;
  if (now && 'problem' in now) {
    items.push({ label: t('What you typed'), kind: vscode.QuickPickItemKind.Separator });
    items.push({ ...edit, detail: line(now.problem, 200) });
  } else {
    if (now) {
      const label = isTyped ? t('Use What You Typed') : t('Use As Is');
      items.push({ label: `$(check) ${label}`, detail: summary(shown(now.value)), value: 'use' });
    }
    items.push({ ...edit, detail: keeps });
  }
  if (!field.required) {
    items.push({ label: t('(omit)'), value: 'omit' });
  }
  const choice = await pick<'use' | 'edit' | 'omit'>({
    ...filling.frame(spot),
    placeholder: line(field.description, 200),
    items,
  });
  if (choice === 'edit') {
    return editDocument(filling, spot, json);
  }
  if (choice === undefined || choice === back || choice instanceof Pressed) {
    return choice;
  }
  filling.set(spot, choice === 'use' && now && 'value' in now ? now.value : undefined, json);
  return 'answered';
}

/** Opens a value in a document. When the person closes that, asks what to do with what was typed. */
export async function editDocument(filling: Filling, spot: Spot, json: boolean): Promise<Outcome> {
  const { text, read } = documentOf(filling, spot, json);
  const outcome = await filling.form.documents.edit({
    name: spot.field.name,
    text,
    language: json ? 'json' : 'plaintext',
    ...(json && { schema: editorSchema(spot.field) }),
    read,
    changed: (now) => filling.type(spot, now, json),
    token: filling.form.token,
  });
  if (outcome === 'closed') {
    const hasForm = json && spot.field.kind !== 'json';
    return hasForm && filling.typed(spot, json) === undefined ? back : askDocument(filling, spot, json);
  }
  if (outcome) {
    filling.set(spot, outcome.value, json);
    return 'answered';
  }
  return undefined;
}

/**
 * Edits a value that has a form as JSON instead. Returns back when the person wants the form again, and
 * 'answered' when the value has changed, which the form then shows.
 */
export async function editAsJson(filling: Filling, spot: Spot): Promise<Outcome | Back> {
  const inner = { ...spot, place: { back: true }, buttons: [] };
  return typeof filling.typed(spot, true) === 'string'
    ? askDocument(filling, inner, true)
    : editDocument(filling, inner, true);
}

/** Returns a value on one line: of several lines their number and the first one. */
export function summary(text: string): string {
  const lines = text.replace(/\r?\n$/, '').split(/\r\n|\r|\n/);
  return lines.length > 1 ? `${t('{0} lines', lines.length)}: ${firstLine(text, 100)}` : line(text, 120);
}
