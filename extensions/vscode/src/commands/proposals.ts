// What a person is shown of servers that could be added. Publishers and other programs wrote most of it,
// and nothing of it can begin a line of ours. It needs no window.

import type { FoundServer, ProposedServer, Server } from '../protocol';
import { block, line, oneLine, type Translate } from '../text';
import { wrap } from '../ui/wrap';
import { pathText } from '../views/items';

/** How much of a proposal a dialog shows: a small window has room for it. */
const maxRows = 22;
const rowWidth = 60; // widths of an m

/** A longer text is not taken for a server that somebody has copied. */
const maxCopied = 100_000; // characters

const forms = [
  /^https?:\/\/[^\s/]+\S*$/i,
  /^(npm|pypi|docker):\S+$/,
  /^[\w-]+(\.[\w-]+)+\/[\w.-]+(@\S+)?$/, // PUBLISHER/NAME of the registry
  /^(\S*\/)?(npx|bunx|uvx|(pnpm|yarn) dlx|bun x|(pipx|uv|docker|podman) run|node|python3?|deno run)\s\S/,
  /^[{"][\s\S]*"(mcpServers|servers|command|url)"\s*:/,
];

/** Whether somebody may have copied a text as a server to add: an address, a package, a command line, JSON. */
export function looksLikeServer(text: string): boolean {
  const copied = text.trim();
  return copied.length <= maxCopied && forms.some((form) => form.test(copied));
}

/** Returns all that a person decides on when they add a server. */
export function wholeOf(s: ProposedServer, t: Translate): string {
  const known = s.secrets ?? {};
  const asked = (s.inputs ?? []).filter(({ id }) => !Object.hasOwn(known, id));
  const inputs = (of: typeof asked) => of.map(({ id }) => line(id, 80)).join(', ');
  const kept = (s.inputs ?? []).filter(({ id, password }) => password || Object.hasOwn(known, id));
  const facts = [
    ...(s.state === 'different'
      ? [t('Beware: the file has another server of this name, which this one replaces.')]
      : []),
    'url' in s.definition ? t('Connects to: {0}', exact(s.runs)) : t('Runs: {0}', exact(s.runs)),
    t('From: {0}', line(s.from, 400)),
    ...(asked.length > 0 ? [t('Asks you for: {0}', inputs(asked))] : []),
    ...(kept.length > 0 ? [t('Kept as secrets: {0}', inputs(kept))] : []),
    ...(s.notes ?? []).map((note) => t('Note: {0}', line(note, 600))),
    t('Written to: {0}', pathText(s.file)),
  ];
  const text = block(s.text).replace(/^/gm, '    ');
  return `${facts.join('\n')}\n\n${text}`;
}

/** Whether a dialog shows all of a text. */
export function fits(text: string): boolean {
  return wrap(text, rowWidth).length <= maxRows;
}

/** Returns a text on one line with all its characters, for where VS Code reads nothing in them. */
function exact(text: string): string {
  return block(text).replaceAll('\n', '\\n');
}

/** A row of a list. */
export interface Row {
  label: string;
  description?: string;
  detail?: string;
}

/** Returns a server as one that can be added beside others. */
export function proposedRow(s: ProposedServer, t: Translate): Row {
  const different = s.state === 'different';
  return {
    label: `${different ? '$(warning) ' : ''}${line(s.name, 80)}`,
    description: [line(s.from, 100), different ? t('replaces another server of this name') : '']
      .filter(Boolean)
      .join(' · '),
    detail: [line(s.runs, 300), ...(s.notes ?? []).map((note) => line(note, 300))].join(' · '),
  };
}

/** Returns one of several ways to run the same server. */
export function wayRow(s: ProposedServer): Row {
  return { label: line(s.runs, 200), detail: (s.notes ?? []).map((note) => line(note, 300)).join(' · ') };
}

/** Returns a server of the registry. */
export function foundRow(s: FoundServer, t: Translate): Row {
  const deprecated = s.deprecated === undefined ? '' : t('deprecated: {0}', oneLine(s.deprecated, 200));
  return {
    label: `${deprecated ? '$(warning) ' : ''}${line(s.name, 100)}`,
    description: [s.kinds.map((kind) => line(kind, 20)).join(', '), line(s.version, 30)].filter(Boolean).join(' · '),
    detail: [deprecated, oneLine(s.description, 300)].filter(Boolean).join(' · '),
  };
}

/** How many of the last lines of standard error a message has. Its document has all that the daemon sent. */
const maxSaid = 3;

/** Returns why a server that was tried does not run, on one line. */
export function failureText({ error }: Server, t: Translate): string {
  const said = (error?.stderr ?? []).filter((l) => l.trim() !== '').slice(-maxSaid);
  return [oneLine(error?.message, 400) || t('it does not say why'), ...said.map((l) => line(l.trim(), 200))].join(
    ' · ',
  );
}

/** Returns the same with all that the server wrote last. */
export function failureLog({ error }: Server): string {
  return block([error?.message ?? '', '', ...(error?.stderr ?? [])].join('\n'));
}

/** Returns what a server offers, in a few words. */
export function offersText(tools: number, prompts: number, resources: number, t: Translate): string {
  const all = [
    [tools, t('one tool'), t('{0} tools', tools)],
    [prompts, t('one prompt'), t('{0} prompts', prompts)],
    [resources, t('one resource'), t('{0} resources', resources)],
  ] as const;
  return all.flatMap(([n, one, many]) => (n === 0 ? [] : [n === 1 ? one : many])).join(', ');
}
