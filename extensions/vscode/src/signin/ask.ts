// Asks the person while they sign in: whether to go to an address, and where the browser ended.

import * as vscode from 'vscode';
import type { SignIn } from '../protocol';
import { block, line } from '../text';
import { input } from '../ui/quick-input';

const { t } = vscode.l10n;

/** How much of an address a dialog shows: a small window has room for it. */
const maxShown = 1000; // characters

/** What the person wants with an address. 'leave': they closed the dialog. */
export type Choice = 'open' | 'copy' | 'paste' | 'show' | 'leave';

/** Where a sign-in comes from: this window begins it, it has begun elsewhere, or it goes on in this window. */
export type Begun = 'now' | 'elsewhere' | 'here';

/**
 * Shows where a sign-in leads: its host, why that may deceive, and the whole address, or the first part of one
 * that does not fit, with a button for all of it.
 */
export async function askWhere(server: string, signIn: SignIn, begun: Begun): Promise<Choice> {
  const name = line(server, 60);
  const host = line(signIn.host, 300);
  const cut = signIn.url.length > maxShown;
  const address = cut
    ? `${block(signIn.url.slice(0, maxShown))}… (${t('{0} more characters', signIn.url.length - maxShown)})`
    : block(signIn.url);
  const warning = signIn.warning ? [t('Beware: {0}.', line(signIn.warning, 600))] : [];
  const titles = {
    now: t('Sign in to "{0}" with a browser, at {1}?', name, host),
    elsewhere: t('A sign-in to "{0}" has begun elsewhere, at {1}.', name, host),
    here: t('You are signing in to "{0}", at {1}.', name, host),
  };
  const buttons: (vscode.MessageItem & { choice: Choice })[] = [
    { title: t('Open'), choice: 'open' },
    { title: t('Copy Address'), choice: 'copy' },
    ...(begun === 'now' ? [] : [{ title: t('Paste Address…'), choice: 'paste' as const }]),
    ...(cut ? [{ title: t('Show Whole Address'), choice: 'show' as const }] : []),
    // Elsewhere VS Code adds a button that cancels, and so does closing the dialog.
    ...(begun === 'here' ? [{ title: t('Close'), choice: 'leave' as const, isCloseAffordance: true }] : []),
  ];
  const show = signIn.warning ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  const options = { modal: true, detail: [...warning, address].join('\n\n') };
  return (await show(titles[begun], options, ...buttons))?.choice ?? 'leave';
}

/**
 * Asks for the address that the browser ended on. The daemon judges it: `send` returns what is wrong with it. The
 * input stays until one fits, or the token is cancelled.
 */
export async function askEnd(o: {
  server: string;
  signIn: SignIn;
  value: string;
  /** Is called with the text whenever it changes. */
  changed: (value: string) => void;
  send: (value: string) => Promise<string | undefined>;
  token: vscode.CancellationToken;
}): Promise<void> {
  await input({
    title: t('Sign in to "{0}"', line(o.server, 60)),
    prompt: t('Paste the whole address of the page that the browser ended on, or the code that it shows.'),
    placeholder: line(`${o.signIn.redirectUri}?…`, 200),
    value: o.value,
    changed: o.changed,
    validate: (value) => (value.trim() === '' ? t('Paste an address or a code.') : undefined),
    send: o.send,
    token: o.token,
  });
}
