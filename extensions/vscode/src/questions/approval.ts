// May a server from a file of the workspace run? The whole definition is shown as a
// document, next to the one that was allowed before when it has changed.

import * as vscode from 'vscode';
import type { Ctx } from '../context';
import { closeTabs } from '../form/json';
import type { ApproveParams, Decision } from '../protocol';
import { line } from '../text';
import { pick, rows } from '../ui';
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

  /** Shows the definition of a question. Disposing takes it off the screen. */
  async show(p: ApproveParams): Promise<{ close: () => Promise<void> }> {
    const file = (which: string, text: string) => {
      const uri = vscode.Uri.from({ scheme, path: `/${p.digest}/${which}/${encodeURIComponent(p.server)}.txt` });
      this.shown.set(uri.path, text);
      return uri;
    };
    const now = file('now', describe(p.server, p.definition, t));
    const before = p.previous && file('before', describe(p.server, p.previous, t));
    if (before) {
      await vscode.commands.executeCommand(
        'vscode.diff',
        before,
        now,
        t('{0}: what was allowed and what is there now', line(p.server, 60)),
        {
          preview: true,
          preserveFocus: true,
        },
      );
    } else {
      await vscode.window.showTextDocument(now, { preview: true, preserveFocus: true });
    }
    return {
      close: async () => {
        await closeTabs(now);
        this.shown.delete(now.path);
        if (before) {
          this.shown.delete(before.path);
        }
      },
    };
  }
}

/** Asks about one server. Dismissing the question decides nothing. */
export async function approve(
  ctx: Ctx,
  p: ApproveParams,
  token: vscode.CancellationToken,
): Promise<{ decision: Decision }> {
  const later = { decision: 'later' as const };
  return ctx.questions.ask(
    async () => {
      const shown = await ctx.definitions.show(p);
      try {
        const decision = await pick<Decision>({
          title:
            p.reason === 'changed'
              ? t('The server {0} of this workspace has changed. May it run?', line(p.server, 60))
              : t('May the server {0} of this workspace run?', line(p.server, 60)),
          placeholder: t(
            'Defined in {0}',
            line(vscode.workspace.asRelativePath(vscode.Uri.parse(p.definition.source)), 200),
          ),
          items: [
            ...rows(p.definition.url ? t('Address') : t('Command'), commandLine(p.definition)),
            ...rows(t('Environment'), (p.definition.env ?? []).join(', ')),
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
          ],
          active: (decision) => decision === 'later',
          token,
        });
        return { decision: decision ?? 'later' };
      } finally {
        await shown.close();
      }
    },
    later,
    token,
  );
}
