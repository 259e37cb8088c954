// May a server from a file of the workspace run? Its exact command is in the question; the
// whole definition can be read, next to the one that was allowed before when it has changed.

import * as vscode from 'vscode';
import type { Ctx } from '../context';
import type { ApproveParams, Decision, Definition } from '../protocol';
import { read } from '../read';
import { line } from '../text';
import { type Item, pick, rows } from '../ui';
import { commandLine, describe } from './definition';

const { t } = vscode.l10n;
const scheme = 'mcp-definition';

/** Serves the documents with definitions. */
export class Definitions implements vscode.TextDocumentContentProvider {
  private readonly shown = new Map<string, string>();

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.shown.get(uri.path) ?? '';
  }

  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  /** Shows the definition of a question until it is closed. */
  async show(p: ApproveParams, token: vscode.CancellationToken): Promise<void> {
    const file = (which: string, definition: Definition) => {
      const uri = vscode.Uri.from({ scheme, path: `/${p.digest}/${which}/${encodeURIComponent(p.server)}.txt` });
      this.shown.set(uri.path, describe(p.server, definition, t));
      return uri;
    };
    const now = file('now', p.definition);
    const before = p.previous && file('before', p.previous);
    const title = t('{0}: what was allowed and what is there now', line(p.server, 60));
    try {
      await read(
        now,
        () =>
          before
            ? vscode.commands.executeCommand('vscode.diff', before, now, title)
            : vscode.window.showTextDocument(now),
        token,
      );
    } finally {
      this.shown.delete(now.path);
      if (before) {
        this.shown.delete(before.path);
      }
    }
  }
}

/** Asks about one server. Dismissing the question decides nothing. */
export async function approve(
  ctx: Ctx,
  p: ApproveParams,
  token: vscode.CancellationToken,
): Promise<{ decision: Decision }> {
  const question = {
    title:
      p.reason === 'changed'
        ? t('The server {0} of this workspace has changed. May it run?', line(p.server, 60))
        : t('May the server {0} of this workspace run?', line(p.server, 60)),
    placeholder: t('Defined in {0}', line(vscode.workspace.asRelativePath(vscode.Uri.parse(p.definition.source)), 200)),
    items: itemsOf(p),
    active: (choice: Decision | 'look') => choice === 'later',
    token,
  };
  const ask = async () => {
    for (;;) {
      const choice = await pick<Decision | 'look'>(question);
      if (choice !== 'look') {
        return { decision: choice ?? 'later' };
      }
      await ctx.definitions.show(p, token);
    }
  };
  return ctx.questions.ask(ask, { decision: 'later' }, token);
}

function itemsOf({ definition, previous }: ApproveParams): Item<Decision | 'look'>[] {
  const command = commandLine(definition);
  const before = previous && commandLine(previous);
  return [
    ...rows(definition.url ? t('Address') : t('Command'), command),
    ...(before && before !== command ? rows(t('Before'), before) : []),
    ...rows(t('Environment'), (definition.env ?? []).join(', ')),
    { label: `$(clock) ${t('Later')}`, detail: t('It does not run, and you are asked again.'), value: 'later' },
    {
      label: `$(check) ${t('Allow')}`,
      detail: t('It runs with your rights, in all your editors, until its definition changes.'),
      value: 'allow',
    },
    {
      label: `$(circle-slash) ${t('Deny')}`,
      detail: t('It does not run, and you are not asked again.'),
      value: 'deny',
    },
    previous
      ? { label: `$(diff) ${t('Look at What Has Changed')}`, value: 'look' }
      : { label: `$(eye) ${t('Look at the Whole Definition')}`, value: 'look' },
  ];
}
