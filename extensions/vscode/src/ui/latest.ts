// Asks while somebody types. What they type next makes a question stale: only the last answer counts.

import type * as vscode from 'vscode';

interface Options<Q, A> {
  /** How long nobody has typed before it asks. */
  pause: number; // ms
  source: () => vscode.CancellationTokenSource;
  /** Its token is cancelled when the question is stale. */
  ask: (question: Q, token: vscode.CancellationToken) => Promise<A>;
  take: (answer: A) => void;
}

export class Latest<Q, A> implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private asking: vscode.CancellationTokenSource | undefined;

  constructor(private readonly o: Options<Q, A>) {}

  /** Asks this in place of what was asked before. */
  ask(question: Q): void {
    this.dispose();
    const asking = this.o.source();
    this.asking = asking;
    this.timer = setTimeout(async () => {
      const answer = await this.o.ask(question, asking.token);
      if (this.asking === asking) {
        this.o.take(answer);
      }
    }, this.o.pause);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.asking?.cancel();
    this.asking?.dispose();
    this.asking = undefined;
  }
}
