// Text that a server wrote, made harmless to show. The rules are those of the
// daemon's internal/safetext: what could change how the text around it is read
// becomes a visible escape, such as \u{202e}.

// Control and format characters, line separators, and characters that nobody can see.
const harmful = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Variation_Selector}\p{Default_Ignorable_Code_Point}]/gu;

// U+FE0F asks for the coloured form of the character before it. The others are format
// characters that are visible: Unicode's Prepended_Concatenation_Mark.
const harmless = /[\ufe0f\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;

const named: Record<string, string> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

function neutral(text: string, kept: string): string {
  return text.replace(harmful, (c) =>
    kept.includes(c) || harmless.test(c) ? c : (named[c] ?? `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`),
  );
}

/**
 * One line of at most max characters, for labels and messages. VS Code reads icons,
 * $(name), and links, [text](command:id), in some of these: both are taken apart.
 */
export function line(text: string, max = 200): string {
  // No character becomes shorter, so the rest of a long text need not be looked at.
  const escaped = Array.from(neutral(text.slice(0, 2 * max + 2), ''))
    .join('')
    .replaceAll('$(', '$ (')
    .replaceAll('](', '] (');
  const characters = Array.from(escaped);
  return characters.length <= max ? escaped : `${characters.slice(0, max - 1).join('')}…`;
}

/** The text with its lines and tabs as they are, for documents. */
export function block(text: string): string {
  return neutral(text.replaceAll('\r\n', '\n'), '\n\t');
}

/** The text as HTML shows it. */
export function html(text: string): string {
  return block(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** The value as JSON that can be read back: what is harmful in its strings is written as \\uXXXX. */
export function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(harmful, (c) =>
    c === '\n' || harmless.test(c)
      ? c
      : c.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

/** The first line of a text that is not empty. */
export function firstLine(text: string | undefined, max = 200): string {
  return line(
    text
      ?.split('\n')
      .find((l) => l.trim() !== '')
      ?.trim() ?? '',
    max,
  );
}
