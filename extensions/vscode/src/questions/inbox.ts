// The questions of servers and of the daemon. A question waits until the person opens it: one that
// opened by itself would take what they are typing for its answer. They can leave it and open it
// again; only a choice that they make in it answers it.

import type * as vscode from 'vscode';
import { RequestError } from '../protocol';

/** More questions are refused: nobody would answer them, and one server must leave room for others. */
const maxWaiting = 50;
const maxOfServer = 10;

export interface Question<A> {
  server: string;
  /** What it is about, to find it by. */
  key?: string;
  /** The question on one line, harmless already. */
  title: string;
  /** The answer when the question is withdrawn or refused. */
  withdrawn: A;
  /** Returns what the person has typed into it so far, for them to read; empty when that is nothing. */
  typed?: () => string;
  /** Asks the person. Returns undefined when they leave the question, and at once when the token is cancelled. */
  open: (token: vscode.CancellationToken) => Promise<A | undefined>;
}

/** A question that waits for the person. */
export interface Waiting {
  readonly server: string;
  readonly key: string | undefined;
  readonly title: string;
  readonly typed: (() => string) | undefined;
  /** Opens it, anew if it is open. Returns when the person has answered or left it. */
  open(): Promise<void>;
}

export class Inbox {
  private readonly entries = new Map<Waiting, (left: RequestError) => void>();

  /**
   * @param source makes tokens.
   * @param changed is called when a question comes or goes.
   * @param gone is called when a question is withdrawn that is open.
   */
  constructor(
    private readonly source: () => vscode.CancellationTokenSource,
    private readonly changed: () => void,
    private readonly gone: (question: Waiting) => void,
  ) {}

  /** The questions that wait, the oldest first. */
  get waiting(): readonly Waiting[] {
    return [...this.entries.keys()];
  }

  /** Returns the answer, once the person gives it or the token is cancelled. */
  ask<A>(q: Question<A>, token: vscode.CancellationToken): Promise<A> {
    const ofServer = this.waiting.filter((w) => w.server === q.server).length;
    if (token.isCancellationRequested || this.entries.size >= maxWaiting || ofServer >= maxOfServer) {
      return Promise.resolve(q.withdrawn);
    }
    return new Promise((resolve, reject) => {
      let opened: vscode.CancellationTokenSource | undefined;
      let turn = Promise.resolve();
      let listening: vscode.Disposable | undefined;
      // What comes first ends it: an answer, a failure, or its withdrawal.
      const end = (settle: () => void) => {
        if (this.entries.delete(entry)) {
          listening?.dispose();
          opened?.cancel();
          settle();
          this.changed();
        }
      };
      const ask = async (source: vscode.CancellationTokenSource) => {
        try {
          const answer = await q.open(source.token);
          if (answer !== undefined) {
            end(() => resolve(answer));
          }
        } catch (error) {
          end(() => reject(error));
        } finally {
          source.dispose();
          opened = opened === source ? undefined : opened;
        }
      };
      const entry: Waiting = {
        server: q.server,
        key: q.key,
        title: q.title,
        typed: q.typed,
        open: () => {
          opened?.cancel();
          const source = this.source();
          opened = source;
          turn = turn.then(() => (source.token.isCancellationRequested ? undefined : ask(source)));
          return turn;
        },
      };
      this.entries.set(entry, (left) => end(() => reject(left)));
      listening = token.onCancellationRequested(() => {
        if (opened) {
          this.gone(entry);
        }
        end(() => resolve(q.withdrawn));
      });
      this.changed();
    });
  }

  /** Leaves all questions, since the connection ends. That is no answer: a window that reloads is asked again. */
  clear(): void {
    const left = new RequestError(-32800, 'the editor stops asking'); // LSP's RequestCancelled
    for (const leave of [...this.entries.values()]) {
      leave(left);
    }
  }
}
