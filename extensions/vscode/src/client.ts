// The connection to the daemon: `mcp-editord attach` as a language server. When it
// ends unasked it is made anew, each time by a language client of its own, so that
// nothing of the old one is left.

import * as fs from 'node:fs';
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  type LanguageClientOptions,
  type Middleware,
  RevealOutputChannelOn,
  State,
  type StaticFeature,
  WorkDoneProgress,
} from 'vscode-languageclient';
import { findBinary } from './binary';
import { Crashes } from './crashes';
import type { Json } from './protocol';
import { line } from './text';
import { ProcessClient } from './transport';
import type { Progress } from './ui';

const { t } = vscode.l10n;

/** off: it was never started, as in a folder that is not trusted. */
export type ClientState = 'off' | 'starting' | 'running' | 'waiting' | 'failed';

/** What the daemon may ask and tell. Params are of the type that the method has. */
export interface Handlers {
  requests: Record<string, (params: never, token: vscode.CancellationToken) => Promise<unknown>>;
  notifications: Record<string, (params: never) => void>;
  executeCommand: NonNullable<Middleware['executeCommand']>;
}

export class Client implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<ClientState>();
  private readonly crashes = new Crashes(Date.now);
  private current: ProcessClient | undefined;
  private timer: NodeJS.Timeout | undefined;
  private state_: ClientState = 'off';
  /** The last line that `attach` has written to its standard error. */
  private lastWords = '';
  private settings: Settings | undefined;
  private disposed = false;
  private tokens = 0;

  readonly onDidChangeState = this.changed.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly handlers: Handlers,
  ) {}

  get state(): ClientState {
    return this.state_;
  }

  /** Connects, unless there is a connection. It returns when that has worked or failed; failures are shown. */
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
    this.set('starting');
    const client = this.make(binary.file, settings);
    this.current = client;
    try {
      await client.start();
      if (this.current === client) {
        this.set('running');
      }
    } catch (error) {
      this.log.error(`connecting to the daemon: ${message(error)}`);
      this.ended(client);
    }
  }

  /** Settings may have changed: connects anew when the connection depends on one that has. */
  configured(): void {
    if (this.settings && JSON.stringify(this.settings) !== JSON.stringify(readSettings())) {
      void this.restart();
    }
  }

  /** Connects anew, with another binary when the settings name one. */
  async restart(): Promise<void> {
    this.crashes.forget();
    this.lastWords = '';
    await this.stop('waiting');
    await this.start();
  }

  /** Ends the connection. The daemon goes on for the other editors. */
  private async stop(then: 'off' | 'waiting'): Promise<void> {
    clearTimeout(this.timer);
    const client = this.current;
    this.current = undefined;
    this.set(then);
    await end(client);
  }

  dispose(): void {
    this.disposed = true;
    void this.stop('off');
    this.changed.dispose();
  }

  /** Returns once there is a connection, which may take as long as starting the daemon does; fails when there is none. */
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

  /** Sends a request. It fails at once when there is no connection. */
  async request<R>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<R> {
    const client = this.current;
    if (!client || this.state_ !== 'running') {
      throw notConnected();
    }
    // Were undefined passed on, it would count as a second parameter.
    return token ? client.sendRequest<R>(method, params, token) : client.sendRequest<R>(method, params);
  }

  /** Sends a request whose progress goes to report. */
  async requestWithProgress<R>(
    method: string,
    params: object,
    report: (progress: Progress) => void,
    token: vscode.CancellationToken,
  ): Promise<R> {
    const workDoneToken = `vscode-${++this.tokens}`;
    const following = this.current?.onProgress(WorkDoneProgress.type, workDoneToken, report);
    try {
      return await this.request<R>(method, { ...params, workDoneToken }, token);
    } finally {
      following?.dispose();
    }
  }

  private make(command: string, { autoStart, servers, sampling }: Settings): ProcessClient {
    const options: LanguageClientOptions = {
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { autoStart, servers },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
      middleware: { executeCommand: this.handlers.executeCommand },
    };
    const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const client = new ProcessClient(command, ['attach'], cwd, (l) => this.said(l), options);
    client.registerFeature(abilities(sampling));
    for (const [method, handler] of Object.entries(this.handlers.requests)) {
      client.onRequest(method, handler as (params: unknown, token: vscode.CancellationToken) => Promise<unknown>);
    }
    for (const [method, handler] of Object.entries(this.handlers.notifications)) {
      client.onNotification(method, handler as (params: unknown) => void);
    }
    client.onDidChangeState(({ newState, oldState }) => {
      if (newState === State.Stopped && oldState === State.Running) {
        this.ended(client);
      }
    });
    return client;
  }

  private said(text: string): void {
    this.log.error(text);
    this.lastWords = text;
  }

  /** A connection has ended that nobody asked to end. */
  private ended(client: ProcessClient): void {
    if (this.current !== client) {
      return;
    }
    this.current = undefined;
    void end(client);
    const wait = this.crashes.next();
    if (wait === undefined) {
      const why = this.lastWords || t('the log says more');
      this.fail(t('The connection to mcp-editord has ended five times in three minutes: {0}', why));
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
interface Settings {
  path: string;
  autoStart: boolean;
  servers: Record<string, Json>;
  sampling: boolean;
}

function readSettings(): Settings {
  const configuration = vscode.workspace.getConfiguration('mcp-editord');
  return {
    path: configuration.get('path', ''),
    autoStart: configuration.get('autoStart', true),
    servers: configuration.get('servers', {}),
    sampling: configuration.get('sampling.enabled', true),
  };
}

/** Declares what this editor can answer (docs/editor-protocol.md, Life cycle). */
function abilities(sampling: boolean): StaticFeature {
  return {
    fillClientCapabilities(capabilities) {
      capabilities.experimental = {
        ...capabilities.experimental,
        mcp: { ...(sampling && { sampling: { tools: {} } }), elicitation: { form: {}, url: {} }, approval: {} },
      };
    },
    initialize: () => undefined,
    getState: () => ({ kind: 'static' }),
    clear: () => undefined,
  };
}

async function end(client: ProcessClient | undefined): Promise<void> {
  if (client?.state === State.Running) {
    await client.dispose(2000).catch(() => undefined); // then its process is ended without being asked
  }
  client?.end();
}

function notConnected(): Error {
  return new Error(t('mcp-editord is not connected. MCP: Restart Connection connects again.'));
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

export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
