// Shows resources as read-only files with the scheme mcp. An open one follows its updates.

import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Catalog } from '../daemon/catalog';
import type { Client } from '../daemon/client';
import { isKept } from '../daemon/kept-file';
import type { ResourceContents } from '../protocol';
import { line, message } from '../text';
import { FlatFiles } from '../ui/flat-files';
import { tell } from '../ui/message';
import { addressOf, readAddress } from './address';
import { Subscriptions } from './subscriptions';

/** How many resources that were read for their size are kept until they are read for their bytes. */
const maxKept = 32;
/** How long a message waits for more ended subscriptions: those of one server end together. */
const pause = 200; // ms

const { t } = vscode.l10n;

/** Returns the address of a resource. VS Code opens it by its media type, if that is known. */
export function resourceUri(server: string, uri: string, title?: string, mime?: string): vscode.Uri {
  return vscode.Uri.from(addressOf(server, uri, title, mime));
}

interface Kept {
  bytes: Uint8Array;
  mtime: number;
}

export class Resources extends FlatFiles implements vscode.Disposable {
  private readonly kept = new Map<string, Promise<Kept>>();
  private readonly held: vscode.Disposable;
  /** Documents whose subscription has ended and that no message has named yet, with the reasons. */
  private readonly untold = new Map<string, string>();

  readonly subscriptions: Subscriptions;

  constructor(
    private readonly client: Client,
    catalog: Catalog,
    private readonly connected: () => Promise<void>,
  ) {
    super();
    this.subscriptions = new Subscriptions({
      server: (name) => catalog.server(name),
      tell: (what, { server, uri }) => client.request(`mcp/resources/${what}`, { server, params: { uri } }),
      reread: (documents) => this.reread(documents),
      ended: (documents, reason) => this.tellEnded(documents, reason),
    });
    this.held = vscode.Disposable.from(
      this.changed,
      vscode.workspace.registerFileSystemProvider('mcp', this, { isReadonly: true, isCaseSensitive: true }),
      client.onDidChangeState((state) => state !== 'running' && this.subscriptions.disconnected()),
      catalog.onDidChange(() => this.subscriptions.subscribe()),
    );
  }

  dispose(): void {
    this.held.dispose();
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, mtime } = await this.contents(uri);
    return {
      type: vscode.FileType.File,
      ctime: 0,
      mtime,
      size: bytes.length,
      permissions: vscode.FilePermission.Readonly,
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const { bytes } = await this.contents(uri);
    if (!this.subscriptions.has(uri.toString())) {
      this.kept.delete(uri.toString()); // nobody will say when it is out of date
    }
    return bytes;
  }

  override watch(uri: vscode.Uri): vscode.Disposable {
    const at = readAddress(uri);
    const end = at && this.subscriptions.watch(at, uri.toString());
    return new vscode.Disposable(() => {
      end?.();
      if (!this.subscriptions.has(uri.toString())) {
        this.kept.delete(uri.toString());
      }
    });
  }

  /** Reads a resource once for both size and bytes. VS Code needs the size first, and MCP only has the bytes. */
  private contents(uri: vscode.Uri): Promise<Kept> {
    const key = uri.toString();
    let reading = this.kept.get(key);
    if (!reading) {
      reading = this.read(uri);
      this.kept.set(key, reading);
      reading.catch(() => this.kept.delete(key));
      for (const old of [...this.kept.keys()].slice(0, -maxKept)) {
        this.kept.delete(old);
      }
    }
    return reading;
  }

  private async read(uri: vscode.Uri): Promise<Kept> {
    const at = readAddress(uri);
    if (!at) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    await this.connected();
    const { contents } = await this.client.request<{ contents: ResourceContents[] }>('mcp/resources/read', {
      server: at.server,
      params: { uri: at.uri },
    });
    // A read may return several contents, as of a directory (MCP 2025-11-25, Resources, Reading Resources).
    const [first, ...others] = contents;
    const mtime = Date.now();
    if (first && others.length === 0 && isKept(first, this.client.files)) {
      return { bytes: await readFile(vscode.Uri.parse(first.uri, true).fsPath), mtime };
    }
    if (first?.blob !== undefined && others.length === 0) {
      return { bytes: Buffer.from(first.blob, 'base64'), mtime };
    }
    const text = contents.map((c) => c.text ?? `${c.uri}: ${c.mimeType ?? 'application/octet-stream'}`).join('\n');
    return { bytes: Buffer.from(text), mtime };
  }

  private reread(documents: string[]): void {
    for (const document of documents) {
      this.kept.delete(document);
    }
    const type = vscode.FileChangeType.Changed;
    this.changed.fire(documents.map((document) => ({ type, uri: vscode.Uri.parse(document, true) })));
  }

  /** Says in one message that open documents are no longer updated. */
  private tellEnded(documents: readonly string[], reason: string): void {
    if (this.untold.size === 0) {
      setTimeout(() => {
        const [[first, why] = ['', ''], ...others] = this.untold;
        this.untold.clear();
        const name = line(vscode.Uri.parse(first, true).path.slice(1), 100);
        const text =
          others.length === 0
            ? t('"{0}" is no longer updated: {1}', name, line(why, 300))
            : t('"{0}" and {1} more are no longer updated: {2}', name, others.length, line(why, 300));
        tell('information', text, t('Subscribe Again'), () => this.subscribeAgain());
      }, pause);
    }
    for (const document of documents) {
      this.untold.set(document, reason);
    }
  }

  private async subscribeAgain(): Promise<void> {
    try {
      await this.connected();
      await this.subscriptions.again();
    } catch (error) {
      const text = t('The subscription failed: {0}', line(message(error), 300));
      tell('error', text, t('Try Again'), () => this.subscribeAgain());
    }
  }
}
