// What is new in a log of which the last lines are read again and again.

/** Returns the lines that come after those that are known: these end with what lines begins with. */
export function newLines(known: readonly string[], lines: readonly string[]): readonly string[] {
  for (let at = Math.max(0, known.length - lines.length); at < known.length; at++) {
    const overlap = known.length - at;
    if (known.every((l, i) => i < at || l === lines[i - at])) {
      return lines.slice(overlap);
    }
  }
  return lines;
}
