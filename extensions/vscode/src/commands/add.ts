// Editord: Add Server… takes what people have of a server.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import type { ProposeServersResult } from '../protocol';
import { line, message } from '../text';
import { type Item, pickTyped, rows } from '../ui/quick-input';
import { importServers } from './import';
import { looksLikeServer } from './proposals';
import { addProposed, propose } from './propose';
import { searchRegistry } from './search';

const { t } = vscode.l10n;

type Choice = 'clipboard' | 'typed' | 'search' | 'import';

export async function addServer(ctx: Ctx): Promise<void> {
  await ctx.connected();
  const copied = await vscode.env.clipboard.readText();
  const clipboard = looksLikeServer(copied) ? copied : undefined;
  for (let before = { typed: '', problem: '' }; ; ) {
    const answer = await ask(clipboard, before);
    if (!answer) {
      return;
    }
    const { value: choice, typed } = answer;
    if (choice === 'search') {
      return searchRegistry(ctx, typed);
    }
    if (choice === 'import') {
      return importServers(ctx);
    }
    let proposed: ProposeServersResult | undefined;
    try {
      proposed = await propose(ctx, typed.trim() === '' && clipboard ? clipboard : typed);
    } catch (error) {
      before = { typed, problem: message(error) };
      continue;
    }
    return proposed && addProposed(ctx, proposed);
  }
}

interface Before {
  typed: string;
  /** What is wrong with that. */
  problem: string;
}

function ask(clipboard: string | undefined, before: Before): ReturnType<typeof pickTyped<Choice>> {
  return pickTyped<Choice>({
    title: t('Add a server'),
    placeholder: t('npx …, https://…, npm:PKG, pypi:PKG, docker:IMAGE, PUBLISHER/NAME or JSON'),
    value: before.typed,
    pause: 0,
    items: async (typed) => [
      ...first(typed, clipboard),
      ...(typed === before.typed ? rows(t('What is wrong'), before.problem) : []),
      { label: `$(search) ${t('Search the Registry…')}`, value: 'search' },
      { label: `$(cloud-download) ${t('Import from Other Programs…')}`, value: 'import' },
    ],
  });
}

function first(typed: string, clipboard: string | undefined): Item<Choice>[] {
  if (typed.trim() !== '') {
    return [{ label: `$(add) ${line(typed, 120)}`, value: 'typed' }];
  }
  const label = `$(clippy) ${line(clipboard?.trim() ?? '', 80)}`;
  return clipboard ? [{ label, description: t('from the clipboard'), value: 'clipboard' }] : [];
}
