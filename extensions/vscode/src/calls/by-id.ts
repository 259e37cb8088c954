// Every tool and prompt is a command of VS Code: mcp.tool.<server>.<tool>. The daemon registers
// them with the language client, which unregisters those that go; what one does when it
// is run is said here.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { isObject } from '../json';
import type { Json } from '../protocol';
import { line } from '../text';
import { call } from './call';

/** Runs the command of that id with the first of args as its arguments. */
export async function callById(ctx: Ctx, id: string, args: unknown[]): Promise<unknown> {
  let command = ctx.catalog.command(id);
  if (!command) {
    await ctx.catalog.refresh(); // the registration may have come first
    command = ctx.catalog.command(id);
  }
  if (!command) {
    // One of the daemon's own.
    return ctx.client.request('workspace/executeCommand', { command: id, arguments: args });
  }
  const [given] = args as (Json | undefined)[];
  if (given !== undefined && given !== null && !isObject(given)) {
    throw new Error(vscode.l10n.t('The arguments of "{0}" must be an object.', line(id)));
  }
  return call(ctx, command, given ?? undefined);
}
