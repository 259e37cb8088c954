// What a person should know before answering a server.

import type { Field } from '../form/schema';

/** Whether a field seems to ask for a secret, which MCP forbids in a form (MCP 2025-11-25, Elicitation, Security). */
export function asksForSecret(f: Field): boolean {
  return /passw|passphrase|secret|token|credential|api.?key|private.?key|\bpin\b|\bcvv\b|card.?number|\bssn\b/i.test(
    `${f.name} ${f.title} ${f.description}`,
  );
}

export type Address =
  | { ok: true; url: string; host: string; warnings: ('punycode' | 'unicode' | 'user' | 'insecure')[] }
  | { ok: false };

/**
 * Reads the address that a server wants opened. Only addresses of the web are; the
 * rest of the address is shown as it is, and what may deceive is named.
 */
export function readUrl(text: string): Address {
  if (!URL.canParse(text)) {
    return { ok: false };
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { ok: false };
  }
  const warnings: ('punycode' | 'unicode' | 'user' | 'insecure')[] = [];
  const written = /^[a-z]+:\/\/([^/?#]*)/i.exec(text)?.[1] ?? '';
  if (/[^\x20-\x7e]/.test(written)) {
    warnings.push('unicode');
  } else if (/(^|\.)xn--/i.test(url.hostname)) {
    warnings.push('punycode');
  }
  if (url.username !== '' || url.password !== '') {
    warnings.push('user');
  }
  const local = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !local) {
    warnings.push('insecure');
  }
  return { ok: true, url: url.href, host: url.host, warnings };
}
