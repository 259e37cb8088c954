// Finds what a person should know before they answer a server.

import { isObject, shown } from '../json';
import type { ElicitParams } from '../protocol';

/** What a person sees of an address before it is opened. */
export interface Address {
  /** The whole address, in ASCII. */
  url: string;
  host: string;
  /** Why the host may be taken for another; empty when it is not. */
  warning: string;
}

/** Reads the address that a server wants opened; undefined when it does not lead to the web. */
export function readUrl(p: ElicitParams): Address | undefined {
  if (!URL.canParse(p.url ?? '')) {
    return undefined;
  }
  const url = new URL(p.url ?? '');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return undefined;
  }
  // The daemon judges hosts (docs/editor-protocol.md, "mcp/… from the daemon").
  const note = p._meta?.['mcp-editord/url'];
  const { host, warning } = isObject(note) ? note : {};
  return { url: url.href, host: shown(host) || url.host, warning: shown(warning) };
}
