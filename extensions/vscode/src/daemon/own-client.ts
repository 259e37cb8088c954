// Decides whether this editor has an MCP client of its own, and whose servers that runs: the daemon
// leaves them to it. It needs no window.

import type { OwnClient } from '../protocol';

/** What decides. */
export interface Editor {
  /** vscode.env.appName. */
  appName: string;
  /** Whether there is vscode.lm.registerMcpServerDefinitionProvider, the API of VS Code's client. */
  hasClient: boolean;
  /** The settings chat.mcp.access, chat.disableAIFeatures and chat.mcp.workspaceRootConfig.enabled. */
  access: unknown;
  disabled: unknown;
  rootConfig: unknown;
}

/**
 * Returns the editor's own client, undefined when it has none that is in use.
 *
 * VS Code: its McpRegistry has no servers where chat.mcp.access is "none" (mcpRegistry.ts; a policy
 * may say so too, and the older chat.mcp.enabled is migrated to it). It starts servers when
 * somebody sends a chat request (IMcpService.autostart), or from actions that chat.disableAIFeatures
 * hides, so with that setting nobody starts any. chat.mcp.autostart does not matter: what it leaves
 * stopped is started by hand, and by VS Code. .vscode/mcp.json is its file; .mcp.json at the root of a
 * folder is one too where chat.mcp.workspaceRootConfig.enabled is true, which is the default of Insiders
 * only (the defaults of VS Code 1.139). Where it is false, VS Code 1.139 reads .mcp.json as well
 * (workspaceDotMcpDiscovery.ts), for its chat; nothing tells us which version does, and other editors
 * share what that file defines, so the daemon goes on running it there.
 *
 * Cursor has a client of its own instead, for .cursor/mcp.json (cursor.com/docs/mcp), which these settings
 * do not reach. Other forks keep VS Code's settings without saying which client they have: a server
 * that nobody runs is worse than one that runs twice, so they count as having none.
 */
export function ownClient(e: Editor): OwnClient | undefined {
  if (/^Cursor\b/.test(e.appName)) {
    return { name: 'Cursor', files: ['.cursor/mcp.json'] };
  }
  const [known] = /^(Visual Studio Code|Code - OSS|VSCodium|code-server)(?![\w-])/.exec(e.appName) ?? [];
  if (!known || !e.hasClient || e.access === 'none' || e.disabled === true) {
    return undefined;
  }
  return {
    name: known === 'Visual Studio Code' ? 'VS Code' : known,
    files: ['.vscode/mcp.json', ...(e.rootConfig === true ? ['.mcp.json'] : [])],
  };
}
