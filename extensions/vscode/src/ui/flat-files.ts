// What our file systems have in common: documents beside each other, without folders. Nobody makes,
// renames or deletes one, and nobody writes one unless its file system lets them.

import * as vscode from 'vscode';

export abstract class FlatFiles implements vscode.FileSystemProvider {
  /** Tells VS Code of changes. Dispose of it with the file system. */
  protected readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;

  abstract stat(uri: vscode.Uri): vscode.FileStat | Thenable<vscode.FileStat>;

  abstract readFile(uri: vscode.Uri): Uint8Array | Thenable<Uint8Array>;

  writeFile(_uri: vscode.Uri, _bytes: Uint8Array): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  watch(_uri: vscode.Uri): vscode.Disposable {
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
}
