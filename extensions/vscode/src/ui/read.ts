// Shows a document that the person reads before they answer a question. A question covers the
// editors, so it makes way for the document and comes back when that is closed.

import * as vscode from 'vscode';

const { t } = vscode.l10n;

/** Opens a document and returns when the person has closed it, or pressed the button that does. A cancelled token closes it too. */
export async function read(
  uri: vscode.Uri,
  open: () => Thenable<unknown>,
  token: vscode.CancellationToken,
  title = t('Close the document to answer.'),
  button = t('Answer…'),
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
    // The label of the button: VS Code takes a string, though the type does not say so.
    const options = {
      location: vscode.ProgressLocation.Notification,
      title,
      cancellable: button as unknown as boolean,
    };
    await vscode.window.withProgress(options, (_, pressed) =>
      Promise.race([closed, new Promise((resolve) => pressed.onCancellationRequested(resolve))]),
    );
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
