// Reads call documents as far as VS Code needs it. It needs no window.

/** A line with a key of an argument that has no value yet. */
const open = /^ +[^\s#][^:]*:[ ]?$/m;

/** Returns the text of a new call, and where to go on in it: at the first argument without a value. */
export function begin(text: string): { text: string; at: number } {
  const found = open.exec(text);
  if (!found) {
    return { text, at: text.length };
  }
  const end = found.index + found[0].length;
  const space = found[0].endsWith(' ') ? '' : ' ';
  return { text: text.slice(0, end) + space + text.slice(end), at: end + space.length };
}

/** A file that the daemon keeps of a result, as internal/keptfiles names it. */
const kept = /(?<=^|\s)(?:\/|[A-Za-z]:\\)[^:\n]{0,500}?[\\/]result-[\w.-]{0,81}[a-z2-7]{26}(?:\.\w+)?(?=\s|$)/gm;

/** Returns the files that results name, with the offset of each. */
export function filesIn(text: string): { path: string; at: number }[] {
  return Array.from(text.matchAll(kept), ({ 0: path, index }) => ({ path, at: index }));
}
