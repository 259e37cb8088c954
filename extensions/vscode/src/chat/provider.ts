// Gives the servers of the daemon to VS Code's own MCP client, for the chat: there they have the tools,
// the confirmations and the questions that VS Code has for every MCP server.

import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { coalesce } from '../coalesce';
import type { Ctx } from '../ctx';
import type { Server } from '../protocol';
import { message } from '../text';
import { type Offer, offers } from './offer';

/** As in package.json. */
const id = 'mcp-editord.servers';
const setting = 'chat.servers';

/** Registers the servers. It does nothing in an editor without the API. */
export function offerToChat(ctx: Ctx): vscode.Disposable {
  if (typeof vscode.lm?.registerMcpServerDefinitionProvider !== 'function') {
    ctx.log.info('this editor takes no MCP servers from extensions: its chat has none of them');
    return vscode.Disposable.from();
  }
  const provider = new Provider(ctx);
  try {
    return vscode.Disposable.from(provider, vscode.lm.registerMcpServerDefinitionProvider(id, provider));
  } catch (error) {
    // An editor built on VS Code may have the API and nothing behind it.
    ctx.log.warn(`this editor takes no MCP servers from extensions: ${message(error)}`);
    return provider;
  }
}

class Provider implements vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly held: vscode.Disposable[];
  /** What the daemon last said. VS Code's processes outlive a connection to it, so this does too. */
  private servers: readonly Server[] | undefined;
  private told: Offer[] = [];

  readonly onDidChangeMcpServerDefinitions = this.changed.event;

  constructor(private readonly ctx: Ctx) {
    const update = coalesce(() => this.update());
    this.held = [
      this.changed,
      ctx.catalog.onDidChange(() => {
        if (ctx.client.state === 'running') {
          this.servers = ctx.catalog.servers;
          update();
        }
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(update),
      vscode.workspace.onDidChangeConfiguration((e) => e.affectsConfiguration(`mcp-editord.${setting}`) && update()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.held).dispose();
  }

  async provideMcpServerDefinitions(): Promise<vscode.McpStdioServerDefinition[]> {
    if (!this.servers) {
      // VS Code asks once when the window opens, and the first request of a chat waits for the answer.
      await this.ctx.connected().then(
        () => this.ctx.catalog.refresh(),
        () => undefined,
      );
    }
    this.told = this.now();
    return this.told.map((o) => new vscode.McpStdioServerDefinition(o.label, o.command, o.args, undefined, o.version));
  }

  /** VS Code ends the process of a server that changes or goes, so nothing is said without need. */
  private update(): void {
    if (!isDeepStrictEqual(this.told, this.now())) {
      this.changed.fire();
    }
  }

  private now(): Offer[] {
    const { file } = this.ctx.client;
    const wanted = vscode.workspace.getConfiguration('mcp-editord').get(setting, true);
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
    return wanted && file !== undefined
      ? offers(
          file,
          this.servers ?? [],
          folders.map(({ uri }) => uri.fsPath),
        )
      : [];
  }
}
