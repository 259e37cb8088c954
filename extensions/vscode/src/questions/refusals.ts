// How a person refuses a server: this one question, or all that it asks.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import type { Question } from '../protocol';
import { line, message } from '../text';
import { tell } from '../ui/message';
import type { Button } from '../ui/quick-input';

const { t } = vscode.l10n;

/** From so many refusals in a row on there are ways to be asked no more (docs/editor-protocol.md). */
const many = 3;

/** Ways to have no more questions of a server that keeps asking. */
export function silence(q: Question<unknown>): Button[] {
  const name = line(q.server, 60);
  return (q.refused ?? 0) < many
    ? []
    : [
        { id: 'mute', icon: 'bell-slash', label: t('Mute {0}', name) },
        { id: 'stop', icon: 'debug-stop', label: t('Stop {0}', name) },
      ];
}

/** Mutes or stops a server, when that was chosen. Returns whether the question is refused with it. */
export async function silenced(ctx: Ctx, server: string, chosen: string): Promise<boolean> {
  try {
    await ctx.client.request(chosen === 'mute' ? 'editord/muteServer' : 'editord/stopServer', { server });
    return true;
  } catch (error) {
    tell('error', `${line(server, 60)}: ${line(message(error), 300)}`, t('Show Log'), () => ctx.log.show());
    return false;
  }
}
