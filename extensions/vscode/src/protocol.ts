// What the editor and the daemon say to each other: docs/editor-protocol.md. Its types come from
// those of the daemon.

import type { Question as AnyQuestion, MCPNotification } from './protocol.gen';

export type * from './json';
export type * from './mcp';
export type * from './protocol.gen';

/** Fails a request of the daemon with a code of JSON-RPC. */
export class RequestError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** A question of a server: mcp/sampling/createMessage and mcp/elicitation/create. */
export type Question<P> = Omit<AnyQuestion, 'params'> & { params: P };

/** mcp/notifications/resources/updated. */
export type ResourceUpdated = MCPNotification & { params: { uri: string } };
