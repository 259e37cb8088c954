// Keeps the daemon connected. When a connection ends unasked, a new one takes its place and keeps
// nothing of the old one.

import * as fs from 'node:fs';
import * as vscode from 'vscode';
import type { RequestsToDaemon } from '../protocol';
import { line, message } from '../text';
import type { Progress } from '../ui/progress';
import { findBinary } from './binary';
import type { Connection, Handlers, Options } from './connection';
import { Crashes } from './crashes';
import { ownClient } from './own-client';

const { t } = vscode.l10n;

/** What crosses the extension host whole: it serves all extensions, and a message of megabytes holds it up. */
export const inlineLimit = 200_000; // bytes

/** off: never started, as in a folder that is not trusted. */
export type ClientState = 'off' | 'starting' | 'running' | 'waiting' | 'failed';

/** Methods that are not the daemon's own: MCP's, and LSP's. */
type PassedOn = `mcp/${string}` | `workspace/${string}`;

export class Client implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<ClientState>();
  private readonly crashes = new Crashes(Date.now);
  private current: Connection | undefined;
  /** Counts attempts to connect. A later attempt ends an earlier one. */
  private attempts = 0;
  private timer: NodeJS.Timeout | undefined;
  private state_: ClientState = 'off';
  /** The last line that `attach` wrote to its standard error. */
  private lastWords = '';
  private settings: Settings | undefined;
  private file_: string | undefined;
  private disposed = false;

  readonly onDidChangeState = this.changed.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly handlers: Handlers,
  ) {}

  get state(): ClientState {
    return this.state_;
  }

  /** The mcp-editord that it connects with; undefined before it has found one. */
  get file(): string | undefined {
    return this.file_;
  }

  /** The folder of the files that stand for parts of results, as a URI; undefined while there is no connection. */
  get files(): string | undefined {
    return this.current?.files;
  }

  /** The editor's own MCP client, as the daemon was told; undefined when it has none that is in use. */
  get ownClient(): Options['ownClient'] {
    return this.settings?.ownClient;
  }

  /** Connects, unless there is a connection. Returns when it has worked or failed; it shows failures. */
  async start(): Promise<void> {
    if (this.state_ === 'starting' || this.state_ === 'running' || this.disposed) {
      return;
    }
    clearTimeout(this.timer);
    const settings = readSettings();
    this.settings = settings;
    const binary = findBinary({
      setting: expand(settings.path),
      extension: this.context.extensionPath,
      path: process.env.PATH ?? '',
      platform: process.platform,
      runnable,
      t,
    });
    if ('problem' in binary) {
      this.fail(binary.problem);
      return;
    }
    this.log.info(`running ${binary.file}: ${binary.reason}`);
    this.file_ = binary.file;
    this.set('starting');
    const attempt = ++this.attempts;
    const { Connection } = await import('./connection');
    if (attempt !== this.attempts) {
      return; // it was stopped meanwhile
    }
    const connection = new Connection({
      ...settings,
      file: binary.file,
      inlineLimit,
      cwd: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
      log: this.log,
      handlers: this.handlers,
      said: (text) => this.said(text),
      ended: () => this.ended(connection),
    });
    this.current = connection;
    try {
      await connection.start();
      if (this.current === connection) {
        this.set('running');
      }
    } catch (error) {
      this.log.error(`connecting to the daemon: ${message(error)}`);
      this.ended(connection);
    }
  }

  /** Connects anew when a setting that the connection depends on has changed. */
  configured(): void {
    if (this.settings && JSON.stringify(this.settings) !== JSON.stringify(readSettings())) {
      void this.restart();
    }
  }

  /** Connects anew, with the binary that the settings name now. */
  async restart(): Promise<void> {
    this.crashes.forget();
    this.lastWords = '';
    await this.stop('waiting');
    await this.start();
  }

  /** Ends the connection. The daemon goes on for the other editors. */
  private async stop(then: 'off' | 'waiting'): Promise<void> {
    clearTimeout(this.timer);
    this.attempts++;
    const connection = this.current;
    this.current = undefined;
    this.set(then);
    await connection?.end();
  }

  /** Ends the connection for good. Returns when the daemon knows. */
  end(): Promise<void> {
    this.disposed = true;
    return this.stop('off');
  }

  dispose(): void {
    void this.end();
    this.changed.dispose();
  }

  /** Returns once there is a connection, after starting the daemon if need be. Fails when there will be none. */
  running(): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (state: ClientState) => {
        if (state === 'starting' || state === 'waiting') {
          return;
        }
        listening.dispose();
        state === 'running' ? resolve() : reject(notConnected());
      };
      const listening = this.onDidChangeState(settle);
      settle(this.state_);
    });
  }

  /** Sends a request. It fails at once when there is no connection, or when that ends. */
  request<M extends keyof RequestsToDaemon>(
    method: M,
    params: RequestsToDaemon[M]['params'],
    token?: vscode.CancellationToken,
  ): Promise<RequestsToDaemon[M]['result']>;
  request<R>(method: PassedOn, params: unknown, token?: vscode.CancellationToken): Promise<R>;
  async request<R>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<R> {
    const connection = this.current;
    if (!connection || this.state_ !== 'running') {
      throw notConnected();
    }
    try {
      // An undefined token would count as a second parameter.
      return await (token
        ? connection.sendRequest<R>(method, params, token)
        : connection.sendRequest<R>(method, params));
    } catch (error) {
      // An error of the daemon comes while there is a connection.
      throw this.current === connection ? error : lost();
    }
  }

  /** Sends a request, and reports its progress. */
  async requestWithProgress<R>(
    method: PassedOn,
    params: object,
    report: (progress: Progress) => void,
    token: vscode.CancellationToken,
  ): Promise<R> {
    const following = this.current?.follow(report);
    try {
      return await this.request<R>(method, { ...params, workDoneToken: following?.token }, token);
    } finally {
      following?.dispose();
    }
  }

  private said(text: string): void {
    this.log.error(text);
    this.lastWords = text;
  }

  /** A connection has ended unasked. */
  private ended(connection: Connection): void {
    if (this.current !== connection) {
      return;
    }
    this.current = undefined;
    void connection.end();
    const wait = this.crashes.next();
    if (wait === undefined) {
      const why = this.lastWords || t('see the log');
      this.fail(t('The connection to mcp-editord ended five times in three minutes: {0}', why));
      return;
    }
    this.log.warn(`the connection to the daemon has ended; trying again in ${wait} ms`);
    this.set('waiting');
    this.timer = setTimeout(() => void this.start(), wait);
  }

  private fail(problem: string): void {
    this.log.error(problem);
    this.set('failed');
    const again = t('Try Again');
    const show = t('Show Log');
    void vscode.window.showErrorMessage(line(problem, 400), again, show).then((choice) => {
      if (choice === show) {
        this.log.show();
      } else if (choice === again) {
        void this.restart();
      }
    });
  }

  private set(state: ClientState): void {
    if (state !== this.state_) {
      this.state_ = state;
      this.changed.fire(state);
    }
  }
}

