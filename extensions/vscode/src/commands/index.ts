import * as vscode from 'vscode';
import type { Ctx } from '../context';
import { runById } from '../dynamic';
import type { Json } from '../protocol';
import { openConfiguration } from './configuration';
import { openResource, openTemplate } from './resource';
import { showRoots } from './roots';
import { runPrompt, runTool, runToolOnSelection } from './run';
import { approveServer, restartServer, servers, showServerLog, startServer, stopServer } from './servers';
import { resetGrants, showStatus } from './status';

/** Registers the commands of package.json, and those that only menus and items of the tree run. */
export function registerCommands(ctx: Ctx): vscode.Disposable {
  const commands: Record<string, (...args: never[]) => unknown> = {
    runTool: () => runTool(ctx),
    runToolOnSelection: () => runToolOnSelection(ctx),
    runPrompt: () => runPrompt(ctx),
    runCommand: (id: string, args?: Json) => runById(ctx, id, args === undefined ? [] : [args]),
    openResource: () => openResource(ctx),
    openTemplate: (server: string, template: string) => openTemplate(ctx, server, template),
    servers: () => servers(ctx),
    startServer: (node?: unknown) => startServer(ctx, node),
    stopServer: (node?: unknown) => stopServer(ctx, node),
    restartServer: (node?: unknown) => restartServer(ctx, node),
    showServerLog: (node?: unknown) => showServerLog(ctx, node),
    approveServer: (node?: unknown) => approveServer(ctx, node),
    showRoots: () => showRoots(ctx),
    showStatus: () => showStatus(ctx),
    openConfiguration: () => openConfiguration(ctx),
    resetGrants: () => resetGrants(ctx),
    reconnect: () => ctx.client.restart(),
    showLog: () => ctx.log.show(),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`mcp-editord.${name}`, run)),
  );
}
