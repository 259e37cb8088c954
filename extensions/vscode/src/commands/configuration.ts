// Editord: Open Configuration opens the user's mcp.json, and writes one when there is none.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';

const beginning = `{
  // Servers for all your editors: see docs/configuration.md of mcp-editord.
  "servers": {
    "workspace": {}
  }
}
`;

export async function openConfiguration(ctx: Ctx): Promise<void> {
  await ctx.connected();
  const { config } = await ctx.client.request('editord/status', {});
  const uri = vscode.Uri.file(config);
  try {
    await vscode.workspace.fs.stat(uri);
  } catch {
    await vscode.workspace.fs.writeFile(uri, Buffer.from(beginning));
  }
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.languages.setTextDocumentLanguage(document, 'jsonc');
  await vscode.window.showTextDocument(document);
}
