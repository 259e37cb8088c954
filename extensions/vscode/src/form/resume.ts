// Asks whether to continue a form that was left, or to start over.

import * as vscode from 'vscode';
import { shown } from '../json';
import { line } from '../text';
import { pick } from '../ui/quick-input';
import { type Draft, type Drafts, withoutSecrets } from './draft';

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
  const { values, typed } = withoutSecrets(draft);
  const detail = Object.entries({ ...values, ...typed })
    .map(([name, v]) => `${name.replace(/~json$/, '')}: ${shown(v)}`)
    .join(', ');
  const choice = await pick<'on' | 'new'>({
    title,
    placeholder: t('What you typed last is still here'),
    items: [
      { label: `$(edit) ${t('Continue Where You Left Off')}`, detail: line(detail, 160), value: 'on' },
      { label: `$(discard) ${t('Start Over')}`, value: 'new' },
    ],
  });
  return choice && { draft: choice === 'on' ? draft : undefined };
}
