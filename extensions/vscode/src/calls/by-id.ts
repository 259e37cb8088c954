// Every tool and prompt is a command of VS Code: mcp.tool.<server>.<tool>. The daemon registers
// the commands with the language client, and unregisters those that go. This is what they run.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { isObject } from '../json';
import type { Json } from '../protocol';
import { line } from '../text';
import { call } from './call';

/** Runs the command with this id. The first of args has its arguments. */
export async function callById(ctx: Ctx, id: string, args: unknown[]): Promise<unknown> {
  let command = ctx.catalog.command(id);
  if (!command) {
    await ctx.catalog.refresh(); // its registration may overtake the catalog
    command = ctx.catalog.command(id);
  }
  if (!command) {
    // It is gone; the daemon says so.
    return ctx.client.request('workspace/executeCommand', { command: id, arguments: args });
  }
  const [given] = args as (Json | undefined)[];
  if (given !== undefined && given !== null && !isObject(given)) {
    throw new Error(vscode.l10n.t('The arguments of "{0}" must be an object.', line(id)));
  }
  return call(ctx, command, given ?? undefined);
}
