// Nested values are edited as JSON in an ordinary editor, with their schema. Saving
// the document hands the value over, closing it gives up: like a commit message in git.

import * as vscode from 'vscode';
import type { Json, JsonObject } from '../protocol';
import { closeTabs } from '../read';
import { editorSchema, type Field, readJson, skeleton } from './schema';

/** The scheme of the documents; their schemas are documents of schemaScheme. */
const scheme = 'mcp-value';
const schemaScheme = 'mcp-schema';

interface Editing {
  field: Field;
  schema: string;
  bytes: Uint8Array;
  version: number;
  /** What was saved last. */
  value: Json | undefined;
  done: (value: Json | undefined) => void;
}

const { t } = vscode.l10n;

/** The values that are being edited, by the path of their document. */
export class JsonEditor implements vscode.FileSystemProvider, vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly editing = new Map<string, Editing>();
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private readonly held: vscode.Disposable[];
  private last = 0;

  readonly onDidChangeFile = this.changed.event;

  constructor() {
    this.held = [
      this.changed,
      vscode.workspace.registerFileSystemProvider(scheme, this, { isCaseSensitive: true }),
      vscode.workspace.registerTextDocumentContentProvider(schemaScheme, this),
      // Only then the editor takes the document for saved and lets it close.
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.scheme === scheme) {
          const e = this.editing.get(uri.path);
          e?.done(e.value);
        }
      }),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const tab of closed) {
          if (tab.input instanceof vscode.TabInputText && tab.input.uri.scheme === scheme) {
            this.editing.get(tab.input.uri.path)?.done(undefined);
          }
        }
      }),
    ];
  }

  dispose(): void {
    for (const e of [...this.editing.values()]) {
      e.done(undefined);
    }
    vscode.Disposable.from(...this.held).dispose();
  }

  /** Opens the value in an editor. Returns undefined when it was closed without being saved, or withdrawn. */
  async edit(
    field: Field,
    value: Json | undefined,
    root: JsonObject | undefined,
    token: vscode.CancellationToken | undefined,
  ): Promise<Json | undefined> {
    const path = `/${++this.last}/${encodeURIComponent(field.name)}.json`;
    const uri = vscode.Uri.from({ scheme, path });
    const schema = vscode.Uri.from({ scheme: schemaScheme, path });
    const text = JSON.stringify({ $schema: schema.toString(), [field.name]: value ?? skeleton(field) }, undefined, 2);
    const saved = new Promise<Json | undefined>((done) => {
      this.editing.set(path, {
        field,
        schema: JSON.stringify(editorSchema(field, root)),
        bytes: new TextEncoder().encode(`${text}\n`),
        version: 1,
        value: undefined,
        done,
      });
    });
    const withdrawn = token?.onCancellationRequested(() => this.editing.get(path)?.done(undefined));
    try {
      await vscode.window.showTextDocument(uri, { preview: false });
      return await saved;
    } finally {
      withdrawn?.dispose();
      this.editing.delete(path);
      await closeTabs(uri);
    }
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.editing.get(uri.path)?.schema ?? '{}';
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const e = this.find(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: e.version, size: e.bytes.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.find(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const e = this.find(uri);
    const r = readJson(e.field, new TextDecoder().decode(bytes), t);
    if ('problem' in r) {
      throw new Error(r.problem);
    }
    e.bytes = bytes;
    e.value = r.value;
    e.version++;
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  private find(uri: vscode.Uri): Editing {
    const e = this.editing.get(uri.path);
    if (!e) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return e;
  }
}
