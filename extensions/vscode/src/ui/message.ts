// Shows messages, and opens addresses.

import * as vscode from 'vscode';

/** Shows a message with one button. The text must be harmless already. */
export function tell(level: 'error' | 'information', text: string, button: string, action: () => unknown): void {
  const show = level === 'error' ? vscode.window.showErrorMessage : vscode.window.showInformationMessage;
  void show(text, button).then((choice) => {
    if (choice === button) {
      void action();
    }
  });
}

/**
 * Opens an address of the web exactly as it is written. VS Code would encode a Uri anew
 * (microsoft/vscode#85930); it takes a string as it is, though the type does not say so.
 */
export function openExternal(url: string): Thenable<boolean> {
  return vscode.env.openExternal(url as unknown as vscode.Uri);
}