/** The settings that a connection depends on. */
interface Settings extends Pick<Options, 'autoStart' | 'servers' | 'sampling' | 'trusted' | 'ownClient'> {
  path: string;
}

function readSettings(): Settings {
  const configuration = vscode.workspace.getConfiguration('mcp-editord');
  return {
    path: configuration.get('path', ''),
    autoStart: configuration.get('autoStart', true),
    servers: configuration.get('servers', {}),
    sampling: configuration.get('sampling.enabled', true),
    // With workspace trust turned off every folder counts as trusted, and nobody was asked.
    trusted: vscode.workspace.getConfiguration('security.workspace.trust').get('enabled', true)
      ? vscode.workspace.isTrusted
      : undefined,
    ownClient: readOwnClient(),
  };
}

function readOwnClient(): Options['ownClient'] {
  const chat = vscode.workspace.getConfiguration('chat');
  return ownClient({
    appName: vscode.env.appName,
    hasClient: typeof vscode.lm?.registerMcpServerDefinitionProvider === 'function',
    access: chat.get('mcp.access'),
    disabled: chat.get('disableAIFeatures'),
    rootConfig: chat.get('mcp.workspaceRootConfig.enabled'),
  });
}

function notConnected(): Error {
  return new Error(t('mcp-editord is not connected; run "Editord: Restart Connection".'));
}

function lost(): Error {
  return new Error(
    t('The connection to mcp-editord ended before the answer came. The server may have done what was asked.'),
  );
}

function runnable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Replaces ~ or ${userHome} at the start of a path. */
function expand(path: string): string {
  const home = process.env.HOME ?? process.env.USERPROFILE ?? '';
  return path.replace(/^(~|\$\{userHome\})(?=[\\/])/, home);
}
