// Lines for where there is no room for long ones, and no font of which each character has
// the same width: what is cut off is not read.

/** What a line that goes on with the one before begins with: nothing in a text can begin a line of its own. */
const indent = '    ';

/** Returns the lines of a text, each of at most max widths of an m. They break after spaces where there are any. */
export function wrap(text: string, max: number): string[] {
  return text.split('\n').flatMap((l) => {
    const parts: string[] = [];
    let part = '';
    let width = 0;
    const next = () => {
      parts.push(part);
      part = indent;
      width = widthOf(indent);
    };
    for (const word of l.match(/\S+\s*|\s+/g) ?? ['']) {
      const all = widthOf(word);
      if (width + all > max && all <= max - widthOf(indent)) {
        next();
      }
      for (const c of word) {
        if (width + widthOf(c) > max) {
          next();
        }
        part += c;
        width += widthOf(c);
      }
    }
    return [...parts, part];
  });
}

/** How wide a text is in a usual font, rather more than less. */
function widthOf(text: string): number {
  let width = 0;
  for (const c of text) {
    width += /[ijlI.,:;|!'`() ]/.test(c)
      ? 0.4
      : /[mwMW@%]/.test(c)
        ? 1
        : /[A-Z&#<>=+~]/.test(c)
          ? 0.8
          : c < '\u0250'
            ? 0.63
            : 1.2;
  }
  return width;
}
