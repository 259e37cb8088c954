// Finds the definition of a server in the text of a configuration file, which may have comments and
// errors.

import { type Node, parseTree } from 'jsonc-parser';

/** The members that hold servers. */
const holders = ['servers', 'mcpServers'];

/** Returns the offset of the name of a server, inside its quotes, undefined when the text has no such server. */
export function entryOf(text: string, server: string): number | undefined {
  const root = parseTree(text);
  const names = holders
    .flatMap((holder) => (root ? members(root, holder) : []))
    .flatMap((holder) => (holder.children?.[1] ? members(holder.children[1], server) : []));
  const name = names[0]?.children?.[0];
  return name && name.offset + 1;
}

function members({ children = [] }: Node, name: string): Node[] {
  return children.filter((member) => member.children?.[0]?.value === name);
}
