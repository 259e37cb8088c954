// Words for servers and what they offer. It makes the texts of servers harmless.

import { fileURLToPath } from 'node:url';
import type { Command } from '../daemon/catalog';
import type { Server, ServerError, ServerState, SignedInKept, Tool } from '../protocol';
import { whySignIn } from '../signin/needs';
import { line, oneLine, type Translate } from '../text';
import type { Findable } from '../ui/search';

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

/** Returns the icon of a server: a warning when it runs and something is wrong. */
export function serverIcon(s: Server): { icon: string; color?: string } {
  if (s.waitsFor) {
    return { icon: 'question', color: 'list.warningForeground' };
  }
  const troubled = s.state === 'ready' && s.problems !== undefined;
  return troubled ? { icon: 'warning', color: 'list.warningForeground' } : (icons[s.state] ?? { icon: 'question' });
}

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

export function stateText({ state, waitsFor }: Server, t: Translate): string {
  switch (state) {
    case 'ready':
      return t('ready');
    case 'starting':
      return waitsFor ? t('waits for your answer') : t('starting');
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

/** Returns the state of a server, or what else it waits for: another client, or a sign-in, of which `here` says that it is this window's. */
function serverState(s: Server, t: Translate, here: boolean): string {
  if (s.state === 'needsSignIn' && (here || s.signIn)) {
    return here ? t('signing in…') : t('signing in elsewhere…');
  }
  return s.runBy ? t('run by {0}', line(s.runBy, 40)) : stateText(s, t);
}

/** Returns the state of a server and what is unusual about it, in a few words. `here`: this window signs in to it. */
export function serverNotes(s: Server, t: Translate, here = false): string {
  const notes = [s.error?.kind === 'denied' ? t('denied') : serverState(s, t, here)];
  if (s.signedIn?.wanted) {
    notes.push(t('needs more permissions'));
  }
  if (s.held) {
    notes.push(s.heldDenied ? t('changed tools denied') : t('tools changed: review'));
  }
  if (s.muted) {
    notes.push(t('muted'));
  }
  if (s.problems) {
    notes.push(s.problems.length === 1 ? t('one problem') : t('{0} problems', s.problems.length));
  }
  return notes.join(', ');
}

/** Returns the same, and why the server does not run. */
export function serverSummary(s: Server, t: Translate, here = false): string {
  const reason = s.state === 'failed' || s.state === 'restarting' ? oneLine(s.error?.message, 200) : '';
  return [serverNotes(s, t, here), reason].filter(Boolean).join(': ');
}

/** Returns the most important thing that is wrong with a server, or ''. */
export function serverTrouble(s: Server): string {
  return oneLine(s.error ? errorText(s.error) : s.problems?.[0], 600);
}

/** Returns what an error says, without advice that the view has a button for. */
function errorText({ kind, message }: ServerError): string {
  return kind === 'signInNeeded' ? whySignIn(message) : message;
}

/** How many of the last lines of standard error a tooltip shows. The log has all of them. */
const maxSaid = 5;

/** Returns several lines about a server. */
export function serverTooltip(s: Server, t: Translate, here = false): string {
  const lines = [`${line(s.name, 100)}: ${serverState(s, t, here)}`];
  if (s.runBy) {
    lines.push(t('Your other editors do not share it. Share it to run it once for all of them.'));
  }
  if (s.error) {
    lines.push(oneLine(errorText(s.error), 400));
    const said = s.error.stderr?.filter((l) => l.trim() !== '').slice(-maxSaid) ?? [];
    if (said.length > 0) {
      lines.push(t('Its last output:'), ...said.map((l) => `    ${line(l, 200)}`));
    }
  }
  for (const problem of s.problems ?? []) {
    lines.push(t('Problem: {0}', line(problem, 600)));
  }
  if (s.held) {
    const names = line((s.held.tools ?? []).map((tool) => tool.name).join(', '), 400);
    lines.push(
      s.heldDenied
        ? t('Tools that have changed: {0}. You denied them to agents; review them to decide otherwise.', names)
        : t('Tools that have changed: {0}. Agents get them again once you have reviewed that.', names),
    );
  }
  lines.push(...signInText(s, t));
  if (s.muted) {
    lines.push(t('Muted: its questions are refused without asking you.'));
  }
  const info = [s.serverInfo?.title ?? s.serverInfo?.name, s.serverInfo?.version].filter(Boolean).join(' ');
  if (info) {
    lines.push(t('Server: {0}', line(info, 120)));
  }
  lines.push(t('Shared by: {0}', scopeText(s.scope, t)), sourceText(s, t));
  if (s.pid) {
    lines.push(t('Process: {0}', s.pid));
  }
  if (s.protocolVersion) {
    lines.push(t('MCP version: {0}', line(s.protocolVersion, 20)));
  }
  for (const source of s.shadowed ?? []) {
    lines.push(t('Ignored definition: {0}', pathText(source)));
  }
  return lines.join('\n');
}

/** Says, in lines, what came of signing in to a server. */
function signInText({ signedIn }: Server, t: Translate): string[] {
  if (!signedIn) {
    return [];
  }
  const { issuer, scopes, wanted, kept } = signedIn;
  const host = URL.canParse(issuer) ? new URL(issuer).host : issuer;
  return [
    t('Signed in at: {0}', line(host, 200)),
    ...(scopes?.length ? [t('Permissions: {0}', line(scopes.join(' '), 400))] : []),
    ...(wanted
      ? [t('Permissions that it needs as well: {0}. Sign in again to give them.', line(wanted.join(' '), 400))]
      : []),
    t('The sign-in is kept in: {0}', keptText(kept, t)),
  ];
}

function keptText(kept: SignedInKept, t: Translate): string {
  switch (kept) {
    case 'keyring':
      return t('the keyring of the system');
    case 'file':
      return t('a file that only you can read');
    case 'memory':
      return t('memory only, until the daemon ends');
    default:
      return line(kept, 40);
  }
}

/** Says where the definition of a server comes from. */
export function sourceText(s: Server, t: Translate): string {
  switch (s.source) {
    case 'builtin':
      return t('Built into mcp-editord.');
    case 'editor':
      return t('Defined in the setting "mcp-editord.servers".');
    default:
      return t('Defined in: {0}', pathText(s.source));
  }
}

/** Whether a file defines a server, which the daemon can change. */
export function isInFile({ source, runBy }: Server): boolean {
  return source.startsWith('file:') && runBy === undefined;
}

/** Returns the path of a file: URI, as far as it has one. */
export function pathText(uri: string): string {
  try {
    return line(fileURLToPath(uri), 300);
  } catch {
    return line(uri, 300);
  }
}

/** Whether the level of a server's log can be set: it must declare logging (MCP 2025-11-25, Logging, Capabilities). */
export function hasLevel({ state, capabilities }: Server): boolean {
  return state === 'ready' && capabilities?.logging !== undefined;
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

/** Returns what a server says of a tool; nothing of a prompt. */
export function commandHints(c: Command, t: Translate): string {
  return c.kind === 'tool' ? hints(c.tool, t) : '';
}

/** Returns the title of a tool or a prompt, as its server wrote it. */
export function commandTitle(c: Command): string | undefined {
  return (c.kind === 'tool' ? c.tool.title || c.tool.annotations?.title : c.prompt.title) || undefined;
}

/** Returns the description of a tool or a prompt, as its server wrote it. */
export function commandDescription(c: Command): string | undefined {
  return c.kind === 'tool' ? c.tool.description : c.prompt.description;
}

/** Returns what a tool or a prompt is found by. */
export function findable(c: Command): Findable {
  return { name: c.name, title: commandTitle(c), server: c.server, text: commandDescription(c) };
}

/** Returns several lines about a tool or a prompt. */
export function commandTooltip(c: Command, t: Translate): string {
  return [line(c.name, 120), commandHints(c, t), about(commandDescription(c), 600)].filter(Boolean).join('\n');
}

/** Returns a description on one line. */
export function about(description: string | undefined, max = 200): string {
  return oneLine(description, max);
}
