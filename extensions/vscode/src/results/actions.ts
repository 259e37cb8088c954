// What a person does with a result beside reading it.

import * as vscode from 'vscode';
import type { KeptFile } from '../daemon/kept-file';
import { resourceUri } from '../resources/files';
import { nameOf } from '../resources/media-types';
import { block, line } from '../text';
import { copy, offer, openExternal } from '../ui/message';
import type { Begun, Call } from './entry';
import { type Block, pageText, type Result, size, type Text, textOf } from './format';
import { insert, type Place } from './insert';
import type { Action as PageAction } from './page';

const { t } = vscode.l10n;

/** A larger file is not read here, where it would hold up all extensions. */
const maxRead = 4 << 20; // bytes

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

/** Says that the end of the window ended a call. `again` opens a document with it. */
export function tellEnded({ title, call }: Begun, again: (call: Call) => Promise<void>): void {
  const said = t(
    'The window was closed or reloaded while "{0}" ran, so its result is lost. The server may have done what was asked.',
    title,
  );
  offer('warning', said, call ? [[t('Open as Call Document'), () => again(call)]] : []);
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

/** Returns the text in a file of the daemon's, for where it cannot stay a file. */
export async function textOfFile({ uri, size: bytes }: KeptFile): Promise<Text> {
  if (bytes > maxRead) {
    throw new Error(t('This result has {0}, which is too much to copy or insert; save it instead.', size(bytes)));
  }
  const read = await vscode.workspace.fs.readFile(vscode.Uri.parse(uri, true));
  return { text: block(Buffer.from(read).toString('utf8')), language: uri.endsWith('.json') ? 'json' : 'plaintext' };
}

/** Saves a file of the daemon's. It is copied, not read. */
export async function saveFile(name: string, { uri }: KeptFile): Promise<void> {
  const from = vscode.Uri.parse(uri, true);
  const ending = /\.\w+$/.exec(uri)?.[0] ?? '';
  await saveAs(nameOf(name).replace(/(\.\w+)?$/, ending), (target) =>
    vscode.workspace.fs.copy(from, target, { overwrite: true }),
  );
}

/** Saves the text or the data of a result, as its server wrote it. */
export async function saveResult(name: string, { text, language }: Text, result: Result): Promise<void> {
  const json = language === 'json';
  await saveBytes(`${nameOf(name)}.${json ? 'json' : 'txt'}`, Buffer.from(json ? text : textOf(result)));
}

/** Saves a block: media and files as their bytes. */
export async function saveBlock(b: Block): Promise<void> {
  if (b.kind === 'image' || b.kind === 'audio' || b.kind === 'file') {
    await saveBytes(b.name, Buffer.from(b.data, 'base64'));
  } else if (b.kind === 'kept') {
    await saveFile(b.name, b.file);
  }
}

function saveBytes(name: string, bytes: Uint8Array): Promise<void> {
  return saveAs(name, (target) => vscode.workspace.fs.writeFile(target, bytes));
}

async function saveAs(name: string, write: (target: vscode.Uri) => Thenable<void>): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog(folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : {});
  if (!target) {
    return;
  }
  await write(target);
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
