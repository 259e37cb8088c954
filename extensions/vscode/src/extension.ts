import * as vscode from 'vscode';
import { offerToChat } from './calls/chat';
import { registerCommands } from './commands';
import { Ctx } from './ctx';
import { Announcer } from './questions/announce';
import { Status } from './views/status-bar';
import { ServerTree } from './views/tree';

/** Returns what the tests in a window look into; nothing otherwise. */
export function activate(extension: vscode.ExtensionContext): Ctx | undefined {
  const ctx = new Ctx(extension);
  extension.subscriptions.push(ctx);
  ctx.hold(registerCommands(ctx), new ServerTree(ctx), new Status(ctx), new Announcer(ctx), offerToChat(ctx));
  ctx.start();
  return extension.extensionMode === vscode.ExtensionMode.Test ? ctx : undefined;
}
