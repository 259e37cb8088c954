// Questions of servers, one at a time: whatever is on the screen is answered before
// the next one is shown. A question that is withdrawn leaves the queue or the screen.

import type * as vscode from 'vscode';

/** More than this many are refused: no person would answer them. */
const maxWaiting = 50;

export class Queue {
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /** Lets questions wait for something that the person does, such as filling in a form. It waits for none itself. */
  during<A>(work: Promise<A>): Promise<A> {
    const before = this.last;
    this.last = work.then(
      () => before,
      () => before,
    );
    return work;
  }

  /**
   * Asks once it is this question's turn. When the token is cancelled before, it is
   * not asked at all; an asking that is under way sees the token itself.
   */
  async ask<A>(ask: () => Promise<A>, withdrawn: A, token: vscode.CancellationToken): Promise<A> {
    if (this.waiting >= maxWaiting) {
      return withdrawn;
    }
    this.waiting++;
    const turn = this.last.then(() => (token.isCancellationRequested ? withdrawn : ask()));
    this.last = turn.catch(() => undefined);
    let listening: vscode.Disposable | undefined;
    const given = new Promise<A>((resolve) => {
      listening = token.onCancellationRequested(() => resolve(withdrawn));
    });
    try {
      return await Promise.race([turn, given]);
    } finally {
      listening?.dispose();
      this.waiting--;
    }
  }
}
