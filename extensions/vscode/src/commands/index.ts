import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { answerQuestion } from '../questions/announce';
import { Details } from '../views/details';
import { addServer } from './add';
import { openConfiguration } from './configuration';
import { importServers } from './import';
import { openResource, openTemplate } from './resource';
import { showRoots } from './roots';
import { copyId, newCall, runPrompt, runTool, runToolOnSelection, showDetails } from './run';
import { searchRegistry } from './search';
import {
  approveServer,
  disableServer,
  enableServer,
  muteServer,
  pasteAddress,
  restartServer,
  reviewTools,
  serverOf,
  servers,
  setLogLevel,
  shareServer,
  showServerConfiguration,
  showServerLog,
  signIn,
  signOut,
  startServer,
  stopServer,
  takeOut,
  unmuteServer,
} from './servers';
import { resetGrants, showStatus } from './show-status';
import { told } from './told';

/** Registers the commands of package.json, and those that only menus and the tree run. */
export function registerCommands(ctx: Ctx): vscode.Disposable {
  const details = new Details(ctx, (action) => void told(ctx, action));
  const commands: Record<string, (...args: never[]) => unknown> = {
    runTool: (node?: unknown) => runTool(ctx, node),
    runToolOnSelection: () => runToolOnSelection(ctx),
    runPrompt: (node?: unknown) => runPrompt(ctx, node),
    newCall: (node?: unknown) => newCall(ctx, node),
    showTool: () => showDetails(ctx, details),
    showDetails: (node?: unknown) => showDetails(ctx, details, node),
    copyId: (node?: unknown) => copyId(ctx, node),
    openResource: () => openResource(ctx),
    openTemplate: (server: string, template: string) => openTemplate(ctx, server, template),
    addServer: () => addServer(ctx),
    searchRegistry: () => searchRegistry(ctx),
    importServers: () => importServers(ctx),
    removeServer: (node?: unknown) => takeOut(ctx, node),
    enableServer: (node?: unknown) => enableServer(ctx, node),
    disableServer: (node?: unknown) => disableServer(ctx, node),
    servers: () => servers(ctx),
    startServer: (node?: unknown) => startServer(ctx, node),
    stopServer: (node?: unknown) => stopServer(ctx, node),
    restartServer: (node?: unknown) => restartServer(ctx, node),
    muteServer: (node?: unknown) => muteServer(ctx, node),
    unmuteServer: (node?: unknown) => unmuteServer(ctx, node),
    showServerLog: (node?: unknown) => showServerLog(ctx, node),
    showServerConfiguration: (node?: unknown) => showServerConfiguration(ctx, node),
    setLogLevel: (node?: unknown) => setLogLevel(ctx, node),
    shareServer: (node?: unknown) => shareServer(ctx, node),
    signIn: (node?: unknown) => signIn(ctx, node),
    signInAgain: (node?: unknown) => signIn(ctx, node),
    signOut: (node?: unknown) => signOut(ctx, node),
    pasteAddress: (name?: unknown) => pasteAddress(ctx, name),
    approveServer: (node?: unknown) => approveServer(ctx, node),
    reviewTools: (node?: unknown) => reviewTools(ctx, node),
    answerQuestion: () => answerQuestion(ctx),
    useValue: (uri?: vscode.Uri) => ctx.documents.use(uri),
    leaveValue: (uri?: vscode.Uri) => ctx.documents.leave(uri),
    allowServer: (uri?: vscode.Uri) => ctx.definitions.decide('allow', uri),
    denyServer: (uri?: vscode.Uri) => ctx.definitions.decide('deny', uri),
    decideLater: (uri?: vscode.Uri) => ctx.definitions.decide('later', uri),
    previousResult: () => ctx.results.act('back'),
    nextResult: () => ctx.results.act('forward'),
    keepResult: () => ctx.results.act('keep'),
    copyResult: () => ctx.results.act('copy'),
    saveResult: () => ctx.results.act('save'),
    insertResult: () => ctx.results.act('insert'),
    replaceWithResult: () => ctx.results.act('replace'),
    showRoots: () => showRoots(ctx),
    showStatus: () => showStatus(ctx),
    openConfiguration: (node?: unknown) => openConfiguration(ctx, serverOf(ctx, node)),
    resetGrants: () => resetGrants(ctx),
    reconnect: () => ctx.client.restart(),
    showLog: () => ctx.log.show(),
  };
  return vscode.Disposable.from(
    details,
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(`mcp-editord.${name}`, (...args: never[]) =>
        told(ctx, async () => {
          const result = await run(...args);
          // Which ticks a step of the walkthrough.
          void vscode.commands.executeCommand('setContext', `mcp-editord.done.${name}`, true);
          return result;
        }),
      ),
    ),
  );
}
