// Documents for values that do not fit on one line: a text of several lines, or JSON with its
// schema. A button, a key or the line above the text uses the value. Saving does not, because
// auto-save saves what is half typed. Closing does not either: it goes back to the form, which
// has everything that was typed.

import * as vscode from 'vscode';
import type { Json, JsonObject } from '../protocol';
import { line } from '../text';
import { FlatFiles } from '../ui/flat-files';
import { closeTabs } from '../ui/read';

/** The scheme of the documents; their schemas are documents of schemaScheme. */
const scheme = 'mcp-value';
const schemaScheme = 'mcp-schema';

/** The $schema of a text until it is opened. */
export const noSchema = `${schemaScheme}:`;
const schemaOf = /mcp-schema:[^"]*/;

export interface Value {
  /** The name of the document. */
  name: string;
  text: string;
  language: 'json' | 'plaintext';
  schema?: JsonObject;
  /** Reads the text, or says what is wrong with it. */
  read: (text: string) => { value: Json | undefined } | { problem: string };
  /** Is called with the text whenever it changes. */
  changed: (text: string) => void;
  token: vscode.CancellationToken | undefined;
}

/** The value to use, or 'closed' without one; undefined when it was withdrawn. */
type Outcome = { value: Json | undefined } | 'closed' | undefined;

interface Editing extends Value {
  uri: vscode.Uri;
  bytes: Uint8Array;
  version: number;
  /** Ends it; undefined when it has ended. */
  done: ((outcome: Outcome) => void) | undefined;
}

const { t } = vscode.l10n;

/** How many ended ones are kept: auto-save may still write them, and VS Code reopens what it could not write. */
const maxEnded = 20;

/** The values that are being edited, by the path of their document. */
export class Documents
  extends FlatFiles
  implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable
{
  private readonly editing = new Map<string, Editing>();
  private readonly problems = vscode.languages.createDiagnosticCollection('mcp-editord');
  private readonly held: vscode.Disposable[];
  private last = 0;

  constructor() {
    super();
    this.held = [
      this.changed,
      this.problems,
      vscode.workspace.registerFileSystemProvider(scheme, this, { isCaseSensitive: true }),
      vscode.workspace.registerTextDocumentContentProvider(schemaScheme, this),
      vscode.languages.registerCodeLensProvider({ scheme }, this),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const e = document.uri.scheme === scheme ? this.editing.get(document.uri.path) : undefined;
        if (e && contentChanges.length > 0) {
          const text = document.getText();
          // Closing without saving reads the file again, so it must have what was typed.
          e.bytes = new TextEncoder().encode(text);
          this.problems.delete(e.uri);
          e.changed(text);
        }
      }),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const { input } of closed) {
          if (input instanceof vscode.TabInputText && input.uri.scheme === scheme && !isOpen(input.uri)) {
            this.editing.get(input.uri.path)?.done?.('closed');
          }
        }
      }),
    ];
  }

  dispose(): void {
    for (const e of [...this.editing.values()]) {
      e.done?.(undefined);
    }
    vscode.Disposable.from(...this.held).dispose();
  }

  /** Opens the value in an editor. Returns 'closed' when the person closed that, undefined when it was withdrawn. */
  async edit(value: Value): Promise<Outcome> {
    const path = `/${++this.last}/${encodeURIComponent(value.name)}.${value.language === 'json' ? 'json' : 'txt'}`;
    const uri = vscode.Uri.from({ scheme, path });
    const outcome = new Promise<Outcome>((done) => {
      const schema = vscode.Uri.from({ scheme: schemaScheme, path }).toString();
      const text = value.schema ? value.text.replace(schemaOf, schema) : value.text;
      const bytes = new TextEncoder().encode(text);
      this.editing.set(path, { ...value, uri, bytes, version: 1, done });
    });
    const withdrawn = value.token?.onCancellationRequested(() => this.editing.get(path)?.done?.(undefined));
    try {
      await vscode.window.showTextDocument(uri, { preview: false });
      return await outcome;
    } finally {
      withdrawn?.dispose();
      this.problems.delete(uri);
      // VS Code would ask about a document that is not saved.
      await documentOf(uri)?.save();
      await closeTabs(uri);
      this.ended(path);
    }
  }

  private ended(path: string): void {
    const e = this.editing.get(path);
    if (e) {
      e.done = undefined;
      e.changed = () => undefined;
    }
    for (const [old] of [...this.editing].filter(([, { done }]) => !done).slice(0, -maxEnded)) {
      this.editing.delete(old);
    }
  }

  /** Uses the value in a document, by default the active one, or shows what is wrong with it. */
  use(uri = vscode.window.activeTextEditor?.document.uri): void {
    const document = uri && documentOf(uri);
    const e = uri?.scheme === scheme ? this.editing.get(uri.path) : undefined;
    if (!e?.done || !document) {
      void vscode.window.showInformationMessage(
        t('No form is waiting for this value; run the tool again to continue where you left off.'),
      );
      return;
    }
    const r = e.read(document.getText());
    if ('value' in r) {
      e.done(r);
      return;
    }
    const end = document.lineAt(document.lineCount - 1).range.end;
    this.problems.set(e.uri, [new vscode.Diagnostic(new vscode.Range(new vscode.Position(0, 0), end), r.problem)]);
    void vscode.window.showErrorMessage(line(r.problem, 300));
  }

  /** Goes back to the form, which keeps the text. */
  leave(uri = vscode.window.activeTextEditor?.document.uri): void {
    if (uri) {
      this.editing.get(uri.path)?.done?.('closed');
    }
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const top = new vscode.Range(0, 0, 0, 0);
    const lens = (title: string, command: string) =>
      new vscode.CodeLens(top, { title, command: `mcp-editord.${command}`, arguments: [uri] });
    return this.editing.get(uri.path)?.done
      ? [lens(`$(check) ${t('Use This Value')}`, 'useValue'), lens(t('Keep and Go Back'), 'leaveValue')]
      : [];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return JSON.stringify(this.editing.get(uri.path)?.schema ?? {});
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const e = this.find(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: e.version, size: e.bytes.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.find(uri).bytes;
  }

  override writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const e = this.find(uri);
    e.bytes = bytes;
    e.version++;
  }

  private find(uri: vscode.Uri): Editing {
    const e = this.editing.get(uri.path);
    if (!e) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return e;
  }
}

function documentOf(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((d) => d.uri.toString() === uri.toString());
}

function isOpen(uri: vscode.Uri): boolean {
  return vscode.window.tabGroups.all.some((group) =>
    group.tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString()),
  );
}
