// What the extension consists of. One Ctx is made on activation, owns everything, and
// ends it.

import * as vscode from 'vscode';
import { runById } from './calls/by-id';
import { coalesce } from './coalesce';
import { Catalog } from './daemon/catalog';
import { Client, message } from './daemon/client';
import { Documents } from './form/documents';
import { Drafts } from './form/draft';
import { Logs } from './logs/channels';
import type { ApproveParams, ElicitParams, Json, Question, SamplingParams, Server } from './protocol';
import { approve } from './questions/approval';
import { Definitions } from './questions/definitions';
import { elicit } from './questions/elicitation';
import { Grants } from './questions/grants';
import { Inbox } from './questions/inbox';
import { sample } from './questions/sampling';
import { Resources } from './resources/files';
import { Results } from './results/show';
import { line } from './text';
import { withoutLinks } from './ui/languages';
import { onDidShow } from './ui/quick-input';

type Token = vscode.CancellationToken;

export class Ctx implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('MCP', { log: true });
  readonly client: Client;
  readonly catalog: Catalog;
  private readonly asked = new vscode.EventEmitter<void>();
  /** The questions that wait are others than before. */
  readonly onDidAsk = this.asked.event;
  readonly questions = new Inbox(
    () => new vscode.CancellationTokenSource(),
    () => this.asked.fire(),
  );
  readonly definitions = new Definitions();
  readonly grants: Grants;
  readonly documents = new Documents();
  readonly drafts: Drafts;
  readonly onDidShow = onDidShow;
  readonly results = new Results();
  readonly logs: Logs;
  readonly resources: Resources;
  private readonly held: vscode.Disposable[];

  constructor(readonly extension: vscode.ExtensionContext) {
    const refresh = coalesce(() => void this.catalog.refresh());
    this.client = new Client(extension, this.log, {
      requests: {
        'editord/approve': (p: ApproveParams, token: Token) => approve(this, p, token),
        'mcp/elicitation/create': (q: Question<ElicitParams>, token: Token) => elicit(this, q, token),
        'mcp/sampling/createMessage': (q: Question<SamplingParams>, token: Token) => sample(this, q, token),
      },
      notifications: {
        'editord/serverChanged': ({ name }: Server) => {
          refresh();
          this.follow(name);
        },
        'editord/serverRemoved': ({ server }: { server: string }) => {
          this.catalog.remove(server);
          this.logs.remove(server);
        },
        'editord/catalogChanged': refresh,
        'mcp/notifications/message': (p: { server: string }) => this.follow(p.server),
        'mcp/notifications/resources/updated': (p: { server: string; params: { uri: string } }) =>
          this.resources.updated(p.server, p.params.uri),
      },
      executeCommand: (id, args) => runById(this, id, args),
    });
    this.catalog = new Catalog(this.client, this.log);
    this.grants = new Grants(extension.globalState);
    this.drafts = new Drafts(extension.workspaceState);
    this.logs = new Logs(this.client, this.catalog);
    this.resources = new Resources(this.client, this.catalog, () => this.connected());
    this.held = [
      this.client,
      this.catalog,
      this.logs,
      this.resources,
      this.results,
      this.documents,
      this.drafts,
      this.asked,
      // With the connection its questions have ended.
      this.client.onDidChangeState((state) => state !== 'running' && this.questions.clear()),
      this.definitions,
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
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        start();
        this.client.configured(); // a connection from before has said that it is not trusted
      }),
      vscode.workspace.onDidChangeConfiguration((e) => {
        if (e.affectsConfiguration('mcp-editord') || e.affectsConfiguration('security.workspace.trust')) {
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
