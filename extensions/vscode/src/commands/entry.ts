// Finds the definition of a server in the text of a configuration file, which may have comments and
// errors.

/** The members that hold servers. */
const holders = ['servers', 'mcpServers'];

const token = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{}[\],:]/g;

/** Returns the offset of the name of a server, inside its quotes, undefined when the text has no such server. */
export function entryOf(text: string, server: string): number | undefined {
  /** The names of the members that lead to where the reader is; '' for an array and the whole. */
  const path: string[] = [];
  let last: { name: string; at: number } | undefined;
  let key = '';
  for (const { 0: found, index } of text.matchAll(token)) {
    switch (found[0]) {
      case '"':
        last = { name: read(found), at: index + 1 };
        break;
      case ':':
        key = last?.name ?? '';
        if (path.length === 2 && holders.includes(path[1] ?? '') && key === server) {
          return last?.at;
        }
        break;
      case '{':
      case '[':
        path.push(key);
        key = '';
        break;
      case '}':
      case ']':
        path.pop();
        break;
    }
  }
  return undefined;
}

function read(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1); // an escape that JSON does not have
  }
}
