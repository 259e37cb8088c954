// Shows a document that the person reads before they answer a question. A question covers the
// editors, so it makes way for the document and comes back when that is closed.

import * as vscode from 'vscode';

const { t } = vscode.l10n;

/** Opens a document and returns when the person has closed it, as `title` asks for. A cancelled token closes it. */
export async function read(
  uri: vscode.Uri,
  open: () => Thenable<unknown>,
  token: vscode.CancellationToken,
  title = t('Close the document to answer.'),
): Promise<void> {
  const held: vscode.Disposable[] = [];
  try {
    const closed = new Promise<void>((resolve) => {
      held.push(
        token.onCancellationRequested(() => resolve()),
        vscode.window.tabGroups.onDidChangeTabs((e) => e.closed.some((tab) => shows(tab, uri)) && resolve()),
      );
    });
    await open();
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () => closed);
  } finally {
    vscode.Disposable.from(...held).dispose();
    await closeTabs(uri);
  }
}

/** Closes the tabs of a document without asking to save it. */
export async function closeTabs(uri: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => shows(tab, uri));
  await vscode.window.tabGroups.close(tabs, true);
}

function shows({ input }: vscode.Tab, uri: vscode.Uri): boolean {
  return (
    (input instanceof vscode.TabInputText && input.uri.toString() === uri.toString()) ||
    (input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString())
  );
}
