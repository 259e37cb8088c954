// Says that questions wait: in the status bar, on the view, and in one message when a new one
// comes. None of these takes the focus.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { line } from '../text';
import { offer } from '../ui/message';
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
  /** The message on the screen. */
  private message: { say: () => void; end: () => void } | undefined;

  constructor(private readonly ctx: Ctx) {
    this.item.name = t('Questions from MCP servers');
    this.item.command = 'mcp-editord.answerQuestion';
    this.item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
    this.following = ctx.onDidAsk(() => this.update());
  }

  dispose(): void {
    this.following.dispose();
    this.item.dispose();
    this.message?.end();
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
      this.message?.end();
      this.message = waiting.length > 0 ? this.show() : undefined;
    } else {
      this.message?.say();
    }
    this.told = waiting;
  }

  /** Shows a message with progress, the only kind that can be taken off the screen when a question is withdrawn. */
  private show(): { say: () => void; end: () => void } {
    let end = () => {};
    let say = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const options = {
      location: vscode.ProgressLocation.Notification,
      // The label of the button: VS Code takes a string, though the type does not say so.
      cancellable: t('Answer…') as unknown as boolean,
    };
    void vscode.window.withProgress(options, async (shown, token) => {
      say = () => {
        const [first, ...others] = this.ctx.questions.waiting;
        const text = t('{0} questions from MCP servers are waiting.', others.length + 1);
        // With an increment there is no progress to see.
        shown.report({ message: first && others.length === 0 ? said(first) : text, increment: 0 });
      };
      say();
      token.onCancellationRequested(() => {
        end();
        void answerQuestion(this.ctx);
      });
      await ended;
    });
    return { say: () => say(), end };
  }
}

/** Says that a question has gone while it was open, and keeps what was typed into it at hand. */
export function sayGone(ctx: Ctx, question: Waiting): void {
  const typed = question.typed?.() ?? '';
  offer(
    'information',
    t('This question was withdrawn before you answered it: {0}', said(question)),
    typed === '' ? [] : [[t('Show What You Typed'), () => ctx.results.document(question.server, typed, 'plaintext')]],
  );
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
