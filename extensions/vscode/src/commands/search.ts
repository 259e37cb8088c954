// Editord: Search Registry… looks for servers while the person types.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { line, message } from '../text';
import { type Item, pickTyped, rows, separator } from '../ui/quick-input';
import { foundRow } from './proposals';
import { addProposed, propose } from './propose';

const { t } = vscode.l10n;

/** A registry is asked once nobody has typed for so long. */
const pause = 300; // ms

/** The shortest word that a registry looks for. */
const shortest = 3; // characters

export async function searchRegistry(ctx: Ctx, value = ''): Promise<void> {
  await ctx.connected();
  const found = await pickTyped<string>({
    title: t('Search the registry'),
    placeholder: t('A word of three characters or more, such as a part of its name'),
    value,
    pause,
    items: (typed, token) => search(ctx, typed, token),
  });
  const proposed = found && (await propose(ctx, found.value));
  if (proposed) {
    await addProposed(ctx, proposed);
  }
}

async function search(ctx: Ctx, typed: string, token: vscode.CancellationToken): Promise<Item<string>[]> {
  const words = typed.split(/\s+/).filter(Boolean);
  if (!words.some((word) => Array.from(word).length >= shortest)) {
    return [];
  }
  try {
    const { servers, registry, next, age } = await ctx.client.request('editord/searchServers', { words }, token);
    const from = [
      line(registry, 80),
      age ? t('it does not answer now; this is {0} hours old', Math.ceil(age / 3600)) : '',
      next ? t('more: add a word') : '',
    ];
    return [
      separator(from.filter(Boolean).join(' · ')),
      ...(servers.length === 0 ? [{ label: t('Nothing matches.') }] : []),
      ...servers.map((server) => ({ ...foundRow(server, t), value: server.name })),
    ];
  } catch (error) {
    return rows(t('It could not be searched'), message(error));
  }
}
