// What the extension consists of. One Ctx is made on activation, owns everything, and
// ends it.

import * as vscode from 'vscode';
import { Catalog } from './catalog';
import { Client, message } from './client';
import { runById } from './dynamic';
import { JsonEditor } from './form/json';
import { withoutLinks } from './languages';
import { Logs } from './logs';
import type { ApproveParams, ElicitParams, Json, Question, SamplingParams, Server } from './protocol';
import { approve, Definitions } from './questions/approval';
import { elicit } from './questions/elicitation';
import { Grants } from './questions/grants';
import { Queue } from './questions/queue';
import { sample } from './questions/sampling';
import { Resources } from './resources';
import { Results } from './results/show';
import { line } from './text';
import { onDidShow } from './ui';

type Token = vscode.CancellationToken;

export class Ctx implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('MCP', { log: true });
  readonly client: Client;
  readonly catalog: Catalog;
  readonly questions = new Queue();
  readonly definitions = new Definitions();
  readonly grants: Grants;
  readonly json = new JsonEditor();
  readonly onDidShow = onDidShow;
  readonly results = new Results();
  readonly logs: Logs;
  readonly resources: Resources;
  private readonly held: vscode.Disposable[];

  constructor(readonly extension: vscode.ExtensionContext) {
    this.client = new Client(extension, this.log, {
      requests: {
        'editord/approve': (p: ApproveParams, token: Token) => approve(this, p, token),
        'mcp/elicitation/create': (q: Question<ElicitParams>, token: Token) => elicit(this, q, token),
        'mcp/sampling/createMessage': (q: Question<SamplingParams>, token: Token) => sample(this, q, token),
      },
      notifications: {
        'editord/serverChanged': ({ name }: Server) => {
          void this.catalog.refresh();
          this.follow(name);
        },
        'editord/catalogChanged': () => void this.catalog.refresh(),
        'mcp/notifications/message': (p: { server: string }) => this.follow(p.server),
        'mcp/notifications/resources/updated': (p: { server: string; params: { uri: string } }) =>
          this.resources.updated(p.server, p.params.uri),
      },
      executeCommand: (id, args) => runById(this, id, args),
    });
    this.catalog = new Catalog(this.client, this.log);
    this.grants = new Grants(extension.globalState);
    this.logs = new Logs(this.client, this.catalog);
    this.resources = new Resources(this.client, this.catalog, () => this.connected());
    this.held = [
      this.client,
      this.catalog,
      this.logs,
      this.resources,
      this.results,
      this.json,
      this.definitions.register(),
      withoutLinks(),
      this.log,
    ];
  }

  /** Takes what has to end with the extension. */
  hold(...disposables: vscode.Disposable[]): void {
    this.held.unshift(...disposables);
  }

  /** Connects, and again when a setting that the connection depends on has changed. */
  start(): void {
    const start = () => {
      if (vscode.workspace.isTrusted) {
        void this.client.start();
      }
    };
    this.hold(
      vscode.workspace.onDidGrantWorkspaceTrust(start),
      vscode.workspace.onDidChangeConfiguration((e) => {
        if (e.affectsConfiguration('mcp-editord')) {
          this.client.configured();
        }
      }),
    );
    start();
  }

  /** Returns once there is a connection; fails when there will be none, with a sentence that says what to do. */
  async connected(): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      throw new Error(vscode.l10n.t('Trust this workspace first: no MCP server runs before.'));
    }
    await this.client.running();
  }

  private follow(server: string): void {
    this.logs.follow(server).catch((error) => this.log.warn(`reading the log of ${line(server)}: ${message(error)}`));
  }

  /** MCP's completion/complete: proposals for one value, given the others. None when it fails. */
  async complete(
    server: string,
    ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string },
    name: string,
    value: string,
    others: Record<string, Json | undefined>,
    token: vscode.CancellationToken,
  ): Promise<string[]> {
    const known = Object.fromEntries(Object.entries(others).filter(([n, v]) => n !== name && typeof v === 'string'));
    const { completion } = await this.client.request<{ completion: { values: string[] } }>(
      'mcp/completion/complete',
      { server, params: { ref, argument: { name, value }, context: { arguments: known } } },
      token,
    );
    return completion.values;
  }

  dispose(): void {
    for (const d of this.held) {
      d.dispose();
    }
  }
}
