// Reads what the daemon says of an error (docs/editor-protocol.md, Errors).

import { isObject, type Json } from '../json';
import type { ErrorKind } from '../protocol';

/** What an error of the daemon is about. Nothing of it is known of any other error. */
export interface Failure {
  kind: ErrorKind | undefined;
  server: string | undefined;
  detail: string | undefined;
}

export function failureOf(error: unknown): Failure {
  const { data } = (error ?? {}) as { data?: Json };
  const { kind, server, detail } = isObject(data) ? data : {};
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : undefined);
  return { kind: text(kind) as ErrorKind | undefined, server: text(server), detail: text(detail) };
}
