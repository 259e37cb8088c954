// Lets a person refuse all that a server asks, not only one question.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import type { Question } from '../protocol';
import { line, message } from '../text';
import { tell } from '../ui/message';
import type { Button } from '../ui/quick-input';

const { t } = vscode.l10n;

/** How many refusals in a row it takes before muting and stopping are offered (docs/editor-protocol.md). */
const many = 3;

/** Returns ways to silence a server that keeps asking. */
export function silence(q: Question<unknown>): Button[] {
  const name = line(q.server, 60);
  return (q.refused ?? 0) < many
    ? []
    : [
        { id: 'mute', icon: 'bell-slash', label: t('Mute {0}', name) },
        { id: 'stop', icon: 'debug-stop', label: t('Stop {0}', name) },
      ];
}

/** Mutes or stops a server, whichever was chosen. Returns whether it worked, which also refuses the question. */
export async function silenced(ctx: Ctx, server: string, chosen: string): Promise<boolean> {
  try {
    await ctx.client.request(chosen === 'mute' ? 'editord/muteServer' : 'editord/stopServer', { server });
    return true;
  } catch (error) {
    tell('error', `${line(server, 60)}: ${line(message(error), 300)}`, t('Show Log'), () => ctx.log.show());
    return false;
  }
}
