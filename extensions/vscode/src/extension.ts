// Makes the parts of the extension and puts them together.

import { join } from 'node:path';
import * as vscode from 'vscode';
import { callById } from './calls/by-id';
import { linkFiles, openAgain, openNew } from './calls/document';
import { offerToChat } from './chat/provider';
import { coalesce } from './coalesce';
import { registerCommands } from './commands';
import { isOfDaemon, runOfDaemon } from './commands/of-daemon';
import type { Ctx } from './ctx';
import { Catalog } from './daemon/catalog';
import { Client } from './daemon/client';
import type { Handlers } from './daemon/connection';
import { showNotice } from './daemon/notice';
import { Documents } from './form/documents';
import { Drafts } from './form/draft';
import { Logs } from './logs/channels';
import type {
  ApproveParams,
  ElicitParams,
  Question,
  ResourceUpdated,
  SamplingParams,
  ServerLogged,
  ServerRemoved,
  SubscriptionEnded,
} from './protocol';
import { Announcer, sayGone } from './questions/announce';
import { approve } from './questions/approval';
import { Definitions } from './questions/definitions';
import { elicit } from './questions/elicitation';
import { Grants } from './questions/grants';
import { Inbox } from './questions/inbox';
import { sample } from './questions/sampling';
import { Resources } from './resources/files';
import { Results } from './results/show';
import { SignInAnnouncer } from './signin/offer';
import { SignIns } from './signin/signins';
import { withoutLinks } from './ui/languages';
import { openNamed } from './ui/open';
import { onDidShow } from './ui/quick-input';
import { StatusBar } from './views/status-bar';
import { ServerTree } from './views/tree';

type Token = vscode.CancellationToken;

/** Writes what was typed, and ends the connection of this window; set while the extension is active. */
let end: (() => Promise<void>) | undefined;

/** VS Code waits for it, and for nothing that comes later: the daemon hears that this window leaves in order. */
export function deactivate(): Promise<void> | undefined {
  return end?.();
}

/** Returns what the tests in a window look into; nothing otherwise. */
export function activate(extension: vscode.ExtensionContext): Ctx | undefined {
  const log = vscode.window.createOutputChannel('Editord', { log: true });
  const { version, build } = extension.extension.packageJSON as { version: string; build?: string };
  log.info(`the extension has version ${version}, from mcp-editord ${build ?? 'sources'}`);
  const asked = new vscode.EventEmitter<void>();
  const client = new Client(
    extension,
    log,
    handlers(() => ctx),
  );
  end = () => {
    ctx.drafts.dispose();
    return client.end();
  };
  const connected = async () => {
    if (!vscode.workspace.isTrusted) {
      throw new Error(
        vscode.l10n.t('No MCP server runs in a workspace that is not trusted; trust this workspace first.'),
      );
    }
    await client.running();
  };
  const catalog = new Catalog(client, log);
  const { storageUri } = extension;
  const results = new Results(
    storageUri && join(storageUri.fsPath, 'results'),
    () => client.files,
    (call) => openAgain(ctx, call),
  );
  const ctx: Ctx = {
    extension,
    log,
    client,
    connected,
    catalog,
    questions: new Inbox(
      () => new vscode.CancellationTokenSource(),
      () => asked.fire(),
      (question) => sayGone(ctx, question),
    ),
    onDidAsk: asked.event,
    onDidShow,
    signIns: new SignIns(client, catalog, results, log),
    definitions: new Definitions(),
    grants: new Grants(extension.globalState),
    documents: new Documents(),
    drafts: new Drafts(join((storageUri ?? extension.globalStorageUri).fsPath, 'drafts.json')),
    results,
    logs: new Logs(client, catalog, log),
    resources: new Resources(client, catalog, connected),
  };
  extension.subscriptions.push(
    registerCommands(ctx),
    new ServerTree(ctx),
    new StatusBar(ctx),
    new Announcer(ctx),
    new SignInAnnouncer(ctx),
    offerToChat(ctx),
    client,
    catalog,
    ctx.logs,
    ctx.resources,
    ctx.signIns,
    ctx.results,
    ctx.documents,
    ctx.drafts,
    asked,
    // A question ends with the connection that it came by.
    client.onDidChangeState((state) => state !== 'running' && ctx.questions.clear()),
    ctx.definitions,
    withoutLinks(),
    linkFiles(),
    log,
    connecting(client),
  );
  return extension.extensionMode === vscode.ExtensionMode.Test ? ctx : undefined;
}

/** What the daemon may ask and tell. It does so only after the first connection, when there is a Ctx. */
function handlers(ctx: () => Ctx): Handlers {
  const refresh = coalesce(() => void ctx().catalog.refresh());
  return {
    requests: {
      'editord/approve': (p: ApproveParams, token: Token) => approve(ctx(), p, token),
      'mcp/elicitation/create': (q: Question<ElicitParams>, token: Token) => elicit(ctx(), q, token),
      'mcp/sampling/createMessage': (q: Question<SamplingParams>, token: Token) => sample(ctx(), q, token),
    },
    notifications: {
      'editord/serverChanged': refresh,
      'editord/serverRemoved': ({ server }: ServerRemoved) => ctx().catalog.remove(server),
      'editord/catalogChanged': refresh,
      'editord/serverLogged': (p: ServerLogged) => ctx().logs.logged(p),
      'editord/subscriptionEnded': (p: SubscriptionEnded) => ctx().resources.subscriptions.ended(p),
      'window/showMessage': showNotice,
      'mcp/notifications/resources/updated': (p: ResourceUpdated) => ctx().resources.subscriptions.updated(p),
    },
    executeCommand: (id, args) => (isOfDaemon(id) ? runOfDaemon(ctx(), id, args) : callById(ctx(), id, args)),
    visit: (url, token) => ctx().signIns.visit(url, token),
    began: (title) => ctx().results.began({ title }),
    open: (document) => (document.uri.endsWith('.mcp') ? openNew(document.uri) : openNamed(document)),
  };
}

/** Connects once the workspace is trusted, and again when a setting that the connection depends on has changed. */
function connecting(client: Client): vscode.Disposable {
  const start = () => {
    if (vscode.workspace.isTrusted) {
      void client.start();
    }
  };
  start();
  return vscode.Disposable.from(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      start();
      client.configured(); // a connection from before has said that it is not trusted
    }),
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (['mcp-editord', 'security.workspace.trust', 'chat'].some((section) => e.affectsConfiguration(section))) {
        client.configured();
      }
    }),
  );
}
