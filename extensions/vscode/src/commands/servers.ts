// Editord: List Servers…, and what you can do with one: start, stop, restart, mute, approve it, review its
// changed tools, show its log and its definition, set the level of the log, sign in and out, take it out of its
// file, or say there whether it may run.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { chooseLevel } from '../logs/level';
import type { ApproveParams, Server } from '../protocol';
import { decide, review } from '../questions/approval';
import { wantsSignIn } from '../signin/needs';
import { offerSignIn, signInTo } from '../signin/offer';
import { line, oneLine } from '../text';
import { tell } from '../ui/message';
import { type Item, pick, rows } from '../ui/quick-input';
import { hasLevel, isInFile, serverIcon, serverNotes, serverTrouble, sourceText, stateText } from '../views/items';
import { removeServer, setEnabled } from './change';
import { showDefinition } from './configuration';

const { t } = vscode.l10n;

type Action =
  | 'start'
  | 'stop'
  | 'restart'
  | 'approve'
  | 'review'
  | 'signIn'
  | 'signInAgain'
  | 'signOut'
  | 'mute'
  | 'unmute'
  | 'log'
  | 'level'
  | 'configuration'
  | 'share'
  | 'enable'
  | 'disable'
  | 'remove';

/** Lists the servers, then the actions on the chosen one. */
export async function servers(ctx: Ctx): Promise<void> {
  const server = await choose(ctx, t('Manage servers'), () => true);
  if (!server) {
    return;
  }
  const actions = actionsOf(server);
  const action = await pick<Action>({
    title: `${line(server.name, 60)}: ${serverNotes(server, t, ctx.signIns.has(server.name))}`,
    placeholder: t('Select what to do'),
    items: [
      ...rows('', serverTrouble(server)),
      ...actions.map((value) => ({
        label: `$(${actionIcons[value]}) ${actionLabel(value)}`,
        ...(value === 'configuration' && { description: sourceText(server, t) }),
        value,
      })),
    ],
    active: (value) => value === actions[0],
  });
  if (action) {
    await act(ctx, server, action);
  }
}

export async function startServer(ctx: Ctx, node?: unknown): Promise<void> {
  await onServer(ctx, node, 'start');
}

export async function stopServer(ctx: Ctx, node?: unknown): Promise<void> {
  await onServer(ctx, node, 'stop');
}

export async function restartServer(ctx: Ctx, node?: unknown): Promise<void> {
  await onServer(ctx, node, 'restart');
}

export async function muteServer(ctx: Ctx, node?: unknown): Promise<void> {
  await onServer(ctx, node, 'mute');
}

export async function unmuteServer(ctx: Ctx, node?: unknown): Promise<void> {
  await onServer(ctx, node, 'unmute');
}

export async function showServerLog(ctx: Ctx, node?: unknown): Promise<void> {
  await onServer(ctx, node, 'log');
}

export async function showServerConfiguration(ctx: Ctx, node?: unknown): Promise<void> {
  await onServer(ctx, node, 'configuration');
}

export async function setLogLevel(ctx: Ctx, node?: unknown): Promise<void> {
  await onServer(ctx, node, 'level');
}

export async function approveServer(ctx: Ctx, node?: unknown): Promise<void> {
  await onServer(ctx, node, 'approve');
}

/** Shows what a server waits for, in the document where it can be allowed. */
export async function showQuestion(ctx: Ctx, name: string): Promise<void> {
  const server = ctx.catalog.server(name);
  await ask(ctx, name, server?.approval ?? server?.held, review);
}

export async function reviewTools(ctx: Ctx, node?: unknown): Promise<void> {
  const isHeld = (s: Server) => s.held !== undefined;
  const none = t('No server has changed tools that agents wait for.');
  const server = serverOf(ctx, node) ?? (await choose(ctx, t('Review changed tools'), isHeld, none));
  if (server) {
    await act(ctx, server, 'review');
  }
}

export async function signIn(ctx: Ctx, node?: unknown): Promise<void> {
  const server =
    serverOf(ctx, node) ?? (await choose(ctx, t('Sign in'), wantsSignIn, t('No server needs you to sign in.')));
  if (server) {
    await act(ctx, server, 'signIn');
  }
}

