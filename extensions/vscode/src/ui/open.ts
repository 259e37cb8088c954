// Opens a document that the daemon names, such as a result that is long or no text.

import * as vscode from 'vscode';

/** As LSP's ShowDocumentParams. */
interface Named {
  uri: string;
  takeFocus?: boolean;
  selection?: { start: Place; end: Place };
}

interface Place {
  line: number;
  character: number;
}

/** Opens a document in the editor that VS Code has for it: a picture is no text. Returns whether there is one. */
export async function openNamed({ uri, takeFocus, selection }: Named): Promise<boolean> {
  const address = vscode.Uri.parse(uri, true);
  try {
    await vscode.workspace.fs.stat(address);
  } catch {
    return false;
  }
  const at = ({ line, character }: Place) => new vscode.Position(line, character);
  await vscode.commands.executeCommand('vscode.open', address, {
    preserveFocus: takeFocus !== true,
    ...(selection && { selection: new vscode.Range(at(selection.start), at(selection.end)) }),
  });
  return true;
}
