// Editord: Run Tool…, Run Tool on Selection…, Run Prompt…, New Call…, Show Tool or Prompt…, and what the tree does
// with a tool or a prompt.

import * as vscode from 'vscode';
import { call, fieldsOf, whereAmI } from '../calls/call';
import { openCall } from '../calls/document';
import type { Ctx } from '../ctx';
import type { Command } from '../daemon/catalog';
import { line } from '../text';
import { copy } from '../ui/message';
import { type Item, pick } from '../ui/quick-input';
import type { Details } from '../views/details';
import { about, commandDescription, commandHints, commandTitle, findable } from '../views/items';

const { t } = vscode.l10n;

/** Runs the tool of a node of the tree, or one that the person chooses. */
export async function runTool(ctx: Ctx, node?: unknown): Promise<string | undefined> {
  const where = whereAmI();
  const command = commandOf(ctx, node) ?? (await choose(ctx, ['tool'], t('Run a tool')));
  return command && call(ctx, command, undefined, where);
}

/** Runs a tool of a server. */
export async function runToolOf(ctx: Ctx, server: string): Promise<void> {
  const where = whereAmI();
  const command = await choose(ctx, ['tool'], t('Run a tool'), (c) => c.server === server);
  if (command) {
    await call(ctx, command, undefined, where);
  }
}

export async function runToolOnSelection(ctx: Ctx): Promise<string | undefined> {
  const where = whereAmI();
  if (where.selectedText === undefined) {
    void vscode.window.showInformationMessage(t('Nothing is selected; select some text first.'));
    return undefined;
  }
  const command = await choose(ctx, ['tool'], t('Run a tool on the selection'), (c) =>
    fieldsOf(c).some((f) => f.kind === 'string'),
  );
  return command && call(ctx, command, undefined, where);
}

/** Runs the prompt of a node of the tree, or one that the person chooses. */
export async function runPrompt(ctx: Ctx, node?: unknown): Promise<string | undefined> {
  const where = whereAmI();
  const command = commandOf(ctx, node) ?? (await choose(ctx, ['prompt'], t('Run a prompt')));
  return command && call(ctx, command, undefined, where);
}

/** Opens a call document with the tool or the prompt of a node of the tree, or one that the person chooses. */
export async function newCall(ctx: Ctx, node?: unknown): Promise<void> {
  const where = whereAmI();
  const command = commandOf(ctx, node) ?? (await choose(ctx, ['tool', 'prompt'], t('Write a call')));
  if (command) {
    await openCall(ctx, command, {}, where);
  }
}

/** Shows what a tool or a prompt does. */
export async function showDetails(ctx: Ctx, details: Details, node?: unknown): Promise<void> {
  const command = commandOf(ctx, node) ?? (await choose(ctx, ['tool', 'prompt'], t('Show a tool or a prompt')));
  if (command) {
    details.show(command);
  }
}

/** Copies the id of the tool or the prompt of a node, for keybindings.json and tasks.json. */
export async function copyId(ctx: Ctx, node?: unknown): Promise<void> {
  const command = commandOf(ctx, node);
  if (command) {
    await copy(command.id);
  }
}

/** Returns the command of a node of the tree, or of an id that the tree or a keybinding passes. */
function commandOf(ctx: Ctx, node: unknown): Command | undefined {
  const id = typeof node === 'string' ? node : (node as { command?: { id?: string } } | undefined)?.command?.id;
  return id === undefined ? undefined : ctx.catalog.command(id);
}

async function choose(
  ctx: Ctx,
  kinds: Command['kind'][],
  title: string,
  suits: (c: Command) => boolean = () => true,
): Promise<Command | undefined> {
  await ctx.connected();
  const items: Item<Command>[] = [];
  for (const server of ctx.catalog.servers) {
    const commands = kinds.flatMap((kind) => ctx.catalog.commandsOf(server.name, kind)).filter(suits);
    if (commands.length > 0) {
      items.push({ label: line(server.name, 80), kind: vscode.QuickPickItemKind.Separator }, ...commands.map(itemOf));
    }
  }
  if (items.length === 0) {
    void vscode.window.showInformationMessage(
      kinds.includes('tool')
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
