// Runs a tool or a prompt: asks for missing arguments, shows progress, then the result.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import type { Command } from '../daemon/catalog';
import { completion } from '../daemon/complete';
import { fillIn } from '../form/ask';
import { resumed } from '../form/resume';
import { type Field, fields } from '../form/schema';
import { shown } from '../json';
import type { Context, Json, JsonObject, PromptResult, ToolResult } from '../protocol';
import { asksForSecret } from '../questions/consent';
import { textOf } from '../results/format';
import { placeOf } from '../results/insert';
import { firstLine, line, message } from '../text';
import { during } from '../ui/progress';
import { Pressed } from '../ui/quick-input';

const { t } = vscode.l10n;

/** Returns where the person is: the active document and the selection in it. */
export function whereAmI(): Context {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return {};
  }
  const { document, selection } = editor;
  const at = (p: vscode.Position) => ({ line: p.line, character: p.character });
  return {
    textDocument: { uri: document.uri.toString() },
    range: { start: at(selection.start), end: at(selection.end) },
    languageId: document.languageId,
    ...(selection.isEmpty ? {} : { selectedText: document.getText(selection) }),
  };
}

/**
 * Runs a command with the given arguments, and asks for those that are required and missing. Without
 * any it asks for all. Returns the text of the result, for the variable ${command:…} of a task;
 * undefined when the person gave up.
 */
export async function call(
  ctx: Ctx,
  command: Command,
  given?: JsonObject,
  where = whereAmI(),
  onSelection = false,
): Promise<string | undefined> {
  const place = placeOf(where);
  const values = await askArguments(ctx, command, given, where, onSelection);
  if (values === undefined) {
    return undefined;
  }
  const sent = ctx.drafts.take(command.id);
  let result: ToolResult | PromptResult | undefined;
  try {
    result = await send(ctx, command, values, where);
  } finally {
    if (result === undefined) {
      sent?.(); // it failed or was cancelled: the next try finds what was typed
    }
  }
  if (result === undefined) {
    return undefined;
  }
  const from = {
    server: command.server,
    name: command.name,
    title: titleOf(command),
    summary: summary(command, values),
    place,
  };
  await ctx.results.show(from, result);
  return 'isError' in result && result.isError ? undefined : textOf(result);
}

async function askArguments(
  ctx: Ctx,
  command: Command,
  given: JsonObject | undefined,
  where: Context,
  onSelection: boolean,
): Promise<JsonObject | undefined> {
  const list = fieldsOf(command);
  if (list.length === 0) {
    return given ?? {};
  }
  const missing = list.filter((f) => f.required && given?.[f.name] === undefined).map((f) => f.name);
  if (given && missing.length === 0) {
    return given;
  }
  const secrets = list.filter(asksForSecret).map((f) => f.name);
  const drafted = await resumed(ctx.drafts, command.id, titleOf(command), secrets);
  if (drafted === undefined) {
    return undefined;
  }
  const draft = drafted.draft && { ...drafted.draft, values: { ...drafted.draft.values, ...given } };
  // Only a form that a person sees may have what the daemon proposes, never a call that nobody sees.
  const prefill = await ctx.client.request('editord/prefill', { command: command.id, context: where });
  const known = { ...prefill.arguments, ...given };
  if (onSelection && where.selectedText !== undefined && !Object.values(known).includes(where.selectedText)) {
    const text = list.find((f) => f.kind === 'text');
    if (text) {
      known[text.name] = where.selectedText;
    }
  }
  const values = await fillIn({
    title: titleOf(command),
    fields: list,
    schema: command.kind === 'tool' ? command.tool.inputSchema : undefined,
    values: known,
    ask: missing,
    submit: t('Run {0}', line(command.name, 60)),
    review: false,
    documents: ctx.documents,
    draft,
    keep: (now) => ctx.drafts.keep(command.id, now, secrets),
    ...(command.kind === 'prompt' && ctx.catalog.server(command.server)?.capabilities?.completions !== undefined
      ? { propose: completion(ctx.client, command.server, { type: 'ref/prompt', name: command.name }) }
      : {}),
  });
  return values instanceof Pressed ? undefined : values;
}

/** Returns the arguments of a call on one line, for its result. Secrets are not among them. */
function summary(command: Command, values: JsonObject): string {
  const secrets = fieldsOf(command)
    .filter(asksForSecret)
    .map((f) => f.name);
  const told = Object.entries(values)
    .filter(([name]) => !secrets.includes(name))
    // A secret may be anywhere in a nested value.
    .map(([name, value]) => `${name}: ${typeof value === 'object' && value !== null ? '…' : shown(value)}`);
  return line(told.join(', '), 160);
}

export function fieldsOf(command: Command): Field[] {
  if (command.kind === 'tool') {
    return fields(command.tool.inputSchema);
  }
  const properties: JsonObject = {};
  for (const a of command.prompt.arguments ?? []) {
    properties[a.name] = { type: 'string', title: a.title, description: a.description };
  }
  const required = (command.prompt.arguments ?? []).filter((a) => a.required).map((a) => a.name);
  return fields({ properties, required });
}

export function titleOf(command: Command): string {
  const title =
    command.kind === 'tool' ? (command.tool.title ?? command.tool.annotations?.title) : command.prompt.title;
  return `${line(command.server, 60)}: ${line(title || command.name, 80)}`;
}

async function send(
  ctx: Ctx,
  command: Command,
  values: JsonObject,
  where: Context,
): Promise<ToolResult | PromptResult | undefined> {
  const params = { command: command.id, arguments: [values, where] as Json[] };
  return during(titleOf(command), async (report, token) => {
    try {
      return await ctx.client.requestWithProgress<ToolResult | PromptResult>(
        'workspace/executeCommand',
        params,
        ({ message: said, ...progress }) =>
          report({ ...progress, ...(said !== undefined && { message: line(said, 120) }) }),
        token,
      );
    } catch (error) {
      if (token.isCancellationRequested) {
        return undefined;
      }
      throw new Error(`${titleOf(command)}: ${firstLine(message(error), 300)}`, { cause: error });
    }
  });
}
