// Reads messages of the daemon. Whoever waits for one that cannot be read is told so: a request that
// is dropped would never end.

import type { Message } from 'vscode-jsonrpc/node';

/** How much of a message is looked at for its id and kind, which the daemon writes first. */
const head = 1000; // characters

/** Returns the message. If it is not JSON, an answer becomes an error, and a request gets a method that nobody has. */
export function readMessage(text: string): Message {
  try {
    return JSON.parse(text) as Message;
  } catch (error) {
    const start = text.slice(0, head);
    const id = /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(-?\d+|"[^"\\]*")\s*,/.exec(start);
    if (!id) {
      throw error;
    }
    const envelope = { jsonrpc: '2.0', id: JSON.parse(id[1] ?? 'null') };
    const request = /^\s*"method"/.test(start.slice(id[0].length));
    const message = `the message of mcp-editord cannot be read: ${(error as Error).message}`;
    const failure = { code: -32700, message };
    const read: Message & { id: unknown; method?: string; error?: typeof failure } = request
      ? { ...envelope, method: '$/unreadable' }
      : { ...envelope, error: failure };
    return read;
  }
}
