// One output channel for each server. The daemon keeps the log: what the server writes to standard
// error, and MCP's messages. A channel shows its last lines, and follows it.
//
// A LogOutputChannel would stamp each line with the time at which it was read. These are channels in
// the language of logs instead, which VS Code colours alike, and what is in them is ours.

import * as vscode from 'vscode';
import type { Catalog } from '../daemon/catalog';
import type { Client } from '../daemon/client';
import type { ServerLogged } from '../protocol';
import { line, message } from '../text';
import { logText } from './format';
import { Tail } from './tail';

const { t } = vscode.l10n;

/** How many lines to ask for at first. */
const maxLines = 1000;

interface Log {
  channel: vscode.OutputChannel;
  tail: Tail;
  /** Its server was defined when the daemon last told. */
  defined: boolean;
}

export class Logs implements vscode.Disposable {
  private readonly logs = new Map<string, Log>();
  private readonly held: vscode.Disposable;

  constructor(
    private readonly client: Client,
    private readonly catalog: Catalog,
    private readonly warnings: vscode.LogOutputChannel,
  ) {
    this.held = vscode.Disposable.from(
      catalog.onDidChange(() => this.keepUp()),
      client.onDidChangeState((state) => {
        if (state !== 'running') {
          for (const { tail } of this.logs.values()) {
            tail.end();
          }
        }
      }),
    );
  }

  dispose(): void {
    this.held.dispose();
    for (const { channel } of this.logs.values()) {
      channel.dispose();
    }
  }

  async show(server: string): Promise<void> {
    const { channel, tail } = this.log(server);
    channel.show();
    await tail.follow();
  }

  /** Shows new lines (editord/serverLogged). */
  logged({ server, ...lines }: ServerLogged): void {
    this.logs.get(server)?.tail.logged(lines);
  }

  private log(server: string): Log {
    let log = this.logs.get(server);
    if (!log) {
      const channel = vscode.window.createOutputChannel(`Editord: ${line(server, 60)}`, 'log');
      const tail = new Tail(
        (after) =>
          this.client.request('editord/serverLog', {
            server,
            lines: maxLines,
            follow: true,
            entries: true,
            ...(after !== undefined && { after }),
          }),
        (lines) => channel.append(logText(lines, t)),
      );
      log = { channel, tail, defined: true };
      this.logs.set(server, log);
    }
    return log;
  }

  /**
   * Follows the log of every server that is defined, also of one whose log could not be read before.
   * The channel of a server that is gone stays, since it may say why. Without a connection no server
   * is known, and none is gone.
   */
  private keepUp(): void {
    if (this.client.state !== 'running') {
      return;
    }
    for (const { name } of this.catalog.servers) {
      const log = this.log(name);
      log.defined = true;
      log.tail.follow().catch((error) => this.warnings.warn(`reading the log of ${line(name)}: ${message(error)}`));
    }
    for (const [name, log] of this.logs) {
      if (log.defined && !this.catalog.server(name)) {
        log.defined = false;
        log.tail.end();
        log.channel.appendLine(t('[this server is no longer defined]'));
      }
    }
  }
}
