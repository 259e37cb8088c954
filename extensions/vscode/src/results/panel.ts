// A panel with the page of a result.

import * as vscode from 'vscode';
import { panelOptions } from '../ui/webpage';
import { type Action, actions } from './page';

export const viewType = 'mcp-editord.result';

/** What a person clicked: a button of the whole result, or of one of its blocks. */
export interface Click {
  action: Action;
  block: number | undefined;
}

export class Panel<E extends { readonly id: string }> {
  private readonly panel: vscode.WebviewPanel;

  /** `entry` is what it shows, and `folders` have the media of its page. `revived` is a panel that there is already. */
  constructor(
    title: string,
    public entry: E,
    clicked: (panel: Panel<E>, click: Click) => void,
    closed: (panel: Panel<E>) => void,
    changed: () => void,
    folders: vscode.Uri[],
    revived?: vscode.WebviewPanel,
  ) {
    this.panel = revived ?? vscode.window.createWebviewPanel(viewType, title, vscode.ViewColumn.Active, panelOptions);
    this.panel.webview.options = { ...panelOptions, localResourceRoots: folders };
    this.panel.webview.onDidReceiveMessage((said: { id?: string; action?: Action; block?: number }) => {
      const { id, action, block } = said;
      // What was clicked on a page that has made way for another one is not meant for this one.
      if (id === this.entry.id && action !== undefined && actions.includes(action)) {
        clicked(this, { action, block });
      }
    });
    this.panel.onDidDispose(() => closed(this));
    this.panel.onDidChangeViewState(changed);
  }

  get active(): boolean {
    return this.panel.active;
  }

  /** Shows a page in place of the one before, where the panel is. */
  show(title: string, entry: E, html: (webview: vscode.Webview) => string, reveal = true): void {
    this.entry = entry;
    this.panel.title = title;
    this.panel.webview.html = html(this.panel.webview);
    if (reveal) {
      this.panel.reveal();
    }
  }
}

/** Returns how many tabs have a page of a result. */
export function pagesInTabs(): number {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith(viewType)).length;
}
