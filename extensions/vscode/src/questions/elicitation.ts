// A server asks the person: for values, or to open an address (MCP 2025-11-25, Elicitation).

import * as vscode from 'vscode';
import type { Ctx } from '../context';
import { fillIn } from '../form/ask';
import { fields, isObject } from '../form/schema';
import type { ElicitParams, ElicitResult, Question } from '../protocol';
import { line } from '../text';
import { pick } from '../ui';
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
  const address = readUrl(params.url ?? '');
  if (!address.ok) {
    void vscode.window.showWarningMessage(
      t(
        '{0} wanted to open an address that is not one of the web: {1}. It was declined.',
        line(server, 60),
        line(params.url ?? '', 200),
      ),
    );
    return { action: 'decline' };
  }
  const warnings = address.warnings.map((w) => warningTexts[w]());
  const choice = await pick<'open' | 'copy' | 'decline'>({
    title: `${line(server, 60)}: ${line(params.message ?? '', 200)}`,
    placeholder: t('May {0} be opened?', line(address.host, 120)),
    items: [
      // The whole address, in parts that are not cut off.
      { label: t('Address'), kind: vscode.QuickPickItemKind.Separator },
      ...slices(address.url, 90).map((label) => ({ label: line(label, 100), alwaysShow: true })),
      ...warnings.map((label) => ({ label: `$(warning) ${label}`, alwaysShow: true })),
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      { label: `$(circle-slash) ${t('Decline')}`, value: 'decline' as const },
      { label: `$(link-external) ${t('Open {0}', line(address.host, 120))}`, value: 'open' as const },
      { label: `$(copy) ${t('Copy the Address')}`, value: 'copy' as const },
    ],
    active: (v) => v === 'decline',
    token,
  });
  switch (choice) {
    case 'open':
      return (await vscode.env.openExternal(vscode.Uri.parse(address.url, true))) ? { action: 'accept' } : cancelled;
    case 'copy':
      await vscode.env.clipboard.writeText(address.url);
      return { action: 'accept' };
    case 'decline':
      return { action: 'decline' };
    default:
      return cancelled;
  }
}

const warningTexts = {
  punycode: () => t('The name of this host is written in another alphabet (xn--); it may look like that of another.'),
  unicode: () => t('The name of this host has characters that may look like others.'),
  user: () => t('A user name stands before the host; the host is what follows the @.'),
  insecure: () => t('The connection is not encrypted.'),
};

function slices(text: string, length: number): string[] {
  const parts: string[] = [];
  for (let i = 0; i < text.length; i += length) {
    parts.push(text.slice(i, i + length));
  }
  return parts;
}
