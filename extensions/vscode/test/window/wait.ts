import { setTimeout as delay } from 'node:timers/promises';
import type * as vscode from 'vscode';

/** Returns once the condition holds. It is checked after each event. */
export function until(event: vscode.Event<unknown>, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const listening = event(() => {
      if (condition()) {
        listening.dispose();
        resolve();
      }
    });
    if (condition()) {
      listening.dispose();
      resolve();
    }
  });
}

/** Returns the next event that suits. */
export function next<T>(event: vscode.Event<T>, suits: (value: T) => boolean = () => true): Promise<T> {
  return new Promise((resolve) => {
    const listening = event((value) => {
      if (suits(value)) {
        listening.dispose();
        resolve(value);
      }
    });
  });
}

/** Returns what `look` finds, where VS Code has no event. The limit of the test ends it. */
export async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) {
      return found;
    }
    await delay(50);
  }
}
