// Shows the worst state of the servers in the status bar. A click lists the servers.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { line } from '../text';
import { icons, serverIcon, serverSummary, worst } from './items';

const { t } = vscode.l10n;

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('mcp-editord.status', vscode.StatusBarAlignment.Right, 10);
  private readonly following: vscode.Disposable;

  constructor(private readonly ctx: Ctx) {
    this.item.name = 'Editord';
    this.item.command = 'mcp-editord.servers';
    this.following = vscode.Disposable.from(
      ctx.catalog.onDidChange(() => this.update()),
      ctx.client.onDidChangeState(() => this.update()),
      ctx.signIns.onDidChange(() => this.update()),
    );
    this.update();
  }

  dispose(): void {
    this.following.dispose();
    this.item.dispose();
  }

  private update(): void {
    const { client, catalog, signIns } = this.ctx;
    if (client.state === 'off') {
      this.item.hide();
      return;
    }
    if (client.state !== 'running') {
      const failed = client.state === 'failed';
      this.show(
        failed ? '$(error) Editord' : '$(sync~spin) Editord',
        failed ? t('mcp-editord is not connected') : t('connecting to mcp-editord…'),
        failed ? 'error' : '',
      );
      return;
    }
    const state = worst(catalog.servers);
    const ready = catalog.servers.filter((s) => s.state === 'ready').length;
    const lines = catalog.servers.map((s) => `${line(s.name, 60)}: ${serverSummary(s, t, signIns.has(s.name))}`);
    const calm = state === undefined || state === 'ready' || state === 'stopped' || state === 'disabled';
    const troubled = catalog.servers.find((s) => s.waitsFor || (calm && s.state === 'ready' && s.problems));
    const icon = troubled ? serverIcon(troubled).icon : calm ? 'plug' : icons[state].icon;
    const background =
      state === 'failed' ? 'error' : state === 'needsApproval' || state === 'needsSignIn' ? 'warning' : '';
    this.show(`$(${icon}) Editord ${ready}`, lines.join('\n') || t('There are no MCP servers'), background);
  }

  private show(text: string, tooltip: string, background: '' | 'error' | 'warning'): void {
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.backgroundColor = background ? new vscode.ThemeColor(`statusBarItem.${background}Background`) : undefined;
    this.item.accessibilityInformation = { label: `Editord. ${tooltip.replaceAll('\n', '. ')}`, role: 'button' };
    this.item.show();
  }
}
