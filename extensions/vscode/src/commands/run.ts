// Editord: Run Tool…, Run Tool on Selection…, Run Prompt….

import * as vscode from 'vscode';
import { call, fieldsOf, whereAmI } from '../calls/call';
import type { Ctx } from '../ctx';
import type { Command } from '../daemon/catalog';
import { line } from '../text';
import { type Item, pick } from '../ui/quick-input';
import { about, commandDescription, commandHints, commandTitle, findable } from '../views/items';

const { t } = vscode.l10n;

export async function runTool(ctx: Ctx): Promise<string | undefined> {
  const where = whereAmI();
  const command = await choose(ctx, 'tool', t('Run a tool'));
  return command && call(ctx, command, undefined, where);
}

export async function runToolOnSelection(ctx: Ctx): Promise<string | undefined> {
  const where = whereAmI();
  if (where.selectedText === undefined) {
    void vscode.window.showInformationMessage(t('Nothing is selected; select some text first.'));
    return undefined;
  }
  const command = await choose(ctx, 'tool', t('Run a tool on the selection'), (c) =>
    fieldsOf(c).some((f) => f.kind === 'text'),
  );
  return command && call(ctx, command, undefined, where, true);
}

export async function runPrompt(ctx: Ctx): Promise<string | undefined> {
  const where = whereAmI();
  const command = await choose(ctx, 'prompt', t('Run a prompt'));
  return command && call(ctx, command, undefined, where);
}

async function choose(
  ctx: Ctx,
  kind: Command['kind'],
  title: string,
  suits: (c: Command) => boolean = () => true,
): Promise<Command | undefined> {
  await ctx.connected();
  const items: Item<Command>[] = [];
  for (const server of ctx.catalog.servers) {
    const commands = ctx.catalog.commandsOf(server.name, kind).filter(suits);
    if (commands.length > 0) {
      items.push({ label: line(server.name, 80), kind: vscode.QuickPickItemKind.Separator }, ...commands.map(itemOf));
    }
  }
  if (items.length === 0) {
    void vscode.window.showInformationMessage(
      kind === 'tool'
        ? t('No server that is ready offers a suitable tool; "Editord: List Servers…" shows which are ready.')
        : t('No server that is ready offers a prompt; "Editord: List Servers…" shows which are ready.'),
    );
    return undefined;
  }
  return pick<Command>({ title, placeholder: t('Search by name, server or description'), items, find: findable });
}

function itemOf(command: Command): Item<Command> {
  const title = commandTitle(command);
  return {
    label: `$(${command.kind === 'tool' ? 'tools' : 'comment'}) ${line(title ?? command.name, 80)}`,
    description: [commandHints(command, t), line(command.server, 60), title ? line(command.name, 60) : '']
      .filter(Boolean)
      .join(' · '),
    detail: about(commandDescription(command)),
    value: command,
  };
}
