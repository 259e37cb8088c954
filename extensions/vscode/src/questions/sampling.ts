// A server asks the user's model (MCP 2025-11-25, Sampling). The person decides whether it may, and
// vscode.lm asks the model.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { type Question, RequestError, type SamplingParams, type SamplingResult } from '../protocol';
import { line, message } from '../text';
import { during } from '../ui/progress';
import { pick } from '../ui/quick-input';
import { read } from '../ui/read';
import { forWhom } from './caller';
import { chooseModel, type Part, type Parts, type Said, toMessages, toResult, transcript } from './convert';
import { silence, silenced } from './refusals';

const { t } = vscode.l10n;

/** "User rejected sampling request" (MCP 2025-11-25, Sampling, Error Handling). */
const rejected = -1;

export async function sample(
  ctx: Ctx,
  q: Question<SamplingParams>,
  token: vscode.CancellationToken,
): Promise<SamplingResult> {
  const model = await modelFor(q.params);
  if (!model) {
    throw new RequestError(rejected, 'VS Code has no language model; install an extension that provides one');
  }
  const grant = ctx.grants.of(ctx.catalog.server(q.server), q.server);
  const allowed =
    grant === undefined
      ? await ctx.questions.ask(
          {
            server: q.server,
            title: questionOf(q, model),
            withdrawn: false,
            open: (opened) => allow(ctx, q, model, opened),
          },
          token,
        )
      : grant !== 'never';
  if (!allowed) {
    throw new RequestError(rejected, 'User rejected sampling request');
  }
  return answer(q, model, token);
}

async function modelFor(p: SamplingParams): Promise<vscode.LanguageModelChat | undefined> {
  const preferred = vscode.workspace.getConfiguration('mcp-editord').get<string[]>('sampling.models', []);
  const hints = (p.modelPreferences?.hints ?? []).flatMap((h) => (h.name ? [h.name] : []));
  return chooseModel(await vscode.lm.selectChatModels(), preferred, hints);
}

function questionOf(q: Question<SamplingParams>, model: vscode.LanguageModelChat): string {
  const question = t('May "{0}" ask the model "{1}"?', line(q.server, 60), line(model.name, 60));
  const whom = forWhom(q, t);
  return whom ? `${whom}: ${question}` : question;
}

/** Asks the person. Returns undefined when they leave the question. */
async function allow(
  ctx: Ctx,
  q: Question<SamplingParams>,
  model: vscode.LanguageModelChat,
  token: vscode.CancellationToken,
): Promise<boolean | undefined> {
  const server = ctx.catalog.server(q.server);
  for (;;) {
    const choice = await pick<string>({
      title: questionOf(q, model),
      placeholder: summary(q.params),
      items: [
        { label: `$(eye) ${t('Look at the Messages')}`, value: 'look' },
        { label: `$(check) ${t('Allow Once')}`, value: 'once' },
        {
          label: `$(check-all) ${t('Allow for This Session')}`,
          detail: t('until this window closes'),
          value: 'session',
        },
        {
          label: `$(check-all) ${t('Always Allow')}`,
          detail: t('until its definition changes'),
          value: 'always',
        },
        { label: `$(x) ${t('Not Now')}`, value: 'no' },
        {
          label: `$(circle-slash) ${t('Never')}`,
          detail: t('its requests are refused without asking you'),
          value: 'never',
        },
        ...silence(q).map(({ id, icon, label }) => ({ label: `$(${icon}) ${label}`, value: id })),
      ],
      token,
    });
    if (choice === 'look') {
      const uri = ctx.results.keep('sampling', transcript(q.params), 'plaintext');
      await read(uri, () => vscode.window.showTextDocument(uri), token);
      continue;
    }
    if (choice === undefined) {
      return undefined;
    }
    if (choice === 'mute' || choice === 'stop') {
      return (await silenced(ctx, q.server, choice)) ? false : undefined;
    }
    if (choice === 'session' || choice === 'always' || choice === 'never') {
      await ctx.grants.set(server, q.server, choice);
    }
    return choice === 'once' || choice === 'session' || choice === 'always';
  }
}

/** Returns the last message on one line. */
function summary(p: SamplingParams): string {
  const last = p.messages.at(-1)?.content;
  const content = Array.isArray(last) ? last[0] : last;
  const text = typeof content?.text === 'string' ? content.text : (content?.type ?? '');
  const tools = p.tools?.length ? ` · ${t('tools: {0}', p.tools.length)}` : '';
  return line(`“${text.slice(0, 400).trim().replace(/\s+/g, ' ')}”${tools}`, 200);
}

const make: Parts = {
  User: (content) => vscode.LanguageModelChatMessage.User(content as vscode.LanguageModelTextPart[]),
  Assistant: (content) => vscode.LanguageModelChatMessage.Assistant(content as vscode.LanguageModelTextPart[]),
  text: (value) => new vscode.LanguageModelTextPart(value),
  data: (bytes, mime) => new vscode.LanguageModelDataPart(bytes, mime),
  toolCall: (id, name, input) => new vscode.LanguageModelToolCallPart(id, name, input),
  toolResult: (id, content: Part[]) => new vscode.LanguageModelToolResultPart(id, content),
};

async function answer(
  q: Question<SamplingParams>,
  model: vscode.LanguageModelChat,
  token: vscode.CancellationToken,
): Promise<SamplingResult> {
  const p = q.params;
  const offered = p.toolChoice?.mode === 'none' ? [] : (p.tools ?? []);
  const title = t('{0} asks {1}', line(q.server, 60), line(model.name, 60));
  const modelOptions = {
    ...(p.maxTokens !== undefined && { max_tokens: p.maxTokens }),
    ...(p.temperature !== undefined && { temperature: p.temperature }),
    ...(p.stopSequences !== undefined && { stop: p.stopSequences }),
  };
  return during(title, async (_, mine) => {
    const source = new vscode.CancellationTokenSource();
    const either = vscode.Disposable.from(
      source,
      token.onCancellationRequested(() => source.cancel()),
      mine.onCancellationRequested(() => source.cancel()),
    );
    try {
      const response = await model.sendRequest(
        toMessages(p, make),
        {
          justification: t('The MCP server "{0}" asks this model.', line(q.server, 60)),
          modelOptions,
          ...(offered.length > 0 && {
            tools: offered.map((tool) => ({
              name: tool.name,
              description: tool.description ?? '',
              inputSchema: tool.inputSchema ?? {},
            })),
            toolMode:
              p.toolChoice?.mode === 'required'
                ? vscode.LanguageModelChatToolMode.Required
                : vscode.LanguageModelChatToolMode.Auto,
          }),
        },
        source.token,
      );
      const said: Said[] = [];
      for await (const part of response.stream) {
        if (part instanceof vscode.LanguageModelTextPart) {
          said.push({ text: part.value });
        } else if (part instanceof vscode.LanguageModelToolCallPart) {
          said.push({ id: part.callId, name: part.name, input: part.input });
        }
      }
      if (source.token.isCancellationRequested) {
        throw new RequestError(rejected, 'User rejected sampling request');
      }
      return toResult(said, model.id);
    } catch (error) {
      throw error instanceof RequestError
        ? error
        : new RequestError(-32603, `the model did not answer: ${message(error)}`);
    } finally {
      either.dispose();
    }
  });
}
