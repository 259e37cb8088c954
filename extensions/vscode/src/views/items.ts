// Words for servers and what they offer. It makes the texts of servers harmless.

import type { Server, ServerState, Tool } from '../protocol';
import { firstLine, line, type Translate } from '../text';

/** The icon of each state, and its colour in VS Code's themes. */
export const icons: Record<ServerState, { icon: string; color?: string }> = {
  ready: { icon: 'circle-filled', color: 'testing.iconPassed' },
  starting: { icon: 'sync~spin' },
  restarting: { icon: 'sync~spin', color: 'list.warningForeground' },
  needsApproval: { icon: 'shield', color: 'list.warningForeground' },
  needsSignIn: { icon: 'key', color: 'list.warningForeground' },
  failed: { icon: 'error', color: 'list.errorForeground' },
  stopped: { icon: 'circle-outline' },
  disabled: { icon: 'circle-slash', color: 'disabledForeground' },
};

// The worst first.
const order: ServerState[] = [
  'failed',
  'needsApproval',
  'needsSignIn',
  'restarting',
  'starting',
  'ready',
  'stopped',
  'disabled',
];

/** Returns the worst state of the servers, undefined when there are none. */
export function worst(servers: readonly Server[]): ServerState | undefined {
  return order.find((state) => servers.some((s) => s.state === state));
}

export function stateText(state: ServerState, t: Translate): string {
  switch (state) {
    case 'ready':
      return t('ready');
    case 'starting':
      return t('starting');
    case 'restarting':
      return t('restarting');
    case 'needsApproval':
      return t('needs approval');
    case 'needsSignIn':
      return t('needs sign-in');
    case 'failed':
      return t('failed');
    case 'stopped':
      return t('stopped');
    case 'disabled':
      return t('disabled');
    default:
      return line(state, 40);
  }
}

/** Returns the state of a server and what is unusual about it, in a few words. */
export function serverNotes(s: Server, t: Translate): string {
  const notes = [s.error?.kind === 'denied' ? t('denied') : stateText(s.state, t)];
  if (s.muted) {
    notes.push(t('muted'));
  }
  if (s.problems) {
    notes.push(t('problems: {0}', s.problems.length));
  }
  return notes.join(', ');
}

/** Returns several lines about a server. */
export function serverTooltip(s: Server, t: Translate): string {
  const lines = [`${line(s.name, 100)}: ${stateText(s.state, t)}`];
  if (s.error) {
    lines.push(line(s.error.message, 400));
  }
  for (const problem of s.problems ?? []) {
    lines.push(t('Problem: {0}', line(problem, 600)));
  }
  if (s.muted) {
    lines.push(t('Muted: its questions are refused without asking you.'));
  }
  const info = [s.serverInfo?.title ?? s.serverInfo?.name, s.serverInfo?.version].filter(Boolean).join(' ');
  if (info) {
    lines.push(t('Server: {0}', line(info, 120)));
  }
  lines.push(t('Shared by: {0}', scopeText(s.scope, t)), t('Defined in: {0}', line(s.source, 300)));
  if (s.pid) {
    lines.push(t('Process: {0}', s.pid));
  }
  if (s.protocolVersion) {
    lines.push(t('MCP version: {0}', line(s.protocolVersion, 20)));
  }
  for (const source of s.shadowed ?? []) {
    lines.push(t('Ignored definition: {0}', line(source, 300)));
  }
  return lines.join('\n');
}

function scopeText(scope: Server['scope'], t: Translate): string {
  switch (scope) {
    case 'session':
      return t('this window only');
    case 'user':
      return t('all editors');
    default:
      return t('editors on the same folders');
  }
}

/** Returns what a server says of its tool. Nothing depends on it. */
export function hints(tool: Tool, t: Translate): string {
  const a = tool.annotations ?? {};
  const said: string[] = [];
  if (a.readOnlyHint) {
    said.push(t('read-only'));
  } else if (a.destructiveHint) {
    said.push(t('destructive'));
  }
  if (a.openWorldHint) {
    said.push(t('reaches external systems'));
  }
  return said.join(', ');
}

/** Returns one line about a tool, a prompt or a resource. */
export function about(description: string | undefined): string {
  return firstLine(description, 200);
}
