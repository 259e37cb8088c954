// A server asks the person: for values, or to open an address (MCP 2025-11-25, Elicitation).

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { fillIn } from '../form/ask';
import { type Draft, told } from '../form/draft';
import { type Field, formOf } from '../form/schema';
import { asksForSecret } from '../form/secret';
import { isObject } from '../json';
import type { ElicitParams, ElicitResult, JsonObject, Question } from '../protocol';
import { block, line } from '../text';
import { openExternal } from '../ui/message';
import { type Button, Pressed, pick, rows } from '../ui/quick-input';
import { forWhom } from './caller';
import { readUrl } from './consent';
import { silence, silenced } from './refusals';

const { t } = vscode.l10n;
const cancelled: ElicitResult = { action: 'cancel' };

export async function elicit(
  ctx: Ctx,
  q: Question<ElicitParams>,
  token: vscode.CancellationToken,
): Promise<ElicitResult> {
  const ask = q.params.mode === 'url' ? openUrl : fillForm;
  return ctx.questions.ask(
    {
      server: q.server,
      title: about(q),
      withdrawn: cancelled,
      typed: () => {
        const draft = ctx.drafts.of(keyOf(q));
        return draft && inputOf(q)?.password !== true ? block(told(draft).join('\n')) : '';
      },
      open: (opened) => ask(ctx, q, opened),
    },
    token,
  );
}

/** The question on one line: for whom the server asks when it is not this editor, and what. */
function about(q: Question<ElicitParams>): string {
  const whom = forWhom(q, t);
  const message = line(q.params.message ?? '', 200);
  return whom ? `${whom}: ${message}` : message;
}

/** The answers without values. Leaving the question is not one of them. */
function refusals(q: Question<ElicitParams>): Button[] {
  return [
    { id: 'decline', icon: 'circle-slash', label: t('Decline') },
    { id: 'cancel', icon: 'close', label: t('Cancel Question') },
    ...silence(q),
  ];
}

async function refuse(ctx: Ctx, server: string, chosen: string): Promise<ElicitResult | undefined> {
  switch (chosen) {
    case 'cancel':
      return cancelled;
    case 'decline':
      return { action: 'decline' };
    default:
      return (await silenced(ctx, server, chosen)) ? { action: 'decline' } : undefined;
  }
}

/** Returns what the daemon says of an input that it asks for in this way (docs/editor-protocol.md). */
function inputOf({ params }: Question<ElicitParams>): JsonObject | undefined {
  const input = params._meta?.['mcp-editord/input'];
  return isObject(input) ? input : undefined;
}

/** The key of its draft. The same question may come again, as after a reload. It then finds what was typed. */
function keyOf({ server, params }: Question<ElicitParams>): string {
  return `question:${JSON.stringify([server, params.message, params.requestedSchema])}`;
}

async function fillForm(
  ctx: Ctx,
  q: Question<ElicitParams>,
  token: vscode.CancellationToken,
): Promise<ElicitResult | undefined> {
  const { server, params } = q;
  const input = inputOf(q);
  const key = keyOf(q);
  const form = {
    title: `${line(server, 60)}: ${about(q)}`,
    form: formOf(params.requestedSchema),
    values: {},
    ask: (f: Field) => f.required,
    documents: ctx.documents,
    draft: ctx.drafts.of(key),
    keep: (now: Draft) => ctx.drafts.keep(key, now, input?.password !== true),
    token,
  };
  const values = input
    ? await fillIn({
        ...form,
        submit: t('Use This Value'),
        review: false,
        refusals: refusals(q).filter(({ id }) => id !== 'decline'),
        password: () => input.password === true,
      })
    : await fillIn({
        ...form,
        submit: t('Send to {0}', line(server, 60)),
        review: true,
        refusals: refusals(q),
        password: asksForSecret,
        warning: (f) =>
          asksForSecret(f) ? t('This looks like a secret; a server must not ask for one in this way.') : undefined,
      });
  if (values === undefined) {
    return undefined;
  }
  const answer =
    values instanceof Pressed
      ? await refuse(ctx, server, values.button)
      : { action: 'accept' as const, content: values };
  if (answer) {
    ctx.drafts.drop(key);
  }
  return answer;
}

async function openUrl(
  ctx: Ctx,
  q: Question<ElicitParams>,
  token: vscode.CancellationToken,
): Promise<ElicitResult | undefined> {
  const { server, params } = q;
  const address = readUrl(params);
  if (!address) {
    return { action: 'decline' };
  }
  const host = line(address.host, 300);
  const [decline, ...others] = refusals(q).map(({ id, icon, label }) => ({ label: `$(${icon}) ${label}`, value: id }));
  const choice = await pick<string>({
    title: `${line(server, 60)}: ${about(q)}`,
    placeholder: t('Open "{0}"?', host),
    items: [
      ...rows(t('Address'), address.url),
      ...rows(t('Warning'), address.warning),
      ...(decline ? [decline] : []),
      { label: `$(link-external) ${t('Open {0}', host)}`, value: 'open' },
      { label: `$(copy) ${t('Copy Address')}`, value: 'copy' },
      ...others,
    ],
    active: (v) => v === 'decline',
    token,
  });
  switch (choice) {
    case undefined:
      return undefined;
    case 'open':
      return (await openExternal(address.url)) ? { action: 'accept' } : undefined;
    case 'copy':
      await vscode.env.clipboard.writeText(address.url);
      return { action: 'accept' };
    default:
      return refuse(ctx, server, choice);
  }
}
