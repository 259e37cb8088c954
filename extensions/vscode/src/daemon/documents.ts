// Chooses the documents that the daemon is told of: it is their language server. It needs no window.

import type { OwnClient } from '../protocol';

/** The files of a project that define servers, relative to its folder. */
const projectFiles = ['.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json'];

/** As LSP's TextDocumentFilter. */
export type DocumentFilter = { language: string; scheme: string } | { scheme: string; pattern: string };

/** What decides. */
export interface Surroundings {
  /** The environment variable MCP_EDITORD_CONFIG: the person's own mcp.json, if it is not in the usual place. */
  configuration: string | undefined;
  ownClient: OwnClient | undefined;
}

/**
 * Returns call documents, and the files that define servers. The daemon reads no others.
 *
 * A file whose servers the editor runs itself is left to the editor, which completes and checks it. A resource
 * of a server is no call document, whatever its name: the server would have written what a person runs.
 */
export function documents(s: Surroundings): DocumentFilter[] {
  const left = s.ownClient?.files ?? [];
  const patterns = [
    ...projectFiles.filter((file) => !left.includes(file)).map((file) => `**/${file}`),
    '**/mcp-editord/mcp.json',
    ...(s.configuration ? [literal(s.configuration)] : []),
  ];
  return [
    ...['file', 'untitled'].map((scheme) => ({ language: 'mcp', scheme })),
    ...patterns.map((pattern) => ({ scheme: 'file', pattern })),
  ];
}

/** Returns a pattern for a path. It may match other paths too, where the path has a character that means something. */
function literal(path: string): string {
  return path.replaceAll('\\', '/').replace(/[*?{}[\]]/g, '?');
}
