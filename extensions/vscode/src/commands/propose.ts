// Has the daemon say what something means as a server. The person sees what would run and what would be written,
// and only then anything starts.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import type { ProposedServer, ProposeServersResult } from '../protocol';
import { line } from '../text';
import { offer } from '../ui/message';
import { pick } from '../ui/quick-input';
import { chooseServers } from './import';
import { wayRow } from './proposals';
import { review, work } from './review';

const { t } = vscode.l10n;

/** Returns what something may mean as a server; undefined when the person has cancelled. */
export function propose(ctx: Ctx, words: string): Promise<ProposeServersResult | undefined> {
  return work(ctx, t('Looking at the server'), 'editord/proposeServers', { words: [words] });
}

/** Adds those of the proposed servers that the person wants. */
export async function addProposed(ctx: Ctx, proposed: ProposeServersResult): Promise<void> {
  for (const problem of proposed.problems ?? []) {
    offer('warning', line(problem, 400), []);
  }
  for (const server of await choose(ctx, proposed)) {
    if (!(await review(ctx, server))) {
      return;
    }
  }
}

async function choose(ctx: Ctx, { servers, choose: one }: ProposeServersResult): Promise<ProposedServer[]> {
  if (servers.length < 2) {
    return servers;
  }
  if (!one) {
    return (await chooseServers(ctx, t('Add servers'), servers)) ?? [];
  }
  const way = await pick<ProposedServer>({
    title: t('Add "{0}"', line(servers[0]?.name ?? '', 60)),
    placeholder: t('Select how to run it; the best way is the first'),
    items: servers.map((value) => ({ ...wayRow(value), value })),
  });
  return way ? [way] : [];
}
