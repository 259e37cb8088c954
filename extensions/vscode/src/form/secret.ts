// Says what looks like a secret, by its name or its schema. It is never written to the disk.

import type { Json } from '../protocol';
import type { Field } from './schema';

const secret = /passw|passphrase|secret|token|credential|api.?key|private.?key|\bpin\b|\bcvv\b|card.?number|\bssn\b/i;

/** Whether a member of an object has the name of a secret. */
export function isSecret(name: string): boolean {
  return secret.test(name);
}

/** Whether a field seems to ask for a secret, which MCP forbids in a form (MCP 2025-11-25, Elicitation, Security). */
export function asksForSecret(f: Field): boolean {
  const { format, writeOnly } = f.schema; // a server may say so
  return format === 'password' || writeOnly === true || secret.test(`${f.name} ${f.title}`); // not its description, which may say what not to enter
}

/** Whether what is typed into a field may hold a secret: its own, or one with its name, such as TOKEN=x. */
export function mayHoldSecret(f: Field, typed: Json, isJson: boolean): boolean {
  const named = isJson || f.kind === 'map' || f.kind === 'mixed' || f.kind === 'union';
  return asksForSecret(f) || (named && typeof typed === 'string' && secret.test(typed));
}
