// Shows what the daemon says (window/showMessage): what is wrong with a configuration file, mostly. The
// language client would show it without a way to the file.

import * as vscode from 'vscode';
import { line } from '../text';
import { type Level, offer } from '../ui/message';

const { t } = vscode.l10n;

/** What a message of the daemon about the servers of the setting begins with (config.SourceEditor). */
const setting = 'editor: ';

const levels: Record<number, Level> = { 1: 'error', 2: 'warning' };

/**
 * Shows a message, with a button that opens the file that it begins with: `<path>: line <n>: <what is wrong>`. Whoever
 * has that file on the screen sees the problem there, and auto-save saves half of what they type: then nothing is said.
 */
export async function showNotice({ type, message }: { type: number; message: string }): Promise<void> {
  const level = levels[type] ?? 'information';
  const place = await placeIn(message);
  if (place) {
    const seen = vscode.window.visibleTextEditors.some(
      ({ document }) => document.uri.toString() === place.uri.toString(),
    );
    if (seen && vscode.workspace.getConfiguration('files', place.uri).get('autoSave') === 'afterDelay') {
      return;
    }
    offer(level, line(message, 1000), [[t('Open File'), () => vscode.window.showTextDocument(place.uri, place)]]);
  } else if (message.startsWith(setting)) {
    const open = () => vscode.commands.executeCommand('workbench.action.openSettings', 'mcp-editord.servers');
    offer(level, line(message.slice(setting.length), 1000), [[t('Open Settings'), open]]);
  } else {
    offer(level, line(message, 1000), []);
  }
}

/** Returns the file and line that a message begins with. A path may have colons too. */
async function placeIn(message: string): Promise<{ uri: vscode.Uri; selection: vscode.Range } | undefined> {
  for (const { index } of message.matchAll(/: /g)) {
    const path = message.slice(0, index);
    if (/^(\/|[A-Za-z]:[\\/])/.test(path) && (await isFile(vscode.Uri.file(path)))) {
      const named = /^: line (\d+): /.exec(message.slice(index))?.[1] ?? '1';
      const at = new vscode.Position(Math.max(0, Number(named) - 1), 0);
      return { uri: vscode.Uri.file(path), selection: new vscode.Range(at, at) };
    }
  }
  return undefined;
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}
