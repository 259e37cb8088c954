// Addresses of resources: mcp://<server>/<a name>?<server and URI>. Authority and path are for people
// to read. The query has the exact server and URI, because VS Code writes an authority in lower
// case, and a URI would not survive inside a path.

import { named } from './media-types';

/** The parts of an address that vscode.Uri is made of. */
export interface Address {
  scheme: 'mcp';
  authority: string;
  path: string;
  query: string;
}

/** Returns the address of a resource. A title that is the name of a file names it, and the media type adds an ending. */
export function addressOf(server: string, uri: string, title?: string, mime?: string): Address {
  return {
    scheme: 'mcp',
    authority: server.toLowerCase().replace(/[^a-z0-9.-]/g, '-'),
    path: `/${named(title && /\.\w+$/.test(title) ? title : uri, mime)}`,
    query: new URLSearchParams({ server, uri }).toString(),
  };
}

/** Returns the resource at an address, undefined when the address is not one of ours. */
export function readAddress(address: { scheme: string; query: string }): { server: string; uri: string } | undefined {
  const query = new URLSearchParams(address.query);
  const server = query.get('server');
  const uri = query.get('uri');
  return address.scheme === 'mcp' && server && uri ? { server, uri } : undefined;
}
