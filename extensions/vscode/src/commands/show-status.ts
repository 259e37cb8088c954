// Editord: Show Status, and Editord: Reset Model Permissions.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { statusText } from '../views/status-text';

const { t } = vscode.l10n;

export async function showStatus(ctx: Ctx): Promise<void> {
  await ctx.connected();
  const status = await ctx.client.request('editord/status', {});
  await ctx.results.document('mcp-editord-status', statusText(status, t), 'plaintext');
}

export async function resetGrants(ctx: Ctx): Promise<void> {
  await ctx.grants.clear(ctx.extension.globalState.keys());
  void vscode.window.showInformationMessage(
    t('The permissions are reset; you decide again before a server asks a model.'),
  );
}
