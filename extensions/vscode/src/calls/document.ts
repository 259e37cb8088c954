// Opens a new call document with a tool or a prompt. The daemon writes it: it knows what the server wants, and
// what the editor can fill in.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import type { Command } from '../daemon/catalog';
import type { Context, JsonObject } from '../protocol';
import type { Call } from '../results/entry';
import { begin, filesIn } from './begin';

/** The language of call documents, as in package.json. */
export const language = 'mcp';

/** Opens a document with a call of the command, which is not made yet. `values` are arguments that it begins with. */
export async function openCall(ctx: Ctx, command: Command, values: JsonObject, where: Context): Promise<void> {
  const { server, name } = command;
  const what = command.kind === 'tool' ? { server, tool: name } : { server, prompt: name };
  await ctx.client.request('workspace/executeCommand', {
    command: command.kind === 'tool' ? 'mcp.call' : 'mcp.prompt',
    // A call document is nothing to call a tool with.
    arguments: [{ ...what, arguments: values, edit: true, context: where.languageId === language ? {} : where }],
  });
}

/** Opens a document with a call that was made, without its secrets. */
export async function openAgain(ctx: Ctx, { command: id, values, where = {} }: Call): Promise<void> {
  const command = ctx.catalog.command(id);
  if (!command) {
    throw new Error(vscode.l10n.t('No server that is ready offers this call; start its server and try again.'));
  }
  await openCall(ctx, command, values, where);
}

/**
 * Opens the text of a file that the daemon wrote as a new document, which the person saves where they want: the file
 * is gone after a week. Returns whether there is such a file.
 */
export async function openNew(uri: string): Promise<boolean> {
  let bytes: Uint8Array;
  try {
    bytes = await vscode.workspace.fs.readFile(vscode.Uri.parse(uri, true));
  } catch {
    return false;
  }
  const { text, at } = begin(Buffer.from(bytes).toString('utf8'));
  const document = await vscode.workspace.openTextDocument({ language, content: text });
  const place = document.positionAt(at);
  await vscode.window.showTextDocument(document, { preview: false, selection: new vscode.Range(place, place) });
  return true;
}

/** Makes links of the files that results name, such as pictures. */
export function linkFiles(): vscode.Disposable {
  return vscode.languages.registerDocumentLinkProvider(
    ['file', 'untitled'].map((scheme) => ({ scheme, language })),
    {
      provideDocumentLinks: (document) =>
        filesIn(document.getText()).map(({ path, at }) => {
          const range = new vscode.Range(document.positionAt(at), document.positionAt(at + path.length));
          return new vscode.DocumentLink(range, vscode.Uri.file(path));
        }),
    },
  );
}
