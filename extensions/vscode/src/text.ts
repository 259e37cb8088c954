// Makes text that a server wrote harmless to show, by the rules of the daemon's internal/safetext:
// what could change how the text around it is read becomes a visible escape, such as \u{202e}.

// Control and format characters, line separators, characters that fonts do not draw, blanks in
// Braille and elsewhere, and code points that are not characters.
const hidden = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Variation_Selector}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}]`;

// Format characters that are visible: Unicode's Prepended_Concatenation_Mark.
const visible = String.raw`[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]`;

// U+FE0F asks for the coloured form of a sign, or makes a keycap of a digit. Elsewhere it is one more
// character that nobody sees.
const signs = String.raw`[\u00a9\u00ae\u203c\u2049\u2100-\u27ff\u2900-\u2bff\u3030\u303d\u3297\u3299\u{1f000}-\u{1faff}]`;
const coloured = String.raw`(?<=${signs})\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3)`;

const harmful = new RegExp(`(?!${visible}|${coloured})${hidden}`, 'gu');

const named: Record<string, string> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

function neutral(text: string, kept: string): string {
  return text.replace(harmful, (c) =>
    kept.includes(c) ? c : (named[c] ?? `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`),
  );
}

/**
 * Returns one line of at most max characters, for labels and messages. VS Code reads icons,
 * $(name), and links, [text](command:id), in some of these, so it takes both apart.
 */
export function line(text: string, max = 200): string {
  // No character becomes shorter, so the rest of a long text does not matter.
  const escaped = Array.from(neutral(text.slice(0, 2 * max + 2), ''))
    .join('')
    .replaceAll('$(', '$ (')
    .replaceAll('](', '] (');
  const characters = Array.from(escaped);
  if (characters.length <= max) {
    return escaped;
  }
  const cut = characters.slice(0, Math.max(max - 1, 0)).join('');
  return max < 1 ? '' : `${cut.replace(/\ufe0f$/, '')}…`;
}

/** Returns the text for a document, with its lines and tabs. */
export function block(text: string): string {
  return neutral(text.replaceAll('\r\n', '\n'), '\n\t');
}

/** Returns HTML that shows the text. */
export function html(text: string): string {
  return block(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** Returns the value as JSON that can be read back, with harmful characters as \\uXXXX. */
export function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(harmful, (c) =>
    c === '\n' ? c : c.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

/** Returns the first line of a text that is not empty. */
export function firstLine(text: string | undefined, max = 200): string {
  return line(
    text
      ?.split('\n')
      .find((l) => l.trim() !== '')
      ?.trim() ?? '',
    max,
  );
}

/** Returns a text of several lines as one. */
export function oneLine(text: string | undefined, max = 200): string {
  // What is cut off need not be read: line breaks and blanks become fewer, all else stays.
  return line(
    (text ?? '')
      .slice(0, 20 * max)
      .trim()
      .replace(/\s*[\r\n]\s*/g, ' '),
    max,
  );
}

/** Translates a text into the person's language: vscode.l10n.t, for code without a window. */
export type Translate = (message: string, ...args: (string | number)[]) => string;

/** Returns what an error says. */
export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
