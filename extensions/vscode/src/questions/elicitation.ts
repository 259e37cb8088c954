// A server asks the person: for values, or to open an address (MCP 2025-11-25, Elicitation).

import * as vscode from 'vscode';
import type { Ctx } from '../context';
import { fillIn } from '../form/ask';
import { fields, isObject } from '../form/schema';
import type { ElicitParams, ElicitResult, Question } from '../protocol';
import { line } from '../text';
import { openExternal, pick, rows } from '../ui';
import { asksForSecret, readUrl } from './consent';

const { t } = vscode.l10n;
const cancelled: ElicitResult = { action: 'cancel' };

export async function elicit(
  ctx: Ctx,
  q: Question<ElicitParams>,
  token: vscode.CancellationToken,
): Promise<ElicitResult> {
  const ask = q.params.mode === 'url' ? openUrl : fillForm;
  return ctx.questions.ask(() => ask(ctx, q, token), cancelled, token);
}

async function fillForm(
  ctx: Ctx,
  { server, params }: Question<ElicitParams>,
  token: vscode.CancellationToken,
): Promise<ElicitResult> {
  // The daemon asks for its own inputs in this way (docs/editor-protocol.md).
  const input = params._meta?.['mcp-editord/input'];
  const list = fields(params.requestedSchema);
  const form = {
    title: `${line(server, 60)}: ${line(params.message ?? '', 200)}`,
    fields: list,
    schema: params.requestedSchema,
    values: {},
    ask: list.filter((f) => f.required).map((f) => f.name),
    json: ctx.json,
    token,
  };
  const values = isObject(input)
    ? await fillIn({ ...form, submit: t('Use it'), review: false, password: () => input.password === true })
    : await fillIn({
        ...form,
        submit: t('Send to {0}', line(server, 60)),
        review: true,
        decline: t('Decline'),
        password: asksForSecret,
        warning: (f) =>
          asksForSecret(f) ? t('This looks like a secret. Servers must not ask for one in this way.') : undefined,
      });
  if (values === undefined) {
    return cancelled;
  }
  return values === 'declined' ? { action: 'decline' } : { action: 'accept', content: values };
}

async function openUrl(
  _: Ctx,
  { server, params }: Question<ElicitParams>,
  token: vscode.CancellationToken,
): Promise<ElicitResult> {
  const address = readUrl(params);
  if (!address) {
    return { action: 'decline' };
  }
  const host = line(address.host, 300);
  const choice = await pick<'open' | 'copy' | 'decline'>({
    title: `${line(server, 60)}: ${line(params.message ?? '', 200)}`,
    placeholder: t('May {0} be opened?', host),
    items: [
      ...rows(t('Address'), address.url),
      ...rows(t('Look twice'), address.warning),
      { label: `$(circle-slash) ${t('Decline')}`, value: 'decline' as const },
      { label: `$(link-external) ${t('Open {0}', host)}`, value: 'open' as const },
      { label: `$(copy) ${t('Copy the Address')}`, value: 'copy' as const },
    ],
    active: (v) => v === 'decline',
    token,
  });
  switch (choice) {
    case 'open':
      return (await openExternal(address.url)) ? { action: 'accept' } : cancelled;
    case 'copy':
      await vscode.env.clipboard.writeText(address.url);
      return { action: 'accept' };
    case 'decline':
      return { action: 'decline' };
    default:
      return cancelled;
  }
}
