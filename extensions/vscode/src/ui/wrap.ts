// Breaks long lines where there is little room and characters differ in width: nobody reads what is
// cut off.

/** Begins a line that continues the one before, so that nothing in a text can begin a line by itself. */
const indent = '    ';

/** Returns the lines of a text, each at most max widths of an m wide. They break after spaces where there are any. */
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

/** Returns the width of a text in a usual font, rather too much than too little. */
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
