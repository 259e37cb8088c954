// What a person does with a result beside reading it.

import * as vscode from 'vscode';
import { resourceUri } from '../resources/files';
import { nameOf } from '../resources/media-types';
import { line } from '../text';
import { copy, openExternal } from '../ui/message';
import { type Block, pageText, type Text, textOf } from './format';
import { insert, type Place } from './insert';
import type { Action as PageAction } from './page';
import type { Result } from './shelf';

const { t } = vscode.l10n;

const chat = 'workbench.action.chat.open';

/** Returns what can be done with a whole result. `again` says whether its call can be written into a document. */
export async function offered(result: Result, place: Place | undefined, again: boolean): Promise<PageAction[]> {
  const call = again ? (['call'] as const) : [];
  if (pageText(result).text.trim() === '') {
    return [...call]; // its media have buttons of their own
  }
  return [
    'copy',
    'save',
    ...(place ? (['insert'] as const) : []),
    ...(place && !place.range.isEmpty ? (['replace'] as const) : []),
    'text',
    ...call,
    ...('messages' in result && (await hasChat()) ? (['chat'] as const) : []),
  ];
}

/** Whether there is a chat. Its command is there, and does nothing, when a person has turned it off. */
async function hasChat(): Promise<boolean> {
  const off = vscode.workspace.getConfiguration('chat').get<boolean>('disableAIFeatures', false);
  return !off && (await vscode.commands.getCommands(true)).includes(chat);
}

/** Puts a text into the document of the call, or says why it cannot and offers to copy it. */
export async function insertOrSay(place: Place | undefined, text: string, how: 'insert' | 'replace'): Promise<void> {
  const problem = place ? await insert(place, text, how) : t('No document was active when the call was made');
  if (problem !== undefined) {
    const button = t('Copy');
    const said = t('{0}; copy the result instead.', line(problem, 200));
    if ((await vscode.window.showWarningMessage(said, button)) === button) {
      await copy(text);
    }
  }
}

/** Puts the text of a prompt into the input of the chat. Only the person sends it. */
export async function openInChat(text: string): Promise<void> {
  await vscode.commands.executeCommand(chat, { query: text, isPartialQuery: true });
}

/** Opens a link: a resource from its server, or a page of the web after VS Code has asked. */
export async function openLink(server: string, link: Block & { kind: 'link' }): Promise<void> {
  if (/^https?:\/\//i.test(link.uri)) {
    await openExternal(link.uri);
    return;
  }
  await vscode.commands.executeCommand('vscode.open', resourceUri(server, link.uri, link.file, link.mime));
}

/** Saves the text or the data of a result, as its server wrote it. */
export async function saveResult(name: string, { text, language }: Text, result: Result): Promise<void> {
  const json = language === 'json';
  await saveAs(`${nameOf(name)}.${json ? 'json' : 'txt'}`, Buffer.from(json ? text : textOf(result)));
}

/** Saves a block: media and files as their bytes. */
export async function saveBlock(b: Block): Promise<void> {
  if (b.kind === 'image' || b.kind === 'audio' || b.kind === 'file') {
    await saveAs(b.name, Buffer.from(b.data, 'base64'));
  } else if (b.kind === 'long') {
    await saveAs(b.name, Buffer.from(b.text));
  }
}

async function saveAs(name: string, bytes: Uint8Array): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog(folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : {});
  if (!target) {
    return;
  }
  await vscode.workspace.fs.writeFile(target, bytes);
  const open = t('Open');
  const copyPath = t('Copy Path');
  const said = t('Saved "{0}".', line(vscode.workspace.asRelativePath(target), 200));
  // Nothing waits for the answer.
  void vscode.window.showInformationMessage(said, copyPath, open).then((choice) => {
    if (choice === open) {
      return vscode.commands.executeCommand('vscode.open', target);
    }
    return choice === copyPath ? copy(target.scheme === 'file' ? target.fsPath : target.path) : undefined;
  });
}