export async function signOut(ctx: Ctx, node?: unknown): Promise<void> {
  const isIn = (s: Server) => s.signedIn !== undefined;
  const server =
    serverOf(ctx, node) ?? (await choose(ctx, t('Sign out'), isIn, t('You are not signed in to any server.')));
  if (server) {
    await act(ctx, server, 'signOut');
  }
}

/** Asks where the browser ended, for the sign-in of a server that a message names, or one of this window. */
export async function pasteAddress(ctx: Ctx, name?: unknown): Promise<void> {
  const going = (s: Server) => ctx.signIns.has(s.name);
  const only = ctx.signIns.servers.length === 1 ? ctx.signIns.servers[0] : undefined;
  const server =
    serverOf(ctx, name ?? only) ??
    (await choose(ctx, t('Paste the address'), going, t('You are not signing in to any server in this window.')));
  if (server) {
    await ctx.signIns.paste(server.name);
  }
}

export async function shareServer(ctx: Ctx, node?: unknown): Promise<void> {
  await onServer(ctx, node, 'share');
}

export async function enableServer(ctx: Ctx, node?: unknown): Promise<void> {
  await onServer(ctx, node, 'enable');
}

export async function disableServer(ctx: Ctx, node?: unknown): Promise<void> {
  await onServer(ctx, node, 'disable');
}

export async function takeOut(ctx: Ctx, node?: unknown): Promise<void> {
  await onServer(ctx, node, 'remove');
}

async function onServer(ctx: Ctx, node: unknown, action: Action): Promise<void> {
  const server = serverOf(ctx, node) ?? (await choose(ctx, actionLabel(action), (s) => actionsOf(s).includes(action)));
  if (server) {
    await act(ctx, server, action);
  }
}

/** Returns the server of a node of the tree, or of a name that a keybinding passes. */
export function serverOf(ctx: Ctx, node: unknown): Server | undefined {
  const name = typeof node === 'string' ? node : (node as { server?: Server } | undefined)?.server?.name;
  return name === undefined ? undefined : ctx.catalog.server(name);
}

async function act(ctx: Ctx, server: Server, action: Action): Promise<void> {
  const name = server.name;
  switch (action) {
    case 'log':
      return ctx.logs.show(name);
    case 'configuration':
      return showDefinition(ctx, server);
    case 'level':
      return chooseLevel(ctx.client, name);
    case 'approve':
      return decideOn(ctx, name, server.approval);
    case 'review':
      return decideOn(ctx, name, server.held);
    case 'signIn':
    case 'signInAgain':
      return signInTo(ctx, name);
    case 'signOut':
      ctx.signIns.told.add(name); // that it will need a sign-in is no news
      await ctx.client.request('editord/signOut', { server: name });
      void vscode.window.showInformationMessage(t('Signed out of "{0}" in all your editors.', line(name, 60)));
      return;
    case 'share':
      return (await import('./share')).share(ctx, server); // which few need
    case 'enable':
    case 'disable':
      return setEnabled(ctx, server, action === 'enable');
    case 'remove':
      return removeServer(ctx, server);
    case 'mute':
    case 'unmute':
      await ctx.client.request('editord/muteServer', { server: name, muted: action === 'mute' });
      return;
    default: {
      const done = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Window, title: `Editord: ${line(name, 60)}` },
        () => ctx.client.request(`editord/${action}Server`, { server: name }),
      );
      if (done.state === 'failed') {
        const text = `${line(name, 60)}: ${oneLine(done.error?.message, 400) || stateText(done, t)}`;
        tell('error', text, t('Show Log'), () => ctx.logs.show(name));
      } else if (done.state === 'needsSignIn') {
        offerSignIn(ctx, done);
      }
    }
  }
}

/** Opens the question if it waits, else asks it. The daemon may have none by now. */
async function decideOn(ctx: Ctx, server: string, question: ApproveParams | undefined): Promise<void> {
  const waiting = question && ctx.questions.waiting.find((w) => w.key === question.digest);
  await (waiting ? waiting.open() : ask(ctx, server, question, decide));
}

