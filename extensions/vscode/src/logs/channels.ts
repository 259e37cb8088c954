// One output channel for each server. The daemon keeps the log, of standard error and of
// MCP's messages alike: a channel shows the last of it, and what has come since.

import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Catalog } from '../daemon/catalog';
import type { Client } from '../daemon/client';
import { block, line } from '../text';
import { newLines } from './tail';

/** How many lines are asked for, and how much of each is shown. */
const maxLines = 1000;
const maxLine = 10_000; // characters
const pause = 250; // ms

interface Log {
  channel: vscode.LogOutputChannel;
  /** The lines that the daemon told last. */
  known: readonly string[];
  reading: Promise<void> | undefined;
  /** Whether more has come during the reading. */
  again: boolean;
}

export class Logs implements vscode.Disposable {
  private readonly logs = new Map<string, Log>();
  private readonly following: vscode.Disposable;

  constructor(
    private readonly client: Client,
    private readonly catalog: Catalog,
  ) {
    this.following = vscode.Disposable.from(
      catalog.onDidChange(() => this.prune()),
      client.onDidChangeState(() => {
        for (const log of this.logs.values()) {
          log.known = []; // a daemon that was restarted begins anew
        }
      }),
    );
  }

  dispose(): void {
    this.following.dispose();
    for (const { channel } of this.logs.values()) {
      channel.dispose();
    }
  }

  async show(server: string): Promise<void> {
    this.log(server).channel.show();
    await this.follow(server);
  }

  /** There is more in the log of a server. However often this is called meanwhile, it is read once more at most. */
  follow(server: string): Promise<void> {
    const log = this.log(server);
    log.again = true;
    log.reading ??= this.read(server, log).finally(() => {
      log.reading = undefined;
    });
    return log.reading;
  }

  private async read(server: string, log: Log): Promise<void> {
    while (log.again) {
      log.again = false;
      const params = { server, lines: maxLines };
      const { lines } = await this.client.request<{ lines: string[] }>('editord/serverLog', params);
      for (const l of newLines(log.known, lines)) {
        const level = levels[/^mcp: \[(\w+)\]/.exec(l)?.[1] ?? ''] ?? 'info';
        log.channel[level](block(l).slice(0, maxLine));
      }
      log.known = lines;
      if (log.again) {
        await delay(pause); // a server that floods is read four times a second
      }
    }
  }

  private log(server: string): Log {
    let log = this.logs.get(server);
    if (!log) {
      const channel = vscode.window.createOutputChannel(`MCP: ${line(server, 60)}`, { log: true });
      channel.onDidChangeLogLevel((level) => this.setLevel(server, level));
      log = { channel, known: [], reading: undefined, again: false };
      this.logs.set(server, log);
    }
    return log;
  }

  /** A server is no longer defined. */
  remove(server: string): void {
    this.logs.get(server)?.channel.dispose();
    this.logs.delete(server);
  }

  /** Without a connection there are no servers, and their channels stay. */
  private prune(): void {
    for (const server of [...this.logs.keys()]) {
      if (this.catalog.servers.length > 0 && !this.catalog.server(server)) {
        this.remove(server);
      }
    }
  }

  /** What is chosen for the channel is what the server is asked for. */
  private setLevel(server: string, level: vscode.LogLevel): void {
    const wanted = asked[level];
    if (wanted && this.catalog.server(server)?.capabilities?.logging !== undefined) {
      this.client.request('mcp/logging/setLevel', { server, params: { level: wanted } }).catch(() => undefined);
    }
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
