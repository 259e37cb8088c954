// Shows texts as read-only documents with the scheme mcp-result.

import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { nameOf } from '../resources/media-types';
import { FlatFiles } from '../ui/flat-files';
import type { Text } from './format';

const { t } = vscode.l10n;

export const scheme = 'mcp-result';

/** How many texts are kept that were never opened. */
const maxUnopened = 30;

interface Entry {
  text: () => string;
  bytes: number;
  time: number;
  /** held: until `drop`. Others go with their last tab, once they were opened. */
  life: 'held' | 'unopened' | 'opened';
}

export class ResultDocuments extends FlatFiles implements vscode.Disposable {
  private readonly entries = new Map<string, Entry>();
  private readonly held: vscode.Disposable;
  /** Tells the addresses of this window from those that VS Code restored from the one before. */
  private readonly window = randomUUID();
  private last = 0;

  /** `restored` ends when the documents of the window before are here again. */
  constructor(private readonly restored: () => Promise<void>) {
    super();
    this.held = vscode.Disposable.from(
      this.changed,
      vscode.workspace.registerFileSystemProvider(scheme, this, { isReadonly: true, isCaseSensitive: true }),
      vscode.window.tabGroups.onDidChangeTabs(() => this.follow()),
    );
  }

  dispose(): void {
    this.held.dispose();
  }

  /** Makes a document of a text and returns its address. It goes with its last tab. */
  add(name: string, { text, language }: Text): vscode.Uri {
    const uri = this.address(name, language);
    this.entries.set(uri.toString(), { ...measured(text), text: () => text, time: Date.now(), life: 'unopened' });
    const unopened = [...this.entries].filter(([, e]) => e.life === 'unopened').map(([address]) => address);
    for (const address of unopened.slice(0, -maxUnopened)) {
      this.entries.delete(address);
    }
    return uri;
  }

  /** Returns an address for a document. */
  address(name: string, language: Text['language']): vscode.Uri {
    const path = `/${++this.last}/${nameOf(name)}.${language === 'json' ? 'json' : 'txt'}`;
    return vscode.Uri.from({ scheme, path, query: this.window });
  }

  /** Makes a document of what `text` returns, at an address. It stays until `drop`. */
  hold(uri: vscode.Uri, text: () => string, time: number): void {
    this.entries.set(uri.toString(), { ...measured(text()), text, time, life: 'held' });
  }

  drop(uri: vscode.Uri): void {
    this.entries.delete(uri.toString());
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes: size, time } = (await this.find(uri)) ?? { ...measured(gone()), time: 0 };
    return { type: vscode.FileType.File, ctime: time, mtime: time, size, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return Buffer.from((await this.find(uri))?.text() ?? gone());
  }

  private async find(uri: vscode.Uri): Promise<Entry | undefined> {
    await this.restored();
    return this.entries.get(uri.toString());
  }

  /** Lets go of what no tab shows any more. */
  private follow(): void {
    const shown = new Set(openDocuments().map((uri) => uri.toString()));
    for (const [address, e] of this.entries) {
      if (e.life === 'unopened' && shown.has(address)) {
        e.life = 'opened';
      } else if (e.life === 'opened' && !shown.has(address)) {
        this.entries.delete(address);
      }
    }
  }
}

function measured(text: string): { bytes: number } {
  return { bytes: Buffer.byteLength(text) };
}

/** Returns the addresses of all documents that tabs show. */
export function openDocuments(): vscode.Uri[] {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .flatMap(({ input }) =>
      input instanceof vscode.TabInputText
        ? [input.uri]
        : input instanceof vscode.TabInputTextDiff
          ? [input.original, input.modified]
          : [],
    );
}

/** Says that a result is not there any more. */
export function gone(): string {
  return t('This result is no longer available; run the tool again.');
}

/** Shows a document, or says that its file is gone. */
export async function showDocument(uri: vscode.Uri, preview = true): Promise<void> {
  if (uri.scheme === 'file') {
    await Promise.resolve(vscode.workspace.fs.stat(uri)).catch(() => {
      throw new Error(gone());
    });
  }
  // VS Code keeps a document for minutes that was opened by showTextDocument, also when it is closed.
  await vscode.commands.executeCommand('vscode.open', uri, { preview });
}

export function isPreview(uri: vscode.Uri): boolean {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return (
    tab?.isPreview === true && tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString()
  );
}