/** Asks a question whether or not it waits: the daemon withdraws it once there is an answer. */
async function ask(ctx: Ctx, server: string, question: ApproveParams | undefined, how: typeof decide): Promise<void> {
  if (!question) {
    return;
  }
  const source = new vscode.CancellationTokenSource();
  try {
    const decided = await how(ctx, question, source.token);
    if (decided && decided.decision !== 'later') {
      const params = { server, digest: question.digest, ...decided };
      await ctx.client.request('editord/approveServer', params);
    }
  } finally {
    source.dispose();
  }
}

/** Asks for one of the suitable servers. `none` says that there is none. */
export async function choose(
  ctx: Ctx,
  title: string,
  suits: (s: Server) => boolean,
  none = t('No server is in the right state for this; "Editord: List Servers…" shows their states.'),
): Promise<Server | undefined> {
  await ctx.connected();
  const items: Item<Server>[] = ctx.catalog.servers.filter(suits).map((server) => ({
    label: `$(${serverIcon(server).icon}) ${line(server.name, 80)}`,
    description: serverNotes(server, t, ctx.signIns.has(server.name)),
    detail: serverTrouble(server),
    value: server,
  }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(none);
    return undefined;
  }
  return pick<Server>({
    title,
    placeholder: t('Search by name or state'),
    items,
    find: (s) => ({ name: s.name, title: serverNotes(s, t), text: serverTrouble(s) }),
  });
}

function actionsOf(server: Server): Action[] {
  if (server.runBy) {
    return ['share', 'configuration'];
  }
  const toggle: Action = server.state === 'disabled' ? 'enable' : 'disable';
  return [...actionsNow(server), ...(isInFile(server) ? [toggle, 'remove' as const] : [])];
}

function actionsNow(server: Server): Action[] {
  const { state, muted } = server;
  const held: Action[] = server.held ? ['review'] : [];
  const signedIn: Action[] = [
    ...(server.signedIn?.wanted ? (['signInAgain'] as const) : []),
    ...(server.signedIn ? (['signOut'] as const) : []),
  ];
  switch (state) {
    case 'needsApproval':
      return ['approve', 'log', 'configuration'];
    case 'needsSignIn':
      return ['signIn', ...held, 'stop', 'log', 'configuration'];
    case 'stopped':
    case 'failed':
      return [...held, 'start', ...signedIn, 'log', 'configuration'];
    case 'disabled':
      return ['configuration', 'log'];
    default:
      return [
        ...held,
        'restart',
        'stop',
        muted ? 'unmute' : 'mute',
        'log',
        ...(hasLevel(server) ? (['level'] as const) : []),
        ...signedIn,
        'configuration',
      ];
  }
}

function actionLabel(action: Action): string {
  switch (action) {
    case 'start':
      return t('Start Server');
    case 'stop':
      return t('Stop Server');
    case 'restart':
      return t('Restart Server');
    case 'approve':
      return t('Approve Server…');
    case 'review':
      return t('Review Changed Tools…');
    case 'mute':
      return t('Mute Server');
    case 'unmute':
      return t('Unmute Server');
    case 'log':
      return t('Show Server Log');
    case 'configuration':
      return t('Show Server Configuration');
    case 'level':
      return t('Set Log Level…');
    case 'share':
      return t('Share It…');
    case 'enable':
      return t('Enable Server');
    case 'disable':
      return t('Disable Server');
    case 'remove':
      return t('Remove Server…');
    case 'signIn':
      return t('Sign In…');
    case 'signInAgain':
      return t('Sign In Again…');
    case 'signOut':
      return t('Sign Out');
  }
}

const actionIcons: Record<Action, string> = {
  start: 'play',
  stop: 'debug-stop',
  restart: 'debug-restart',
  approve: 'shield',
  review: 'diff',
  mute: 'bell-slash',
  unmute: 'bell',
  log: 'output',
  configuration: 'json',
  level: 'settings',
  share: 'repo-forked',
  enable: 'pass',
  disable: 'circle-slash',
  remove: 'trash',
  signIn: 'sign-in',
  signInAgain: 'sign-in',
  signOut: 'sign-out',
};
