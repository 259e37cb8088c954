// One output channel for each server. The daemon keeps the log: what the server writes to standard
// error, and MCP's messages. A channel shows its last lines, and follows it.

import * as vscode from 'vscode';
import type { Catalog } from '../daemon/catalog';
import type { Client } from '../daemon/client';
import type { ServerLogged, ServerLogResult } from '../protocol';
import { block, line } from '../text';
import { Tail } from './tail';

const { t } = vscode.l10n;

/** How many lines to ask for at first, and how much of each to show. */
const maxLines = 1000;
const maxLine = 10_000; // characters

interface Log {
  channel: vscode.LogOutputChannel;
  tail: Tail;
}

export class Logs implements vscode.Disposable {
  private readonly logs = new Map<string, Log>();
  private readonly held: vscode.Disposable;

  constructor(
    private readonly client: Client,
    private readonly catalog: Catalog,
  ) {
    this.held = vscode.Disposable.from(
      catalog.onDidChange(() => this.prune()),
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
    this.log(server).channel.show();
    await this.follow(server);
  }

  /** Follows the log of a server, unless it does already, until the server or the connection goes. */
  follow(server: string): Promise<void> {
    return this.log(server).tail.follow();
  }

  /** Shows new lines (editord/serverLogged). */
  logged({ server, ...lines }: ServerLogged): void {
    this.logs.get(server)?.tail.logged(lines);
  }

  private log(server: string): Log {
    let log = this.logs.get(server);
    if (!log) {
      const channel = vscode.window.createOutputChannel(`Editord: ${line(server, 60)}`, { log: true });
      channel.onDidChangeLogLevel((level) => this.setLevel(server, level));
      const tail = new Tail(
        (after) =>
          this.client.request('editord/serverLog', {
            server,
            lines: maxLines,
            follow: true,
            ...(after !== undefined && { after }),
          }),
        (lines) => write(channel, lines),
      );
      log = { channel, tail };
      this.logs.set(server, log);
    }
    return log;
  }

  /** Ends the channel of a server that is no longer defined. */
  remove(server: string): void {
    this.logs.get(server)?.channel.dispose();
    this.logs.delete(server);
  }

  /** Removes the channels of servers that are gone. Without a connection no server is known, and all channels stay. */
  private prune(): void {
    for (const server of [...this.logs.keys()]) {
      if (this.catalog.servers.length > 0 && !this.catalog.server(server)) {
        this.remove(server);
      }
    }
  }

  /** Asks the server for the level that the person chose for its channel. */
  private setLevel(server: string, level: vscode.LogLevel): void {
    const wanted = asked[level];
    if (wanted && this.catalog.server(server)?.capabilities?.logging !== undefined) {
      this.client.request('mcp/logging/setLevel', { server, params: { level: wanted } }).catch(() => undefined);
    }
  }
}

function write(channel: vscode.LogOutputChannel, { lines, missed }: ServerLogResult): void {
  if (missed) {
    channel.warn(t('{0} lines are missing here.', missed));
  }
  for (const l of lines) {
    const level = levels[/^mcp: \[(\w+)\]/.exec(l)?.[1] ?? ''] ?? 'info';
    channel[level](block(l).slice(0, maxLine));
  }
}

// MCP's levels are those of RFC 5424 (MCP 2025-11-25, Logging, Log Levels).
const levels: Record<string, 'debug' | 'info' | 'warn' | 'error'> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
};

const asked: Partial<Record<vscode.LogLevel, string>> = {
  [vscode.LogLevel.Trace]: 'debug',
  [vscode.LogLevel.Debug]: 'debug',
  [vscode.LogLevel.Info]: 'info',
  [vscode.LogLevel.Warning]: 'warning',
  [vscode.LogLevel.Error]: 'error',
};
