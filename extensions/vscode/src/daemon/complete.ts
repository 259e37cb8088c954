// Proposes values by MCP's completion/complete.

import type * as vscode from 'vscode';
import type { JsonObject } from '../protocol';
import type { Client } from './client';

/** What a value belongs to: a prompt with arguments, or a template with variables. */
type Ref = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };

/** Returns a function that proposes values for a field, given what is typed and the other values. It fails when the server does. */
export function completion(client: Client, server: string, ref: Ref) {
  return async (
    { name }: { name: string },
    value: string,
    others: JsonObject,
    token: vscode.CancellationToken,
  ): Promise<string[]> => {
    const known = Object.fromEntries(Object.entries(others).filter(([n, v]) => n !== name && typeof v === 'string'));
    const { completion } = await client.request<{ completion: { values: string[] } }>(
      'mcp/completion/complete',
      { server, params: { ref, argument: { name, value }, context: { arguments: known } } },
      token,
    );
    return completion.values;
  };
}
