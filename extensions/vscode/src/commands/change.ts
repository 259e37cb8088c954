// Editord: Remove Server…, Enable Server and Disable Server change the file that defines a server. The daemon does,
// and keeps a copy of the file.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import type { Server } from '../protocol';
import { line } from '../text';
import { tell } from '../ui/message';
import { pathText } from '../views/items';
import { showPlace } from './configuration';
import { told } from './told';

const { t } = vscode.l10n;

/** Takes a server out of its file, once the person has seen which file that is. */
export async function removeServer(ctx: Ctx, server: Server): Promise<void> {
  const name = line(server.name, 60);
  const file = pathText(server.source);
  const detail = t('It is taken out of {0}, for all your editors.', file);
  const remove = t('Remove');
  const answer = await vscode.window.showWarningMessage(t('Remove "{0}"?', name), { modal: true, detail }, remove);
  if (answer === remove) {
    const place = await ctx.client.request('editord/removeServer', { server: server.name });
    tell('information', t('"{0}" is no longer in {1}.', name, file), t('Open File'), () =>
      told(ctx, () => showPlace(place)),
    );
  }
}

/** Says in the file of a server whether it may run. */
export async function setEnabled(ctx: Ctx, server: Server, enabled: boolean): Promise<void> {
  const place = await ctx.client.request('editord/enableServer', { server: server.name, enabled });
  const name = line(server.name, 60);
  const file = pathText(server.source);
  const text = enabled
    ? t('"{0}" may run again: {1} says so.', name, file)
    : t('"{0}" does not run any more: {1} says so.', name, file);
  tell('information', text, t('Open File'), () => told(ctx, () => showPlace(place)));
}
