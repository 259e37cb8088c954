// Shows results: as a message, a read-only document, or a page.

import * as vscode from 'vscode';
import type { PromptResult, ToolResult } from '../protocol';
import { nameOf } from '../resources/address';
import { resourceUri } from '../resources/files';
import { block, firstLine } from '../text';
import { openExternal, tell } from '../ui/message';
import { panelOptions } from '../ui/webpage';
import { type Block, type Preference, present, textOf } from './format';
import { page } from './page';
import { render } from './render';

const { t } = vscode.l10n;

/** The scheme of the documents. */
const scheme = 'mcp-result';

/** How many documents are kept. The editor asks again for one that it shows. */
const maxDocuments = 30;

/** Where a result comes from. The title is harmless already; the names are as the server wrote them. */
export interface Origin {
  server: string;
  name: string;
  title: string;
}

export class Results implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly documents = new Map<string, string>();
  private readonly registered = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  private panel: vscode.WebviewPanel | undefined;
  private last = 0;

  dispose(): void {
    this.registered.dispose();
    this.panel?.dispose();
  }

  /** Shows the result of a tool or a prompt. */
  async show(from: Origin, result: ToolResult | PromptResult): Promise<void> {
    if ('isError' in result && result.isError) {
      const text = firstLine(textOf(result), 300) || t('the tool reported an error');
      tell('error', `${from.title}: ${text}`, t('Show Result'), () => this.open(from, result, 'preview'));
      return;
    }
    await this.open(
      from,
      result,
      vscode.workspace.getConfiguration('mcp-editord').get<Preference>('results.view', 'auto'),
    );
  }

  private async open(from: Origin, result: ToolResult | PromptResult, preference: Preference): Promise<void> {
    const p = present(result, preference);
    switch (p.as) {
      case 'message':
        tell('information', `${from.title}: ${p.text}`, t('Open'), () =>
          this.document(from.name, block(textOf(result)), 'plaintext'),
        );
        return;
      case 'document':
        await this.document(from.name, p.text, p.language);
        return;
      case 'page':
        await this.page(from, result, p.blocks);
    }
  }

  /** Opens a text as a read-only document. It must be harmless already. */
  async document(name: string, text: string, language: 'json' | 'plaintext'): Promise<void> {
    await vscode.window.showTextDocument(this.keep(name, text, language), { preview: true });
  }

  /** Makes a document of a text and returns its address. The text must be harmless already. */
  keep(name: string, text: string, language: 'json' | 'plaintext'): vscode.Uri {
    const extension = language === 'json' ? 'json' : 'txt';
    const uri = vscode.Uri.from({ scheme, path: `/${++this.last}/${nameOf(name)}.${extension}` });
    this.documents.set(uri.path, text);
    for (const old of [...this.documents.keys()].slice(0, -maxDocuments)) {
      this.documents.delete(old);
    }
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.documents.get(uri.path) ?? t('This result is no longer available; run the tool again.');
  }

  private async page(from: Origin, result: ToolResult | PromptResult, blocks: Block[]): Promise<void> {
    const markdown = await render(blocks.map((b) => (b.kind === 'markdown' ? b.text : '')));
    // Each result has a panel of its own, so that a click belongs to what is seen.
    this.panel?.dispose();
    const panel = vscode.window.createWebviewPanel(
      'mcp-editord.result',
      from.title,
      vscode.ViewColumn.Active,
      panelOptions,
    );
    this.panel = panel;
    panel.onDidDispose(() => {
      if (this.panel === panel) {
        this.panel = undefined;
      }
    });
    panel.webview.onDidReceiveMessage((said: { open?: number; save?: number; text?: boolean }) => {
      const opened = blocks[said.open ?? -1];
      const saved = blocks[said.save ?? -1];
      if (opened?.kind === 'link') {
        void openLink(from.server, opened.uri);
      } else if (saved?.kind === 'file') {
        void save(saved);
      } else if (said.text) {
        void this.open(from, result, 'document').then(() => panel.dispose());
      }
    });
    panel.webview.html = page(from.title, blocks, markdown, vscode.env.language, {
      save: t('Save As…'),
      open: t('Open'),
      asText: t('Open as Text'),
      image: t('Image in the result'),
      audio: t('Audio in the result'),
    });
  }
}

/** Opens a link: a resource from its server, or a page of the web after VS Code has asked. */
async function openLink(server: string, uri: string): Promise<void> {
  if (/^https?:\/\//i.test(uri)) {
    await openExternal(uri);
    return;
  }
  await vscode.commands.executeCommand('vscode.open', resourceUri(server, uri));
}

async function save(file: Block & { kind: 'file' }): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog(
    folder ? { defaultUri: vscode.Uri.joinPath(folder, file.name) } : {},
  );
  if (target) {
    await vscode.workspace.fs.writeFile(target, Buffer.from(file.data, 'base64'));
  }
}
