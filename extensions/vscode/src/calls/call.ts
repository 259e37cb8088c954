// Runs a tool or a prompt: asks for missing arguments, shows progress, then the result.

import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import type { Command } from '../daemon/catalog';
import { completion } from '../daemon/complete';
import { fillIn } from '../form/ask';
import { brief } from '../form/check';
import { type Draft, withoutSecrets } from '../form/draft';
import { resumed } from '../form/resume';
import { type Field, type FormOf, fields, formOf } from '../form/schema';
import { asksForSecret } from '../form/secret';
import { keyOf } from '../form/tree';
import { shown } from '../json';
import type { Context, Json, JsonObject, PromptResult, Tool, ToolResult } from '../protocol';
import { type Place, placeOf } from '../results/insert';
import { offerSignInAfter } from '../signin/offer';
import { block, firstLine, line, message } from '../text';
import { during } from '../ui/progress';
import { Pressed, pick } from '../ui/quick-input';
import { read } from '../ui/read';
import { commandHints } from '../views/items';

const { t } = vscode.l10n;

/** How much of its arguments a result keeps, to write its call into a document. */
const maxKept = 64_000; // characters of JSON

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
): Promise<string | undefined> {
  const place = placeOf(where);
  const values = await askArguments(ctx, command, given, where);
  if (values === undefined) {
    return undefined;
  }
  return run(ctx, { command, values, where, place, draft: ctx.drafts.of(command.id) });
}

/** A call that the person has made. */
interface Call {
  command: Command;
  values: JsonObject;
  where: Context;
  place: Place | undefined;
  /** What they typed into its form. */
  draft: Draft | undefined;
}

/** Sends a call and shows its result. If the person has to sign in first, they can do so and run it again. */
async function run(ctx: Ctx, c: Call): Promise<string | undefined> {
  const { command, values, where, place } = c;
  // What was typed since into another form of the command stays.
  const sent = isDeepStrictEqual(ctx.drafts.of(command.id), c.draft) ? ctx.drafts.take(command.id) : undefined;
  const told = open(c);
  const small = JSON.stringify(told).length <= maxKept;
  const from = {
    server: command.server,
    name: command.name,
    title: titleOf(command),
    summary: summary(told),
    place,
    call: small ? { command: command.id, values: told, where } : undefined,
  };
  const ended = ctx.results.began(from);
  let result: ToolResult | PromptResult | undefined;
  try {
    result = await send(ctx, command, values, where);
  } catch (error) {
    const { cause } = error as Error;
    if (!offerSignInAfter(ctx, titleOf(command), cause, () => run(ctx, c))) {
      throw error;
    }
  } finally {
    ended();
    if (result === undefined || ('isError' in result && result.isError)) {
      sent?.(); // it failed or was cancelled: the next try finds what was typed
    }
  }
  if (result === undefined) {
    return undefined;
  }
  await ctx.results.show(from, result);
  return 'isError' in result && result.isError ? undefined : ctx.results.textOf(result);
}

async function askArguments(
  ctx: Ctx,
  command: Command,
  given: JsonObject | undefined,
  where: Context,
): Promise<JsonObject | undefined> {
  const form = formOf(schemaOf(command));
  const list = fieldsOf(command);
  if (list.length === 0) {
    return given !== undefined || (await agreed(command)) ? (given ?? {}) : undefined;
  }
  if (given && isComplete(form, given)) {
    return given;
  }
  const drafted = await resumed(ctx.drafts, command.id, titleOf(command));
  if (drafted === undefined) {
    return undefined;
  }
  const draft = drafted.draft && { ...drafted.draft, values: { ...drafted.draft.values, ...given } };
  // Only a form that a person sees may have what the daemon proposes, never a call that nobody sees.
  const prefill = await ctx.client.request('editord/prefill', { command: command.id, context: where });
  const known = { ...prefill.arguments, ...given };
  const values = await fillIn({
    title: titleOf(command),
    form,
    values: known,
    ask: (f) => f.required && !has(given, f),
    submit: t('Run {0}', line(command.name, 60)),
    note: commandHints(command, t),
    review: reviewOf(command, Object.keys(known).length > Object.keys(given ?? {}).length),
    look: (values) => look(ctx, command, values),
    documents: ctx.documents,
    draft,
    keep: (now) => ctx.drafts.keep(command.id, now, true),
    ...(command.kind === 'prompt' && ctx.catalog.server(command.server)?.capabilities?.completions !== undefined
      ? { propose: completion(ctx.client, command.server, { type: 'ref/prompt', name: command.name }) }
      : {}),
  });
  return values instanceof Pressed ? undefined : values;
}

