// A form that was left is gone on with, or begun anew: the person says which.

import * as vscode from 'vscode';
import { shown } from '../json';
import { line } from '../text';
import { pick } from '../ui/quick-input';
import type { Draft, Drafts } from './draft';

const { t } = vscode.l10n;

/** Returns the draft to go on with, none when there is none or it is not wanted; undefined when the question was left. */
export async function resumed(
  drafts: Drafts,
  key: string,
  title: string,
  hidden: readonly string[] = [],
): Promise<{ draft: Draft | undefined } | undefined> {
  const draft = drafts.of(key);
  if (!draft) {
    return { draft };
  }
  const values = Object.entries({ ...draft.values, ...draft.typed });
  const detail = values.map(([name, v]) => (hidden.includes(name) ? name : `${name}: ${shown(v)}`)).join(', ');
  const choice = await pick<'on' | 'new'>({
    title,
    placeholder: t('You left this form before you sent it'),
    items: [
      { label: `$(edit) ${t('Continue Where You Left Off')}`, detail: line(detail, 160), value: 'on' },
      { label: `$(discard) ${t('Start Over')}`, value: 'new' },
    ],
  });
  return choice && { draft: choice === 'on' ? draft : undefined };
}
