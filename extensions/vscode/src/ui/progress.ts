// Shows the progress of long work.

import * as vscode from 'vscode';

/** How long work usually may take before its progress is shown. */
const usually = 500; // ms

export interface Progress {
  message?: string;
  percentage?: number;
}

/**
 * Does work. When that takes longer than `soon`, shows its progress and lets the person cancel it, which cancels
 * the token.
 */
export async function during<R>(
  title: string,
  work: (report: (progress: Progress) => void, token: vscode.CancellationToken) => Promise<R>,
  soon = usually,
): Promise<R> {
  const source = new vscode.CancellationTokenSource();
  const reports = new vscode.EventEmitter<Progress>();
  let last: Progress = {};
  reports.event((progress) => {
    last = { ...last, ...progress };
  });
  const result = work((progress) => reports.fire(progress), source.token);
  const late = setTimeout(() => {
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    void vscode.window.withProgress(options, async (shown, cancelled) => {
      let done = 0;
      const show = ({ message, percentage = done }: Progress) => {
        shown.report({ ...(message !== undefined && { message }), increment: Math.max(0, percentage - done) });
        done = Math.max(done, percentage);
      };
      show(last);
      reports.event(show);
      cancelled.onCancellationRequested(() => source.cancel());
      await result.catch(() => undefined);
    });
  }, soon);
  try {
    return await result;
  } finally {
    clearTimeout(late);
    reports.dispose();
    source.dispose();
  }
}
