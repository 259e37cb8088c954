// Finds the definition of a server in the text of a configuration file, which may have comments and
// errors.

import { type Node, parseTree } from 'jsonc-parser';

/** The members that hold servers. */
const holders = ['servers', 'mcpServers'];

/** Where in a text a server is defined, in offsets. */
export interface Entry {
  /** Its name, inside its quotes. */
  name: number;
  /** Its name and its definition. */
  start: number;
  end: number;
}

/** Returns the entry of a server, undefined when the text has no such server. */
export function entryOf(text: string, server: string): Entry | undefined {
  const root = parseTree(text);
  const [entry] = holders
    .flatMap((holder) => (root ? members(root, holder) : []))
    .flatMap((holder) => (holder.children?.[1] ? members(holder.children[1], server) : []));
  const name = entry?.children?.[0];
  return entry && name && { name: name.offset + 1, start: entry.offset, end: entry.offset + entry.length };
}

function members({ children = [] }: Node, name: string): Node[] {
  return children.filter((member) => member.children?.[0]?.value === name);
}
