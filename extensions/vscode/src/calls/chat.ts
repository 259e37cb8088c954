// Tools for agent mode, off by default: one tool of VS Code finds MCP tools, another calls them.
// package.json must declare tools, so there cannot be one for each MCP tool.
// registerMcpServerDefinitionProvider would show each, but VS Code would then run the servers
// itself, beside the daemon's and past its approvals and roots. It becomes the better way once
// the daemon is an MCP endpoint that VS Code can connect to.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { shown } from '../json';
import type { JsonObject, ToolResult } from '../protocol';
import { json, line, message } from '../text';
import { titleOf } from './call';

const { t } = vscode.l10n;

/** How many tools one search returns. */
const maxFound = 20;

interface Find {
  query?: string;
}

interface Call {
  command: string;
  arguments?: JsonObject;
}

/** Registers the tools while the setting mcp-editord.chat.enabled is on. */
export function offerToChat(ctx: Ctx): vscode.Disposable {
  let tools: vscode.Disposable | undefined;
  const update = () => {
    const wanted = vscode.workspace.getConfiguration('mcp-editord').get<boolean>('chat.enabled', false);
    if (wanted && !tools) {
      tools = vscode.Disposable.from(
        vscode.lm.registerTool<Find>('mcp-editord_find', { invoke: (o) => find(ctx, o.input) }),
        vscode.lm.registerTool<Call>('mcp-editord_call', {
          prepareInvocation: (o) => confirm(ctx, o.input),
          invoke: (o, token) => call(ctx, o.input, token),
        }),
      );
    } else if (!wanted) {
      tools?.dispose();
      tools = undefined;
    }
  };
  update();
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeConfiguration((e) => e.affectsConfiguration('mcp-editord.chat.enabled') && update()),
    { dispose: () => tools?.dispose() },
  );
}

function find(ctx: Ctx, input: Find): vscode.LanguageModelToolResult {
  const words = (input.query ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const found = ctx.catalog.commands.flatMap((c) => {
    if (c.kind !== 'tool') {
      return [];
    }
    const text = `${c.server} ${c.name} ${c.tool.title ?? ''} ${c.tool.description ?? ''}`.toLowerCase();
    return words.every((w) => text.includes(w))
      ? [{ command: c.id, description: c.tool.description, inputSchema: c.tool.inputSchema }]
      : [];
  });
  return text(JSON.stringify({ tools: found.slice(0, maxFound), more: Math.max(0, found.length - maxFound) }));
}

/** Asks whatever a server says of its tool, such as that it only reads. */
function confirm(ctx: Ctx, input: Call): vscode.PreparedToolInvocation {
  const command = ctx.catalog.command(input.command);
  const title = command ? titleOf(command) : line(input.command, 120);
  const shownArguments = new vscode.MarkdownString();
  shownArguments.appendCodeblock(json(input.arguments ?? {}), 'json');
  return { invocationMessage: title, confirmationMessages: { title: t('Run {0}?', title), message: shownArguments } };
}

async function call(ctx: Ctx, input: Call, token: vscode.CancellationToken): Promise<vscode.LanguageModelToolResult> {
  if (ctx.catalog.command(input.command)?.kind !== 'tool') {
    return text(`There is no tool ${shown(input.command)}. Find one with mcp-editord_find.`);
  }
  try {
    const result = await ctx.client.request<ToolResult>(
      'workspace/executeCommand',
      { command: input.command, arguments: [input.arguments ?? {}] },
      token,
    );
    return new vscode.LanguageModelToolResult(
      (result.content ?? []).map((c) =>
        c.type === 'image' && typeof c.data === 'string' && typeof c.mimeType === 'string'
          ? vscode.LanguageModelDataPart.image(Buffer.from(c.data, 'base64'), c.mimeType)
          : new vscode.LanguageModelTextPart(c.type === 'text' ? shown(c.text) : JSON.stringify(c)),
      ),
    );
  } catch (error) {
    return text(`The call failed: ${message(error)}`);
  }
}

function text(value: string): vscode.LanguageModelToolResult {
  return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(value)]);
}
