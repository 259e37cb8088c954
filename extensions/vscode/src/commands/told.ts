// Tells the person that a command has failed.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { failureOf } from '../daemon/failure';
import { whySignIn } from '../signin/needs';
import { signInTo } from '../signin/offer';
import { block, firstLine, message } from '../text';
import { offer } from '../ui/message';

const { t } = vscode.l10n;

/** How much of an error a message shows. The rest is a document. */
const maxShown = 400; // characters

/** Runs a command and shows its error as a message. VS Code would open a dialog, which stands in the way. */
export async function told(ctx: Ctx, run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    complain(ctx, error);
    return undefined;
  }
}

/** Shows the first line of an error, with the rest and the log that has more at hand. */
function complain(ctx: Ctx, error: unknown): void {
  // The cause has all that was said; the error has its first line and what it is about.
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const whole = message(cause).trim();
  ctx.log.error(block(whole));
  const buttons: Parameters<typeof offer>[2] = [];
  if (whole.includes('\n') || whole.length > maxShown) {
    buttons.push([t('Show Details'), () => ctx.results.document('error', block(whole), 'plaintext')]);
  }
  const { kind, server } = failureOf(cause);
  if (!vscode.workspace.isTrusted) {
    buttons.push([t('Trust…'), () => vscode.commands.executeCommand('workbench.trust.manage')]);
  } else if (server !== undefined && ctx.catalog.server(server)) {
    if (kind === 'signInNeeded') {
      ctx.signIns.told.add(server);
      buttons.push([t('Sign In'), () => signInTo(ctx, server)]);
    }
    buttons.push([t('Show Server Log'), () => ctx.logs.show(server)]);
  } else {
    buttons.push([t('Show Log'), () => ctx.log.show()]);
  }
  const text = kind === 'signInNeeded' ? whySignIn(message(error)) : message(error);
  offer('error', firstLine(text, maxShown), buttons);
}
