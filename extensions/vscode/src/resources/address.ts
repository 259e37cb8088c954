// Addresses of resources: mcp://<server>/<a name>?<server and URI>. What a person reads
// stands in front; what is asked for stands in the query, exactly, because VS Code writes
// the authority of a URI in lower case and a URI inside a path would not survive.

/** The parts of an address that vscode.Uri is made of. */
export interface Address {
  scheme: 'mcp';
  authority: string;
  path: string;
  query: string;
}

export function addressOf(server: string, uri: string, title?: string): Address {
  return {
    scheme: 'mcp',
    authority: server.toLowerCase().replace(/[^a-z0-9.-]/g, '-'),
    path: `/${nameOf(title && /\.\w+$/.test(title) ? title : uri)}`,
    query: new URLSearchParams({ server, uri }).toString(),
  };
}

/** Returns what an address stands for, undefined when it is none of ours. */
export function readAddress(address: { scheme: string; query: string }): { server: string; uri: string } | undefined {
  const query = new URLSearchParams(address.query);
  const server = query.get('server');
  const uri = query.get('uri');
  return address.scheme === 'mcp' && server && uri ? { server, uri } : undefined;
}

/** A name for a file, made of the last part of a URI. */
export function nameOf(uri: string): string {
  const last =
    uri
      .replace(/[?#].*$/s, '')
      .split('/')
      .filter(Boolean)
      .pop() ?? '';
  return last.replace(/[^\w.-]/g, '_').slice(-100) || 'result';
}
