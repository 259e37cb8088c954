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
  type ShowDocumentParams,
  State,
  type StaticFeature,
  WorkDoneProgress,
  WorkDoneProgressCancelNotification,
} from 'vscode-languageclient';
import {
  type DaemonCapabilities,
  type EditorCapabilities,
  type InitializationOptions,
  type JsonObject,
  type OwnClient,
  RequestError,
} from '../protocol';
import { block, line } from '../text';
import type { Progress } from '../ui/progress';
import { documents } from './documents';
import { readMessage } from './message';
import { Work } from './work';

/** The tokens of our own requests begin so; all others are the daemon's. */
const ours = 'vscode-';

/** How long the process may live on after its standard input has ended. */
const grace = 2000; // ms

/** What the daemon may ask and tell. Params have the type of their method. */
export interface Handlers {
  requests: Record<string, (params: never, token: vscode.CancellationToken) => Promise<unknown>>;
  notifications: Record<string, (params: never) => void>;
  executeCommand: NonNullable<Middleware['executeCommand']>;
  /** Opens an address outside of the editor. Returns whether it did. */
  visit: (url: string, token: vscode.CancellationToken) => Promise<boolean>;
  /** Opens a document in the editor. Returns whether it did. */
  open: (document: ShowDocumentParams) => Promise<boolean>;
  /** Notes work that goes on in the daemon, and returns what ends that. */
  began: (title: string) => () => void;
}

export interface Options {
  file: string;
  cwd: string | undefined;
  log: vscode.LogOutputChannel;
  handlers: Handlers;
  autoStart: boolean;
  servers: JsonObject;
  sampling: boolean;
  /** How many bytes a result may have before its largest parts come as files. */
  inlineLimit: number;
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
  private tokens = 0;

  constructor(private readonly o: Options) {
    const work = new Work((token) => {
      void this.sendNotification(WorkDoneProgressCancelNotification.type, { token }).catch(() => undefined);
    }, o.handlers.began);
    super('mcp-editord', 'Editord', {
      documentSelector: documents({ configuration: process.env.MCP_EDITORD_CONFIG, ownClient: o.ownClient }),
      outputChannel: o.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: {
        autoStart: o.autoStart,
        servers: o.servers,
        inlineLimit: o.inlineLimit,
        ...(o.trusted !== undefined && { trusted: o.trusted }),
        ...(o.ownClient && { ownClient: o.ownClient }),
      } satisfies InitializationOptions,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
      middleware: {
        executeCommand: o.handlers.executeCommand,
        provideCompletionItem: async (document, position, context, token, next) => {
          const found = (await next(document, position, context, token)) ?? [];
          for (const item of Array.isArray(found) ? found : found.items) {
            if (typeof item.insertText === 'string' && item.insertText.endsWith(': ')) {
              item.command = { title: '', command: 'editor.action.triggerSuggest' }; // the value of that key
            }
          }
          return found;
        },
        provideHover: async (document, position, token, next) => {
          const hover = await next(document, position, token);
          for (const content of hover?.contents ?? []) {
            if (typeof content === 'object' && 'appendText' in content) {
              content.value = content.value.replaceAll('&nbsp;', ' '); // at which no line breaks
            }
          }
          return hover;
        },
        provideCodeLenses: async (document, token, next) => {
          const lenses = (await next(document, token)) ?? [];
          for (const { command } of lenses) {
            if (command) {
              const title = line(command.title); // which may name what a server or a project has named
              // VS Code may have lenses of its own in the same line. One that only says something begins ours.
              command.title = command.command === '' ? `Editord: ${title}` : title;
            }
          }
          return lenses;
        },
        handleWorkDoneProgress: (token, params, next) => {
          const own = typeof token === 'string' && token.startsWith(ours);
          if (!own) {
            work.take(token, params);
          }
          // The library would show other work in the status bar, where nobody can cancel it.
          if (own || params.kind === 'end') {
            next(token, params);
          }
        },
        window: {
          showDocument: async (params, token) => ({
            success: await (params.external ? o.handlers.visit(params.uri, token) : o.handlers.open(params)),
          }),
        },
      },
    });
    this.registerFeature(abilities(o.sampling));
    for (const [method, handler] of Object.entries(o.handlers.requests)) {
      this.onRequest(method, (params: never, token: vscode.CancellationToken) => answer(handler(params, token)));
    }
    for (const [method, handler] of Object.entries(o.handlers.notifications)) {
      this.onNotification(method, handler as (params: unknown) => void);
    }
    this.onDidChangeState(({ newState, oldState }) => {
      if (newState === State.Stopped) {
        work.clear();
        if (oldState === State.Running) {
          o.ended();
        }
      }
    });
  }

  /** The folder of these files, as a URI; undefined before there is a connection. */
  get files(): string | undefined {
    return (this.initializeResult?.capabilities.experimental as { mcp?: DaemonCapabilities } | undefined)?.mcp?.files;
  }

  /** Follows the progress of a request that gets this token. */
  follow(report: (progress: Progress) => void): vscode.Disposable & { token: string } {
    const token = `${ours}${++this.tokens}`;
    return { token, dispose: this.onProgress(WorkDoneProgress.type, token, report).dispose };
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
      // What the daemon has to show is a file. The library would take documents with the scheme of our resources.
      delete capabilities.workspace?.textDocumentContent;
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