/** Returns arguments on one line, for a result. */
function summary(values: JsonObject): string {
  const told = Object.entries(values)
    // A secret may be anywhere in a nested value.
    .map(([name, value]) => `${name}: ${typeof value === 'object' && value !== null ? '…' : shown(value)}`);
  return line(told.join(', '), 160);
}

/** Returns the arguments of a call without what seems to be a secret, wherever it is. */
function open({ command, values, draft }: Call): JsonObject {
  const secrets = fieldsOf(command)
    .filter(asksForSecret)
    .map((f) => keyOf([f.name]));
  return withoutSecrets({ values, typed: {}, secrets: [...secrets, ...(draft?.secrets ?? [])] }).values;
}

/** Whether the arguments have all that is required, in one of the shapes when there are several. */
function isComplete(form: FormOf, given: JsonObject): boolean {
  const shapes = 'fields' in form ? [form] : form.shapes;
  return shapes.some(({ fields }) => fields.every((f) => !f.required || has(given, f)));
}

/** Whether an argument is given. */
function has(given: JsonObject | undefined, { name }: Field): boolean {
  return given !== undefined && Object.hasOwn(given, name) && given[name] !== undefined;
}

/** How to show what a call sends before it goes. What nobody typed is always shown, unless the tool only reads. */
function reviewOf(command: Command, prefilled: boolean): boolean | 'careful' {
  if (command.kind !== 'tool') {
    return false;
  }
  return mayDestroy(command.tool) ? 'careful' : prefilled && command.tool.annotations?.readOnlyHint !== true;
}

/**
 * Whether a tool may destroy something, as far as its server says. "readOnlyHint: If true, the tool does not
 * modify its environment. Default: false"; "destructiveHint: If true, the tool may perform destructive
 * updates to its environment. If false, the tool performs only additive updates. […] Default: true" (MCP
 * 2025-11-25, ToolAnnotations). A server that says nothing has tools that may.
 */
function mayDestroy({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint !== true && annotations?.destructiveHint !== false;
}

/** Asks before a tool without arguments runs, if its server says that it destroys something. */
async function agreed(command: Command): Promise<boolean> {
  if (command.kind !== 'tool' || !mayDestroy(command.tool) || !command.tool.annotations?.destructiveHint) {
    return true;
  }
  const answer = await pick<'leave' | 'run'>({
    title: titleOf(command),
    placeholder: t('Its server says that it is destructive'),
    items: [
      { label: `$(discard) ${t('Do Not Run')}`, value: 'leave' },
      { label: `$(play) ${t('Run {0}', line(command.name, 60))}`, value: 'run' },
    ],
  });
  return answer === 'run';
}

/** Shows what a call sends in a document, and returns when that is closed. */
async function look(ctx: Ctx, command: Command, values: JsonObject): Promise<void> {
  const parts = Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? brief(value) : JSON.stringify(value, undefined, 2);
    return `${line(name, 80)}:\n${block(text)}`;
  });
  const uri = ctx.results.keep(command.name, parts.join('\n\n'), 'plaintext');
  const never = new vscode.CancellationTokenSource();
  const title = t('Close the document to go back to the form.');
  try {
    await read(uri, () => vscode.window.showTextDocument(uri), never.token, title, t('Back to the Form'));
  } finally {
    never.dispose();
  }
}

/** Returns all arguments that a command may have. */
export function fieldsOf(command: Command): Field[] {
  return fields(schemaOf(command));
}

/** Returns the schema of the arguments. Those of a prompt are texts. */
function schemaOf(command: Command): JsonObject | undefined {
  if (command.kind === 'tool') {
    return command.tool.inputSchema;
  }
  const all = command.prompt.arguments ?? [];
  const properties = all.map((a) => [a.name, { type: 'string', title: a.title, description: a.description }]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as JsonObject,
    required: all.filter((a) => a.required).map((a) => a.name),
  };
}

function titleOf(command: Command): string {
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
