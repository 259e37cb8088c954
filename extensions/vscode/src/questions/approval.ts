// Asks whether a server may run, or run in the opened folder, and what an agent may do. The daemon wrote
// the text: nothing here puts into words what is decided on. If all of it is on the screen, the person can
// allow it there; else in the document that shows the whole, once they have seen its end.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import type { ApproveParams, Decision } from '../protocol';
import { line } from '../text';
import { type Item, pick, rows } from '../ui/quick-input';
import type { Decided } from './definitions';
import { wordsOf } from './kinds';

const { t } = vscode.l10n;

/** With more rows than these, a person would have to scroll to the answers in a window of usual height. */
const maxRows = 9;

/** Lets the daemon's question wait for the person. */
export function approve(ctx: Ctx, p: ApproveParams, token: vscode.CancellationToken): Promise<Decided> {
  const withdrawn: Decided = { decision: 'later' };
  const open = (opened: vscode.CancellationToken) => decide(ctx, p, opened);
  return ctx.questions.ask({ server: p.server, key: p.digest, title: titleOf(p), withdrawn, open }, token);
}

/** Asks one question. Leaving it decides nothing. */
export async function decide(
  ctx: Ctx,
  p: ApproveParams,
  token: vscode.CancellationToken,
): Promise<Decided | undefined> {
  const choice = await pick<Decision | 'look'>({
    title: titleOf(p),
    placeholder: wordsOf(p, t).about,
    items: itemsOf(p),
    active: (value) => value === 'later',
    token,
  });
  return choice === 'look' ? ctx.definitions.show(p, titleOf(p), token) : choice && { decision: choice };
}

/** Shows the whole of a question at once, in the document where it can be answered. */
export function review(ctx: Ctx, p: ApproveParams, token: vscode.CancellationToken): Promise<Decided | undefined> {
  return ctx.definitions.show(p, titleOf(p), token);
}

function titleOf(p: ApproveParams): string {
  return line(p.text.title, 300);
}

function itemsOf(p: ApproveParams): Item<Decision | 'look'>[] {
  const { text } = p;
  const words = wordsOf(p, t);
  const short = rows('', text.short);
  const all = text.complete && short.length <= maxRows + 2;
  const later = {
    label: `$(clock) ${t('Later')}`,
    description: words.later,
    value: 'later' as const,
  };
  const see = {
    label: `$(eye) ${words.look}`,
    description: all ? '' : t('to allow or deny it there'),
    value: 'look' as const,
  };
  if (!all) {
    return [see, later, ...short]; // which may need scrolling
  }
  return [
    ...short,
    later,
    { label: `$(circle-slash) ${t('Deny')}`, description: words.deny, value: 'deny' },
    { label: `$(check) ${t('Allow')}`, description: words.allow, value: 'allow' },
    see,
  ];
}
