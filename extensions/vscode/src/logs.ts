// One output channel for each server: what the daemon has of its log, and its messages as they come.

import * as vscode from 'vscode';
import type { Catalog } from './catalog';
import type { Client } from './client';
import type { Json } from './protocol';
import { block, line } from './text';

const maxLine = 10_000; // characters

/** MCP's notifications/message. */
export interface LogMessage {
  level?: string;
  logger?: string;
  data?: Json;
}

export class Logs implements vscode.Disposable {
  private readonly channels = new Map<string, vscode.LogOutputChannel>();
  private readonly following: vscode.Disposable;

  constructor(
    private readonly client: Client,
    private readonly catalog: Catalog,
  ) {
    this.following = catalog.onDidChange(() => {
      for (const [server, channel] of this.channels) {
        // Without a connection there are no servers, and their channels stay.
        if (catalog.servers.length > 0 && !catalog.server(server)) {
          channel.dispose();
          this.channels.delete(server);
        }
      }
    });
  }

  dispose(): void {
    this.following.dispose();
    for (const channel of this.channels.values()) {
      channel.dispose();
    }
  }

  /** Shows what a server has written, from the beginning of what the daemon keeps. */
  async show(server: string): Promise<void> {
    const { lines } = await this.client.request<{ lines: string[] }>('editord/serverLog', { server, lines: 1000 });
    const channel = this.channel(server);
    channel.clear();
    for (const l of lines) {
      channel.info(block(l).slice(0, maxLine));
    }
    channel.show();
  }

  /** Takes a message that a server logs. */
  message(server: string, m: LogMessage): void {
    const data = typeof m.data === 'string' ? m.data : JSON.stringify(m.data ?? null);
    const text = block(m.logger ? `[${m.logger}] ${data}` : data).slice(0, maxLine);
    this.channel(server)[levels[m.level ?? ''] ?? 'info'](text);
  }

  private channel(server: string): vscode.LogOutputChannel {
    let channel = this.channels.get(server);
    if (!channel) {
      channel = vscode.window.createOutputChannel(`MCP: ${line(server, 60)}`, { log: true });
      channel.onDidChangeLogLevel((level) => this.setLevel(server, level));
      this.channels.set(server, channel);
    }
    return channel;
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
