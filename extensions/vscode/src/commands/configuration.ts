// Editord: Open Configuration opens the user's mcp.json, and writes one when there is none. Editord: Show
// Server Configuration opens the file that defines a server, at its place.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import type { ConfigPlace, Server } from '../protocol';
import { line } from '../text';
import { tell } from '../ui/message';
import { entryOf } from './entry';

const { t } = vscode.l10n;

const beginning = `{
  // Servers for all your editors: see docs/configuration.md of mcp-editord.
  "servers": {
    "workspace": {}
  }
}
`;

/** Returns the user's mcp.json, which need not exist. */
export async function configurationFile(ctx: Ctx): Promise<vscode.Uri> {
  await ctx.connected();
  const { uri } = await ctx.client.request('editord/configPlace', {});
  return vscode.Uri.parse(uri, true);
}

/** Opens the file of a server at its place, or the user's mcp.json. */
export async function openConfiguration(ctx: Ctx, server?: Server): Promise<void> {
  if (server) {
    await showDefinition(ctx, server);
    return;
  }
  const uri = await configurationFile(ctx);
  try {
    await vscode.workspace.fs.stat(uri);
  } catch {
    await vscode.workspace.fs.writeFile(uri, Buffer.from(beginning));
  }
  await vscode.window.showTextDocument(await asJson(uri));
}

/** Shows where a server is defined: the entry in its file, or in words what is no file. */
export async function showDefinition(ctx: Ctx, server: Server): Promise<void> {
  const name = line(server.name, 60);
  switch (server.source) {
    case 'builtin':
      tell(
        'information',
        t('"{0}" is built into mcp-editord; to change it, define a server of this name in your mcp.json.', name),
        t('Open Configuration'),
        () => openConfiguration(ctx),
      );
      return;
    case 'editor':
      tell('information', t('"{0}" is defined in the setting "mcp-editord.servers".', name), t('Open Settings'), () =>
        vscode.commands.executeCommand('workbench.action.openSettings', 'mcp-editord.servers'),
      );
      return;
  }
  await showPlace(await ctx.client.request('editord/configPlace', { server: server.name }));
}

/** Shows a place in a configuration file. */
export async function showPlace({ uri, range }: ConfigPlace): Promise<void> {
  const document = await asJson(vscode.Uri.parse(uri, true));
  const { start, end } = range ?? { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  const selection = new vscode.Range(start.line, start.character, end.line, end.character);
  await vscode.window.showTextDocument(document, { selection });
}

/** Whether all of the definition of a server is on the screen, in the editor that has the focus. */
export function isInView(server: Server): boolean {
  const editor = vscode.window.activeTextEditor;
  const entry = editor && entryOf(editor.document.getText(), server.name);
  if (!entry || vscode.Uri.parse(server.source).toString() !== editor.document.uri.toString()) {
    return false;
  }
  // The lines at the top may be covered by those that stick there.
  const sticky = vscode.workspace.getConfiguration('editor.stickyScroll', editor.document.uri);
  const covered = sticky.get('enabled', true) ? sticky.get('maxLineCount', 5) : 0;
  const first = Math.max(0, editor.document.positionAt(entry.start).line - covered);
  const last = editor.document.positionAt(entry.end).line;
  return editor.visibleRanges.some(({ start, end }) => start.line <= first && last <= end.line); // none is folded
}

/** Opens a file as JSON with comments, which mcp.json may have. */
async function asJson(uri: vscode.Uri): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  return document.languageId === 'jsonc' ? document : vscode.languages.setTextDocumentLanguage(document, 'jsonc');
}
