// The level of a server's log messages: the server leaves out those below it.

import * as vscode from 'vscode';
import type { Client } from '../daemon/client';
import type { LogLevel } from '../protocol';
import { line } from '../text';
import { pick } from '../ui/quick-input';

const { t } = vscode.l10n;

/** The levels of RFC 5424, as MCP has them, from the lowest. */
const levels: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Asks for a level, and the server for messages of that level and above. */
export async function chooseLevel(client: Client, server: string): Promise<void> {
  const level = await pick<LogLevel>({
    title: t('{0}: set log level', line(server, 60)),
    placeholder: t('The server sends messages of this level and above'),
    items: levels.map((value) => ({ label: value, value })),
  });
  if (level) {
    await client.request('mcp/logging/setLevel', { server, params: { level } });
  }
}
