// Runs the daemon's own commands, which its lenses and code actions name. What the extension does in a way of
// its own, it does here too: the person is asked and told as everywhere in VS Code.

import type { Ctx } from '../ctx';
import { isInView } from './configuration';
import { restartServer, showQuestion, showServerLog, signIn, signOut, startServer, stopServer } from './servers';
import { told } from './told';

/** What the extension does for a server itself. `send` has the daemon do it. */
const ours: Record<string, (ctx: Ctx, server: string, send: () => Promise<unknown>) => Promise<unknown>> = {
  'editord.allowServer': allowServer,
  'editord.startServer': startServer,
  'editord.stopServer': stopServer,
  'editord.restartServer': restartServer,
  'editord.showServerLog': showServerLog,
  'editord.showApproval': showQuestion,
  'editord.signIn': signIn,
  'editord.signOut': signOut,
};

/** Whether a command is the daemon's own, and no tool or prompt. */
export function isOfDaemon(id: string): boolean {
  return !/^mcp\.(tool|prompt)\../.test(id);
}

/** Runs a command of the daemon. It says itself why one has failed. */
export function runOfDaemon(ctx: Ctx, id: string, args: unknown[]): Promise<unknown> {
  const { server } = (args[0] ?? {}) as { server?: unknown };
  const mine = ours[id];
  const send = () => ctx.client.request('workspace/executeCommand', { command: id, arguments: args });
  return told(ctx, () => (mine && typeof server === 'string' ? mine(ctx, server, send) : send()));
}

/** Allows a server whose definition is on the screen, and shows all others first. */
async function allowServer(ctx: Ctx, name: string, send: () => Promise<unknown>): Promise<unknown> {
  const server = ctx.catalog.server(name);
  return server && isInView(server) ? send() : showQuestion(ctx, name);
}
