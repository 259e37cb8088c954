// Chooses the languages in which texts of servers are shown. Some languages of VS Code make links of
// what they find in a document, and a link to command: runs the command. A server could have anything
// run with one click.

import * as vscode from 'vscode';

/** The schemes of documents that servers wrote. */
const schemes = ['mcp', 'mcp-result'];

/** Languages that only find links to the web. */
const harmless = new Set(
  'plaintext log json jsonc jsonl yaml xml sql diff shellscript javascript typescript python go rust java c cpp csharp'.split(
    ' ',
  ),
);

/** Shows documents of all other languages as plain text. */
export function withoutLinks(): vscode.Disposable {
  const look = (document: vscode.TextDocument) => {
    if (schemes.includes(document.uri.scheme) && !harmless.has(document.languageId)) {
      void vscode.languages.setTextDocumentLanguage(document, 'plaintext');
    }
  };
  vscode.workspace.textDocuments.forEach(look);
  return vscode.workspace.onDidOpenTextDocument(look);
}
