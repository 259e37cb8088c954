// Decides which servers the chat of VS Code gets, and how it reaches each. It needs no window.

import type { Server } from '../protocol';
import { line } from '../text';

/** A server for VS Code's own MCP client: what vscode.McpStdioServerDefinition is made of. */
export interface Offer {
  /** The name of the server as people see it. */
  label: string;
  command: string;
  args: string[];
  /** Differs when the definition does: VS Code then no longer relies on the tools that it remembers. */
  version: string | undefined;
}

/**
 * Returns the servers that the chat gets. Each is a process of `mcp-editord mcp`, which passes on to the
 * one that the daemon runs for these folders.
 *
 * A server that does not run is among them, because a call starts it. One that a person has to decide
 * on first is not, and neither is one that VS Code runs itself. Nor is one that this editor brings: the
 * daemon knows it for this editor only.
 */
export function offers(file: string, servers: readonly Server[], folders: readonly string[]): Offer[] {
  return servers.filter(isOffered).map((s) => ({
    label: line(s.name, 128),
    command: file,
    args: ['mcp', '--server', s.name, ...folders.flatMap((folder) => ['--folder', folder])],
    version: s.digest,
  }));
}

function isOffered({ state, source }: Server): boolean {
  return state !== 'disabled' && state !== 'needsApproval' && state !== 'needsSignIn' && source !== 'editor';
}
