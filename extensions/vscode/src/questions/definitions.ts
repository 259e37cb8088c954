// Shows the whole of a question of the daemon, such as a definition, in a document, beside what was
// decided on before. The person answers there: at the end of the text, or in the title of the editor.

import * as vscode from 'vscode';
import type { ApproveParams, Decision } from '../protocol';
import { block } from '../text';
import { closeTabs } from '../ui/read';

const { t } = vscode.l10n;
const scheme = 'mcp-approval';

export interface Decided {
  decision: Decision;
}

interface Shown {
  now: vscode.Uri;
  /** The text by the path of its document. */
  texts: Map<string, string>;
  /** Whether its end has been on the screen. Nothing can be allowed before. */
  seen: boolean;
  done: (decided: Decided | undefined) => void;
}

export class Definitions implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable {
  /** By the first part of the path. */
  private readonly shown = new Map<string, Shown>();
  private readonly held: vscode.Disposable[];
  private last = 0;

  constructor() {
    this.held = [
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.languages.registerCodeLensProvider({ scheme }, this),
      vscode.window.onDidChangeTextEditorVisibleRanges(() => this.look()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.look()),
      vscode.window.onDidChangeActiveTextEditor(() => this.look()),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const { input } of closed) {
          const uri =
            input instanceof vscode.TabInputText
              ? input.uri
              : input instanceof vscode.TabInputTextDiff
                ? input.modified
                : undefined;
          this.of(uri)?.done(undefined);
        }
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.held).dispose();
  }

  /** Shows the whole of a question. Returns undefined when the person closed the document, which decides nothing. */
  async show(p: ApproveParams, title: string, token: vscode.CancellationToken): Promise<Decided | undefined> {
    const id = String(++this.last);
    const texts = new Map<string, string>();
    const file = (which: string, text: string) => {
      const path = `/${id}/${which}/${encodeURIComponent(p.server)}.txt`;
      texts.set(path, `${title}\n\n${block(text)}\n`);
      return vscode.Uri.from({ scheme, path });
    };
    const now = file('now', p.text.whole);
    const before = p.text.before === undefined ? undefined : file('before', p.text.before);
    const held: vscode.Disposable[] = [];
    try {
      const decided = new Promise<Decided | undefined>((done) => {
        this.shown.set(id, { now, texts, seen: false, done });
        held.push(token.onCancellationRequested(() => done(undefined)));
      });
      await (before
        ? vscode.commands.executeCommand('vscode.diff', before, now, title, { preview: false })
        : vscode.window.showTextDocument(now, { preview: false }));
      this.look();
      return await decided;
    } finally {
      vscode.Disposable.from(...held).dispose();
      this.shown.delete(id);
      await closeTabs(now);
    }
  }

  /** Decides the question of a document, by default the active one. */
  decide(decision: Decision, uri = vscode.window.activeTextEditor?.document.uri): void {
    const shown = this.of(uri);
    if (decision === 'allow' && shown && !shown.seen) {
      void vscode.window.showInformationMessage(
        t('You have not seen the end of this text; scroll to it before you allow it.'),
      );
      return;
    }
    shown?.done({ decision });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.of(uri)?.texts.get(uri.path) ?? t('This question has been answered or withdrawn.');
  }

  /** Puts the answers below the text: whoever sees them sees its end. */
  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const end = new vscode.Range(document.lineCount - 1, 0, document.lineCount - 1, 0);
    const lens = (title: string, command: string) =>
      new vscode.CodeLens(end, { title, command: `mcp-editord.${command}`, arguments: [document.uri] });
    return this.of(document.uri)?.now.toString() === document.uri.toString()
      ? [
          lens(`$(clock) ${t('Later')}`, 'decideLater'),
          lens(`$(circle-slash) ${t('Deny')}`, 'denyServer'),
          lens(`$(check) ${t('Allow')}`, 'allowServer'),
        ]
      : [];
  }

  /** Notes which ends are on the screen. */
  private look(): void {
    for (const { document, visibleRanges } of vscode.window.visibleTextEditors) {
      const shown = this.of(document.uri);
      const end = Math.max(0, ...visibleRanges.map((r) => r.end.line));
      if (shown?.now.toString() === document.uri.toString() && end >= document.lineCount - 1) {
        shown.seen = true;
      }
    }
    const seen = this.of(vscode.window.activeTextEditor?.document.uri)?.seen ?? false;
    void vscode.commands.executeCommand('setContext', 'mcp-editord.seenToEnd', seen);
  }

  private of(uri: vscode.Uri | undefined): Shown | undefined {
    return uri?.scheme === scheme ? this.shown.get(uri.path.split('/')[1] ?? '') : undefined;
  }
}
