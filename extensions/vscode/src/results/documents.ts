// Shows texts as read-only documents with the scheme mcp-result. A text is read when VS Code asks for
// it, so nothing of a large one stays in memory here.

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
  read: () => Promise<string>;
  /** The text until it is read for the first time, so that the largest are not read from a file at once. */
  fresh: string | undefined;
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

  constructor() {
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

  /**
   * Makes a document of a text and returns its address. It goes with its last tab. With `read`, which
   * returns the text once more, it stays until `drop`.
   */
  add(name: string, text: Text, read?: () => Promise<string>): vscode.Uri {
    const ending = text.language === 'json' ? 'json' : 'txt';
    const path = `/${++this.last}/${nameOf(name)}.${ending}`;
    const uri = vscode.Uri.from({ scheme, path, query: this.window });
    this.entries.set(uri.toString(), {
      read: read ?? (() => Promise.resolve(text.text)),
      fresh: text.text,
      bytes: Buffer.byteLength(text.text),
      time: Date.now(),
      life: read ? 'held' : 'unopened',
    });
    const unopened = [...this.entries].filter(([, e]) => e.life === 'unopened').map(([address]) => address);
    for (const address of unopened.slice(0, -maxUnopened)) {
      this.entries.delete(address);
    }
    return uri;
  }

  drop(uri: vscode.Uri): void {
    this.entries.delete(uri.toString());
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes: size, time } = this.entries.get(uri.toString()) ?? { bytes: Buffer.byteLength(gone()), time: 0 };
    return { type: vscode.FileType.File, ctime: time, mtime: time, size, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const entry = this.entries.get(uri.toString());
    if (!entry) {
      return Buffer.from(gone());
    }
    const { fresh } = entry;
    entry.fresh = undefined;
    return Buffer.from(fresh ?? (await entry.read().catch(gone)));
  }

  /** Lets go of what no tab shows any more. */
  private follow(): void {
    const shown = new Set(openResults().map((uri) => uri.toString()));
    for (const [address, e] of this.entries) {
      if (e.life === 'unopened' && shown.has(address)) {
        e.life = 'opened';
      } else if (e.life === 'opened' && !shown.has(address)) {
        this.entries.delete(address);
      }
    }
  }
}

/** Returns the addresses of all documents of results that tabs show. */
export function openResults(): vscode.Uri[] {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .flatMap(({ input }) =>
      input instanceof vscode.TabInputText
        ? [input.uri]
        : input instanceof vscode.TabInputTextDiff
          ? [input.original, input.modified]
          : [],
    )
    .filter((uri) => uri.scheme === scheme);
}

/** Says that a result is not there any more. */
export function gone(): string {
  return t('This result is no longer available; run the tool again.');
}
