// Editord: Import Servers… takes servers from the files of other programs. They run there already, so they are
// written without being tried.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import type { ProposedServer } from '../protocol';
import { block, line, message } from '../text';
import { offer } from '../ui/message';
import { Pressed, pickMany } from '../ui/quick-input';
import { proposedRow, wholeOf } from './proposals';
import { look, send, work } from './review';

const { t } = vscode.l10n;

export async function importServers(ctx: Ctx): Promise<void> {
  await ctx.connected();
  const title = t('Import servers of other programs');
  const proposed = await work(ctx, title, 'editord/proposeServers', { from: 'all' });
  if (!proposed) {
    return;
  }
  const problems = (proposed.problems ?? []).map((problem) => line(problem, 600));
  if (problems.length > 0) {
    offer('warning', t('{0} servers or files of other programs could not be read.', problems.length), [
      [t('Show Details'), () => ctx.results.document('import', problems.join('\n'), 'plaintext')],
    ]);
  }
  const chosen = await chooseServers(ctx, title, proposed.servers);
  if (chosen) {
    await write(ctx, chosen);
  }
}

/** Asks for servers: the new ones, unless the person wants others. */
export async function chooseServers(
  ctx: Ctx,
  title: string,
  servers: ProposedServer[],
): Promise<ProposedServer[] | undefined> {
  const all = servers.filter(({ state }) => state !== 'same');
  if (all.length === 0) {
    offer('information', t('There is no server that is not in your mcp.json already.'), []);
    return undefined;
  }
  let picked = all.filter(({ state }) => state === 'new');
  for (;;) {
    const answer = await pickMany<ProposedServer>({
      title,
      placeholder: t('Select the servers to write into your mcp.json'),
      items: all.map((value) => ({ ...proposedRow(value, t), value, picked: picked.includes(value) })),
      buttons: [{ id: 'look', icon: 'eye', label: t('Show All') }],
      check: (count) => (count === 0 ? t('select one') : undefined),
      changed: (selected) => {
        picked = selected;
      },
    });
    if (!(answer instanceof Pressed)) {
      return Array.isArray(answer) ? answer : undefined;
    }
    await look(ctx, 'import', all.map((server) => `${block(server.name)}\n\n${wholeOf(server, t)}`).join('\n\n\n'));
  }
}

async function write(ctx: Ctx, servers: ProposedServer[]): Promise<void> {
  const failed: string[] = [];
  for (const server of servers) {
    try {
      const params = { server, replace: server.state === 'different', trusted: true };
      if (!(await send(ctx, params))) {
        return; // the person gave up
      }
    } catch (error) {
      failed.push(`${line(server.name, 60)}: ${line(message(error), 300)}`);
    }
  }
  if (failed.length > 0) {
    offer('error', t('Not all servers were imported: {0}', failed.join('; ')), []);
    return;
  }
  const text = servers.length === 1 ? t('One server is imported.') : t('{0} servers are imported.', servers.length);
  offer('information', text, [
    [t('Run Tool…'), () => vscode.commands.executeCommand('mcp-editord.runTool')],
    [t('Open Configuration'), () => vscode.commands.executeCommand('mcp-editord.openConfiguration')],
  ]);
}
