// Shows a tool or a prompt in a panel: a person reads what it does before they run it.

import * as vscode from 'vscode';
import { call, fieldsOf, whereAmI } from '../calls/call';
import { openCall } from '../calls/document';
import type { Ctx } from '../ctx';
import type { Command } from '../daemon/catalog';
import type { Context } from '../protocol';
import { line } from '../text';
import { copy } from '../ui/message';
import { panelOptions } from '../ui/webpage';
import { detailsPage, isSaid, keybinding, type Said } from './details-page';
import { commandTitle } from './items';

const { t } = vscode.l10n;

export class Details implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  /** What the panel shows, as it was last offered. */
  private command: Command | undefined;
  /** What the page was made of. */
  private drawn = '';
  /** Where the person was before they came to the panel. */
  private where: Context = {};
  private readonly following: vscode.Disposable;

  /** @param run does what a button says, and tells the person when that fails. */
  constructor(
    private readonly ctx: Ctx,
    private readonly run: (action: () => unknown) => void,
  ) {
    this.following = ctx.catalog.onDidChange(() => this.draw());
  }

  dispose(): void {
    this.following.dispose();
    this.panel?.dispose();
  }

  /** Shows a tool or a prompt, in place of the one that was shown before. */
  show(command: Command): void {
    const where = whereAmI();
    if (where.textDocument) {
      this.where = where;
    }
    this.command = command;
    if (this.panel) {
      this.panel.reveal();
    } else {
      this.panel = this.open();
    }
    this.draw();
  }

  private open(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel('mcp-editord.details', '', vscode.ViewColumn.Active, panelOptions);
    this.drawn = '';
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    panel.webview.onDidReceiveMessage((what: unknown) => {
      const { command } = this;
      if (command && isSaid(what)) {
        this.run(() => this.obey(what, command));
      }
    });
    return panel;
  }

  private draw(): void {
    const id = this.command?.id ?? '';
    const offered = this.ctx.catalog.command(id);
    this.command = offered ?? this.command;
    if (!this.panel || !this.command) {
      return;
    }
    const { command } = this;
    // A page that has not changed stays where the person has scrolled it to.
    const state = JSON.stringify([command, offered !== undefined]);
    if (state !== this.drawn) {
      this.drawn = state;
      this.panel.title = line(commandTitle(command) ?? command.name, 60);
      this.panel.webview.html = detailsPage(command, fieldsOf(command), offered !== undefined, vscode.env.language, t);
    }
  }

  private async obey(what: Said, command: Command): Promise<void> {
    switch (what) {
      case 'run':
        await call(this.ctx, command, undefined, this.where);
        return;
      case 'newCall':
        return openCall(this.ctx, command, {}, this.where);
      case 'copyId':
        return copy(command.id);
      case 'copyKey':
        return copy(keybinding(command));
      case 'openKeys':
        await vscode.commands.executeCommand('workbench.action.openGlobalKeybindingsFile');
    }
  }
}
