// A language client over a child process. vscode-languageclient has one too, which
// brings a good deal more than this: debugging, ports, checks of versions.

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { BaseLanguageClient, type LanguageClientOptions, type MessageTransports } from 'vscode-languageclient';
import { block } from './text';

/** How long the process may live on after its standard input has ended. */
const grace = 2000; // ms

export class ProcessClient extends BaseLanguageClient {
  private child: ChildProcess | undefined;

  constructor(
    private readonly file: string,
    private readonly args: string[],
    private readonly cwd: string | undefined,
    /** Gets what the process writes to its standard error, line by line. */
    private readonly said: (line: string) => void,
    options: LanguageClientOptions,
  ) {
    super('mcp-editord', 'MCP', options);
  }

  /** Runs the process with VS Code's environment, which is that of the user's shell. */
  protected override createMessageTransports(): Promise<MessageTransports> {
    const child = spawn(this.file, this.args, { cwd: this.cwd, env: process.env, stdio: 'pipe' });
    this.child = child;
    createInterface(child.stderr).on('line', (l) => this.said(block(l)));
    child.stdin.on('error', () => undefined); // the end of stdout says the same
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () =>
        resolve({ reader: new StreamMessageReader(child.stdout), writer: new StreamMessageWriter(child.stdin) }),
      );
    });
  }

  /** What goes wrong is logged here and told by client.ts, which knows whether it matters. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  /** Ends the process: `attach` ends when its standard input does. */
  end(): void {
    const child = this.child;
    if (child?.exitCode !== null || child.signalCode !== null) {
      return;
    }
    child.stdin?.end();
    const limit = setTimeout(() => child.kill(), grace);
    child.once('exit', () => clearTimeout(limit));
  }
}
