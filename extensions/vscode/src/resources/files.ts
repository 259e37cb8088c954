// Resources as read-only files of the scheme mcp. What is open is subscribed, and read
// again when its server says that it was updated.

import * as vscode from 'vscode';
import { coalesce } from '../coalesce';
import type { Catalog } from '../daemon/catalog';
import type { Client } from '../daemon/client';
import { isObject } from '../json';
import type { ResourceContents } from '../protocol';
import { addressOf, readAddress } from './address';

/** How many resources are kept that were read for their size, until they are read. */
const maxKept = 32;

export function resourceUri(server: string, uri: string, title?: string): vscode.Uri {
  return vscode.Uri.from(addressOf(server, uri, title));
}

interface Kept {
  bytes: Uint8Array;
  mtime: number;
}

/** A resource that is on the screen. */
interface Watched {
  uri: vscode.Uri;
  /** How many watch it. */
  count: number;
  /** Whether its server was asked to tell of updates. */
  subscribed: boolean;
  /** Whether updates may have been missed. */
  outdated: boolean;
  /** Whether an update has come since it was last read. */
  updated: boolean;
}

export class Resources implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private readonly kept = new Map<string, Promise<Kept>>();
  private readonly watched = new Map<string, Watched>();
  private readonly registered: vscode.Disposable;

  readonly onDidChangeFile = this.changed.event;

  constructor(
    private readonly client: Client,
    private readonly catalog: Catalog,
    private readonly connected: () => Promise<void>,
  ) {
    this.registered = vscode.Disposable.from(
      this.changed,
      vscode.workspace.registerFileSystemProvider('mcp', this, { isReadonly: true, isCaseSensitive: true }),
      client.onDidChangeState((state) => state !== 'running' && this.disconnected()),
      catalog.onDidChange(() => this.subscribe()),
    );
  }

  dispose(): void {
    this.registered.dispose();
  }

  /** A server has updated a resource (MCP's notifications/resources/updated). */
  updated(server: string, resource: string): void {
    for (const w of this.watched.values()) {
      const at = readAddress(w.uri);
      // The URI may also be of a sub-resource of the one that is subscribed (MCP 2025-11-25, Resources, Subscriptions).
      if (at?.server === server && (resource === at.uri || resource.startsWith(`${at.uri}/`))) {
        w.updated = true;
        this.rereadUpdated();
      }
    }
  }

  /** However often a server says so, a resource is read ten times a second at most. */
  private readonly rereadUpdated = coalesce(() => {
    const updated = [...this.watched.values()].filter((w) => w.updated);
    for (const w of updated) {
      w.updated = false;
    }
    this.reread(updated.map((w) => w.uri));
  });

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
    if (!this.watched.has(uri.toString())) {
      this.kept.delete(uri.toString()); // nobody would say when it is out of date
    }
    return bytes;
  }

  watch(uri: vscode.Uri): vscode.Disposable {
    const key = uri.toString();
    const w = this.watched.get(key) ?? { uri, count: 0, subscribed: false, outdated: false, updated: false };
    this.watched.set(key, w);
    w.count++;
    this.subscribe();
    return new vscode.Disposable(() => {
      if (--w.count === 0) {
        this.watched.delete(key);
        this.kept.delete(key);
        if (w.subscribed) {
          this.tell('unsubscribe', uri);
        }
      }
    });
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  writeFile(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  /** The size is needed before the bytes, and MCP only has the bytes: they are read once for both. */
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
    // A read may return several, as of a directory (MCP 2025-11-25, Resources, Reading Resources): texts are joined.
    const [first, ...others] = contents;
    const mtime = Date.now();
    if (first?.blob !== undefined && others.length === 0) {
      return { bytes: Buffer.from(first.blob, 'base64'), mtime };
    }
    const text = contents.map((c) => c.text ?? `${c.uri}: ${c.mimeType ?? 'application/octet-stream'}`).join('\n');
    return { bytes: Buffer.from(text), mtime };
  }

  /** Subscribes what is watched, once its server is there. Without a subscription a resource is shown all the same. */
  private subscribe(): void {
    for (const w of this.watched.values()) {
      const server = this.catalog.server(readAddress(w.uri)?.server ?? '');
      if (server?.state !== 'ready') {
        continue;
      }
      const { resources } = server.capabilities ?? {};
      if (!w.subscribed && isObject(resources) && resources.subscribe === true) {
        w.subscribed = true;
        this.tell('subscribe', w.uri);
      }
      if (w.outdated) {
        w.outdated = false;
        this.reread([w.uri]);
      }
    }
  }

  /** With the connection its subscriptions have ended. */
  private disconnected(): void {
    for (const w of this.watched.values()) {
      w.subscribed = false;
      w.outdated = true;
    }
  }

  private reread(uris: vscode.Uri[]): void {
    for (const uri of uris) {
      this.kept.delete(uri.toString());
    }
    this.changed.fire(uris.map((uri) => ({ type: vscode.FileChangeType.Changed, uri })));
  }

  private tell(what: 'subscribe' | 'unsubscribe', uri: vscode.Uri): void {
    const at = readAddress(uri);
    if (at) {
      this.client
        .request(`mcp/resources/${what}`, { server: at.server, params: { uri: at.uri } })
        .catch(() => undefined);
    }
  }
}
