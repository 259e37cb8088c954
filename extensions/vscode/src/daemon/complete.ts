// MCP's completion/complete: proposals for one value, given the others.

import type * as vscode from 'vscode';
import type { JsonObject } from '../protocol';
import type { Client } from './client';

/** What has values to complete: an argument of a prompt, or a variable of a template. */
type Ref = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };

/** Returns what proposes values, given what is typed and what the other fields are. */
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
