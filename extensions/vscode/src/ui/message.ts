// Shows messages, opens addresses, and copies texts.

import * as vscode from 'vscode';
import { firstLine } from '../text';

export type Level = 'error' | 'warning' | 'information';

/** Shows a message with one button. The text must be harmless already. */
export function tell(level: Level, text: string, button: string, action: () => unknown): void {
  offer(level, text, [[button, action]]);
}

/** Shows a message with buttons. The text must be harmless already. */
export function offer(level: Level, text: string, buttons: [label: string, action: () => unknown][]): void {
  const show = {
    error: vscode.window.showErrorMessage,
    warning: vscode.window.showWarningMessage,
    information: vscode.window.showInformationMessage,
  }[level];
  void show(text, ...buttons.map(([label]) => label)).then((choice) =>
    buttons.find(([label]) => label === choice)?.[1](),
  );
}

/**
 * Opens an address of the web exactly as it is written. VS Code would encode a Uri anew
 * (microsoft/vscode#85930); it takes a string as it is, though the type does not say so.
 */
export function openExternal(url: string): Thenable<boolean> {
  return vscode.env.openExternal(url as unknown as vscode.Uri);
}

/** How long it says that a text was copied. */
const said = 3000; // ms

/** Copies a text as it is, and says so. */
export async function copy(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(vscode.l10n.t('Copied: {0}', firstLine(text, 100)), said);
}
