// Puts a result into the document that was active when the call was made.

import * as vscode from 'vscode';
import type { Context } from '../protocol';

const { t } = vscode.l10n;

/** Where a result can go. */
export interface Place {
  readonly uri: vscode.Uri;
  /** What was selected. */
  readonly range: vscode.Range;
  /** The version of the document that the call was made from, or that an insertion has made. */
  version: number;
}

/** Returns where the result of a call from here can go, undefined when that is nowhere. */
export function placeOf({ textDocument, range }: Context): Place | undefined {
  const document = vscode.workspace.textDocuments.find((d) => d.uri.toString() === textDocument?.uri);
  if (!document || !range || !isWritable(document.uri)) {
    return undefined;
  }
  const { start, end } = range;
  return {
    uri: document.uri,
    range: new vscode.Range(start.line, start.character, end.line, end.character),
    version: document.version,
  };
}

/** Inserts a text at the cursor, or in place of the selection. Returns why it cannot, undefined when it has. */
export async function insert(place: Place, text: string, how: 'insert' | 'replace'): Promise<string | undefined> {
  const name = vscode.workspace.asRelativePath(place.uri);
  const document = vscode.workspace.textDocuments.find((d) => d.uri.toString() === place.uri.toString());
  const column = columnOf(place.uri);
  if (!document || column === undefined) {
    return t('"{0}" is closed', name);
  }
  if (document.version !== place.version) {
    return t('"{0}" has changed since the call', name);
  }
  if (await isReadOnly(place.uri)) {
    return t('"{0}" is read-only', name);
  }
  const editor = await vscode.window.showTextDocument(document, { viewColumn: column });
  // The cursor is where the person sees it. What was selected for the call is replaced, unless
  // something else is selected now.
  const { selection } = editor;
  const range = how === 'insert' ? selection.active : selection.isEmpty ? place.range : selection;
  const done = await editor.edit((b) =>
    range instanceof vscode.Position ? b.insert(range, text) : b.replace(range, text),
  );
  if (!done) {
    return t('"{0}" cannot be edited', name);
  }
  place.version = document.version;
  return undefined;
}

function isWritable({ scheme }: vscode.Uri): boolean {
  return scheme === 'untitled' || vscode.workspace.fs.isWritableFileSystem(scheme) === true;
}

async function isReadOnly(uri: vscode.Uri): Promise<boolean> {
  if (uri.scheme === 'untitled') {
    return false;
  }
  try {
    const { permissions = 0 } = await vscode.workspace.fs.stat(uri);
    return (permissions & vscode.FilePermission.Readonly) !== 0;
  } catch {
    return false; // it is not saved, or deleted: its editor takes text all the same
  }
}

/** Returns the column of a tab with this document, the active one first. */
function columnOf(uri: vscode.Uri): vscode.ViewColumn | undefined {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  return [activeTabGroup, ...all].find((group) =>
    group.tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString()),
  )?.viewColumn;
}
