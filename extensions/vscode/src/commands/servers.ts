// Editord: List Servers…, and what you can do with one: start, stop, restart, mute, approve it, show its log
// and its definition, and set the level of the log.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { chooseLevel } from '../logs/level';
import type { Server } from '../protocol';
import { decide } from '../questions/approval';
import { line, oneLine } from '../text';
import { tell } from '../ui/message';
import { type Item, pick, rows } from '../ui/quick-input';
import { hasLevel, serverIcon, serverNotes, serverTrouble, sourceText, stateText } from '../views/items';
import { showDefinition } from './configuration';

const { t } = vscode.l10n;

type Action =
  | 'start'
  | 'stop'
  | 'restart'
  | 'approve'
  | 'mute'
  | 'unmute'
  | 'log'
  | 'level'
  | 'configuration'
  | 'share';

/** Lists the servers, then the actions on the chosen one. */
export async function servers(ctx: Ctx): Promise<void> {
  const server = await choose(ctx, t('Manage servers'), () => true);
  if (!server) {
    return;
  }
  const actions = actionsOf(server);
  const action = await pick<Action>({
    title: `${line(server.name, 60)}: ${serverNotes(server, t)}`,
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

export async function shareServer(ctx: Ctx, node?: unknown): Promise<void> {
  await onServer(ctx, node, 'share');
}

async function onServer(ctx: Ctx, node: unknown, action: Action): Promise<void> {
  const server = serverOf(ctx, node) ?? (await choose(ctx, actionLabel(action), (s) => actionsOf(s).includes(action)));
  if (server) {
    await act(ctx, server, action);
  }
}

/** Returns the server of a node of the tree, or of a name that a keybinding passes. */
function serverOf(ctx: Ctx, node: unknown): Server | undefined {
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
      return approval(ctx, server);
    case 'share':
      return (await import('./share')).share(ctx, server); // which few need
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
        const text = `${line(name, 60)}: ${oneLine(done.error?.message, 400) || stateText(done.state, t)}`;
        tell('error', text, t('Show Log'), () => ctx.logs.show(name));
      }
    }
  }
}

async function approval(ctx: Ctx, server: Server): Promise<void> {
  const question = server.approval;
  if (!question) {
    return;
  }
  const waiting = ctx.questions.waiting.find((w) => w.key === question.digest);
  if (waiting) {
    return waiting.open();
  }
  const source = new vscode.CancellationTokenSource();
  try {
    const decided = await decide(ctx, question, source.token);
    if (decided && decided.decision !== 'later') {
      const params = { server: server.name, digest: question.digest, ...decided };
      await ctx.client.request('editord/approveServer', params);
    }
  } finally {
    source.dispose();
  }
}

/** Asks for one of the suitable servers. */
export async function choose(ctx: Ctx, title: string, suits: (s: Server) => boolean): Promise<Server | undefined> {
  await ctx.connected();
  const items: Item<Server>[] = ctx.catalog.servers.filter(suits).map((server) => ({
    label: `$(${serverIcon(server).icon}) ${line(server.name, 80)}`,
    description: serverNotes(server, t),
    detail: serverTrouble(server),
    value: server,
  }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(
      t('No server is in the right state for this; "Editord: List Servers…" shows their states.'),
    );
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
  const { state, muted } = server;
  if (server.runBy) {
    return ['share', 'configuration'];
  }
  switch (state) {
    case 'needsApproval':
      return ['approve', 'log', 'configuration'];
    case 'stopped':
    case 'failed':
      return ['start', 'log', 'configuration'];
    case 'disabled':
      return ['configuration', 'log'];
    default:
      return [
        'restart',
        'stop',
        muted ? 'unmute' : 'mute',
        'log',
        ...(hasLevel(server) ? (['level'] as const) : []),
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
  }
}

const actionIcons: Record<Action, string> = {
  start: 'play',
  stop: 'debug-stop',
  restart: 'debug-restart',
  approve: 'shield',
  mute: 'bell-slash',
  unmute: 'bell',
  log: 'output',
  configuration: 'json',
  level: 'settings',
  share: 'repo-forked',
};
