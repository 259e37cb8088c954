// Asks whether to continue a form that was left, or to start over.

import * as vscode from 'vscode';
import { line } from '../text';
import { pick } from '../ui/quick-input';
import { type Draft, type Drafts, told } from './draft';

const { t } = vscode.l10n;

/** Returns the draft to continue, if there is one and the person wants it; undefined when they left the question. */
export async function resumed(
  drafts: Drafts,
  key: string,
  title: string,
): Promise<{ draft: Draft | undefined } | undefined> {
  const draft = drafts.of(key);
  if (!draft) {
    return { draft };
  }
  const choice = await pick<'on' | 'new'>({
    title,
    placeholder: t('What you typed last is still here'),
    items: [
      { label: `$(edit) ${t('Continue Where You Left Off')}`, detail: line(told(draft).join(', '), 160), value: 'on' },
      { label: `$(discard) ${t('Start Over')}`, value: 'new' },
    ],
  });
  return choice && { draft: choice === 'on' ? draft : undefined };
}
