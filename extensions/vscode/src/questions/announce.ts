// Says that questions wait: in the status bar, on the view, and in one message when a new one
// comes. None of these takes the focus.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { line } from '../text';
import { type Item, pick } from '../ui/quick-input';
import type { Waiting } from './inbox';

const { t } = vscode.l10n;

export class Announcer implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'mcp-editord.questions',
    vscode.StatusBarAlignment.Right,
    11,
  );
  private readonly following: vscode.Disposable;
  private told: readonly Waiting[] = [];
  /** Takes the message off the screen. */
  private end: (() => void) | undefined;

  constructor(private readonly ctx: Ctx) {
    this.item.name = t('Questions from MCP servers');
    this.item.command = 'mcp-editord.answerQuestion';
    this.item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
    this.following = ctx.onDidAsk(() => this.update());
  }

  dispose(): void {
    this.following.dispose();
    this.item.dispose();
    this.end?.();
  }

  private update(): void {
    const { waiting } = this.ctx.questions;
    void vscode.commands.executeCommand('setContext', 'mcp-editord.questions', waiting.length);
    const titles = waiting.map(said).join('\n');
    this.item.text = `$(question) ${waiting.length}`;
    this.item.tooltip = titles;
    this.item.accessibilityInformation = {
      label: t('Questions from MCP servers: {0}. {1}', waiting.length, titles),
      role: 'button',
    };
    waiting.length > 0 ? this.item.show() : this.item.hide();
    if (waiting.length === 0 || waiting.some((w) => !this.told.includes(w))) {
      this.end?.();
      this.end = waiting.length > 0 ? this.message(waiting) : undefined;
    }
    this.told = waiting;
  }

  /** Shows a message with progress, the only kind that can be taken off the screen when a question is withdrawn. */
  private message(waiting: readonly Waiting[]): () => void {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const [first] = waiting;
    const text =
      first && waiting.length === 1 ? said(first) : t('{0} questions from MCP servers are waiting.', waiting.length);
    const options = {
      location: vscode.ProgressLocation.Notification,
      // The label of the button: VS Code takes a string, though the type does not say so.
      cancellable: t('Answer…') as unknown as boolean,
    };
    void vscode.window.withProgress(options, async (shown, token) => {
      shown.report({ message: text, increment: 0 }); // so that there is no progress to see
      token.onCancellationRequested(() => {
        end();
        void answerQuestion(this.ctx);
      });
      await ended;
    });
    return end;
  }
}

/** Editord: Answer Question… opens the question that waits, or asks which of several. */
export async function answerQuestion(ctx: Ctx): Promise<void> {
  for (;;) {
    const { waiting } = ctx.questions;
    if (waiting.length === 0) {
      void vscode.window.showInformationMessage(t('No server is waiting for an answer.'));
      return;
    }
    // A question that is withdrawn meanwhile leaves the list.
    const stale = new vscode.CancellationTokenSource();
    const following = ctx.onDidAsk(() => waiting.every((w) => ctx.questions.waiting.includes(w)) || stale.cancel());
    const items: Item<Waiting>[] = waiting.map((w) => ({ label: `$(question) ${said(w)}`, value: w }));
    const chosen =
      waiting.length === 1
        ? waiting[0]
        : await pick<Waiting>({ title: t('Answer a question'), items, token: stale.token });
    following.dispose();
    stale.dispose();
    if (chosen || !stale.token.isCancellationRequested) {
      await chosen?.open();
      return;
    }
  }
}

function said({ server, title }: Waiting): string {
  return `${line(server, 60)}: ${title}`;
}
