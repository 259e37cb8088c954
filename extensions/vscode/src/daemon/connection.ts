// One connection to the daemon: `mcp-editord attach` as a language server. Nothing else uses
// vscode-languageclient. That is half of the bundle, so this file is loaded after activation,
// with the first connection.

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type * as vscode from 'vscode';
import { StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import {
  BaseLanguageClient,
  CloseAction,
  ErrorAction,
  type MessageTransports,
  type Middleware,
  ResponseError,
  RevealOutputChannelOn,
  State,
  type StaticFeature,
  WorkDoneProgress,
} from 'vscode-languageclient';
import {
  type EditorCapabilities,
  type InitializationOptions,
  type JsonObject,
  type OwnClient,
  RequestError,
} from '../protocol';
import { block } from '../text';
import type { Progress } from '../ui/progress';
import { readMessage } from './message';

/** How long the process may live on after its standard input has ended. */
const grace = 2000; // ms

/** What the daemon may ask and tell. Params have the type of their method. */
export interface Handlers {
  requests: Record<string, (params: never, token: vscode.CancellationToken) => Promise<unknown>>;
  notifications: Record<string, (params: never) => void>;
  executeCommand: NonNullable<Middleware['executeCommand']>;
}

export interface Options {
  file: string;
  cwd: string | undefined;
  log: vscode.LogOutputChannel;
  handlers: Handlers;
  autoStart: boolean;
  servers: JsonObject;
  sampling: boolean;
  /** Whether the person trusts the folders; undefined when nobody asked. */
  trusted: boolean | undefined;
  /** The editor's own MCP client; undefined when it has none that is in use. */
  ownClient: OwnClient | undefined;
  /** Is called with each line that the process writes to its standard error. */
  said: (line: string) => void;
  /** Is called when it ends unasked. */
  ended: () => void;
}

/** A language client over a child process. The one in vscode-languageclient also debugs, opens ports and checks versions. */
export class Connection extends BaseLanguageClient {
  private child: ChildProcess | undefined;

  constructor(private readonly o: Options) {
    super('mcp-editord', 'Editord', {
      outputChannel: o.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: {
        autoStart: o.autoStart,
        servers: o.servers,
        ...(o.trusted !== undefined && { trusted: o.trusted }),
        ...(o.ownClient && { ownClient: o.ownClient }),
      } satisfies InitializationOptions,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
      middleware: { executeCommand: o.handlers.executeCommand },
    });
    this.registerFeature(abilities(o.sampling));
    for (const [method, handler] of Object.entries(o.handlers.requests)) {
      this.onRequest(method, (params: never, token: vscode.CancellationToken) => answer(handler(params, token)));
    }
    for (const [method, handler] of Object.entries(o.handlers.notifications)) {
      this.onNotification(method, handler as (params: unknown) => void);
    }
    this.onDidChangeState(({ newState, oldState }) => {
      if (newState === State.Stopped && oldState === State.Running) {
        o.ended();
      }
    });
  }

  /** Follows the progress of the request that has this token. */
  follow(token: string, report: (progress: Progress) => void): vscode.Disposable {
    return this.onProgress(WorkDoneProgress.type, token, report);
  }

  /** Ends the connection, then its process: `attach` ends when its standard input does. */
  async end(): Promise<void> {
    if (this.state === State.Running) {
      await this.dispose(2000).catch(() => undefined); // then the process ends without being asked
    }
    const child = this.child;
    if (child?.exitCode !== null || child.signalCode !== null) {
      return;
    }
    child.stdin?.end();
    const limit = setTimeout(() => child.kill(), grace);
    child.once('exit', () => clearTimeout(limit));
  }

  /** Runs the process in VS Code's environment, which is that of the user's shell. */
  protected override createMessageTransports(): Promise<MessageTransports> {
    const child = spawn(this.o.file, ['attach'], { cwd: this.o.cwd, env: process.env, stdio: 'pipe' });
    this.child = child;
    createInterface(child.stderr).on('line', (l) => this.o.said(block(l)));
    child.stdin.on('error', () => undefined); // the end of stdout says the same
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () =>
        resolve({
          reader: new StreamMessageReader(child.stdout, {
            contentTypeDecoder: {
              name: 'application/json',
              decode: async (bytes) => readMessage(Buffer.from(bytes).toString('utf8')),
            },
          }),
          writer: new StreamMessageWriter(child.stdin),
        }),
      );
    });
  }

  /** Logs an error. client.ts shows it, if it matters. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Declares what this editor can answer (docs/editor-protocol.md, Life cycle). */
function abilities(sampling: boolean): StaticFeature {
  return {
    fillClientCapabilities(capabilities) {
      capabilities.experimental = {
        ...capabilities.experimental,
        mcp: {
          ...(sampling && { sampling: { tools: {} } }),
          elicitation: { form: {}, url: {} },
          approval: {},
        } satisfies EditorCapabilities,
      };
    },
    initialize: () => undefined,
    getState: () => ({ kind: 'static' }),
    clear: () => undefined,
  };
}

async function answer(result: Promise<unknown>): Promise<unknown> {
  try {
    return await result;
  } catch (error) {
    throw error instanceof RequestError ? new ResponseError(error.code, error.message) : error;
  }
}
