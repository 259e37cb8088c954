// Offers to sign in: once for a server that needs it, and where a call failed for want of it.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { failureOf } from '../daemon/failure';
import type { Server } from '../protocol';
import { line, message } from '../text';
import { offer, tell } from '../ui/message';
import { whySignIn } from './needs';

const { t } = vscode.l10n;

/** How long servers are waited for after the first one: those of a window need a sign-in at about the same time. */
const gathering = 2000; // ms

/** Tells the person of servers that need a sign-in, once of each, in one message for several. */
export class SignInAnnouncer implements vscode.Disposable {
  private readonly following: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly ctx: Ctx) {
    this.following = ctx.catalog.onDidChange(() => this.gather());
  }

  dispose(): void {
    this.following.dispose();
    clearTimeout(this.timer);
  }

  private gather(): void {
    const { catalog, signIns } = this.ctx;
    if (signIns.told.fresh(catalog.servers).length > 0) {
      this.timer ??= setTimeout(() => this.announce(), gathering);
    }
  }

  private announce(): void {
    const { catalog, signIns } = this.ctx;
    this.timer = undefined;
    const fresh = signIns.told.fresh(catalog.servers);
    for (const { name } of fresh) {
      signIns.told.add(name, true);
    }
    const [first] = fresh;
    if (first && fresh.length === 1) {
      const name = line(first.name, 60);
      tell('information', t('The MCP server "{0}" needs you to sign in.', name), t('Sign In'), () =>
        signInTo(this.ctx, first.name),
      );
    } else if (first) {
      const names = fresh.map((s) => line(s.name, 60)).join(', ');
      const text = t('{0} MCP servers need you to sign in: {1}', fresh.length, line(names, 300));
      tell('information', text, t('Sign In…'), () => vscode.commands.executeCommand('mcp-editord.signIn'));
    }
  }
}

/** Has the person sign in, and says that it worked. */
export async function signInTo(ctx: Ctx, server: string): Promise<void> {
  if (await ctx.signIns.signIn(server)) {
    void vscode.window.showInformationMessage(signedIn(server));
  }
}

/** Says that a server needs a sign-in, whatever it was asked to do. */
export function offerSignIn(ctx: Ctx, { name, error }: Server): void {
  ctx.signIns.told.add(name);
  const reason = line(whySignIn(error?.message ?? t('it needs you to sign in')), 400);
  tell('warning', `${line(name, 60)}: ${reason}`, t('Sign In'), () => signInTo(ctx, name));
}

/**
 * Shows a call that failed because the person has to sign in. Once they have, it offers to run the call
 * again, and runs nothing by itself. Returns false for any other error, and shows nothing then.
 */
export function offerSignInAfter(ctx: Ctx, title: string, error: unknown, again: () => Promise<unknown>): boolean {
  const { kind, server, detail } = failureOf(error);
  if (kind !== 'signInNeeded' || server === undefined) {
    return false;
  }
  if (!detail) {
    ctx.signIns.told.add(server);
  }
  const text = detail
    ? t('{0}: needs permissions that you have not given: {1}', title, line(detail, 200))
    : `${title}: ${line(whySignIn(message(error)), 300)}`;
  const signIn = async () => {
    if (await ctx.signIns.signIn(server)) {
      tell('information', signedIn(server), t('Run Again'), () =>
        again().catch((e) => tell('error', line(message(e), 400), t('Show Log'), () => ctx.log.show())),
      );
    }
  };
  offer('error', text, [
    [t('Sign In'), signIn],
    [t('Show Server Log'), () => ctx.logs.show(server)],
  ]);
  return true;
}

function signedIn(server: string): string {
  return t('Signed in to "{0}".', line(server, 60));
}
