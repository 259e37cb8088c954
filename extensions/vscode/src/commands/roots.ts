// Editord: Show Roots… shows which folders a server is told of.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { line } from '../text';
import { pick } from '../ui/quick-input';
import { choose } from './servers';

const { t } = vscode.l10n;

export async function showRoots(ctx: Ctx): Promise<void> {
  const server = await choose(ctx, t('Show the roots of a server'), (s) => s.state === 'ready');
  if (!server) {
    return;
  }
  const { roots } = await ctx.client.request<{ roots: { uri: string; name?: string }[] }>('mcp/roots/list', {
    server: server.name,
  });
  const uri = await pick<string>({
    title: t('Roots of {0}', line(server.name, 60)),
    placeholder:
      roots.length > 0
        ? t('Select a root to reveal it in the Explorer')
        : t('This server has no roots: no folder is open, or its configuration gives it none'),
    items: roots.map((r) => ({
      label: `$(root-folder) ${line(r.name ?? r.uri, 80)}`,
      description: line(r.uri, 200),
      value: r.uri,
    })),
  });
  if (uri) {
    await vscode.commands.executeCommand('revealInExplorer', vscode.Uri.parse(uri, true));
  }
}
