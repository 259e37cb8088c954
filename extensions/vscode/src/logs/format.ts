// The log of a server as text: each message once, with the time and the level that it has itself.

import type { LogEntry, ServerLogResult } from '../protocol';
import { block, line, type Translate } from '../text';

/** How much of a line is shown, in characters. The daemon cuts lines too, but escapes make them longer. */
const maxLine = 10_000;

/** Returns the lines of a part of a log, each with its line feed, and before them how many are missing. */
export function logText({ entries, lines, missed }: Omit<ServerLogResult, 'cursor'>, t: Translate): string {
  // A daemon that was started before an update has only lines.
  const texts = entries?.map(entryText) ?? lines.map((l) => safe(l));
  if (missed) {
    texts.unshift(missed === 1 ? t('[one line is missing here]') : t('[{0} lines are missing here]', missed));
  }
  return texts.map((text) => `${text}\n`).join('');
}

/** Returns a line with its local time, and its level or where it is from. Further lines of a message are indented. */
function entryText({ time, source, level, logger, more, text }: LogEntry): string {
  if (more) {
    return `    ${safe(text)}`;
  }
  return `${local(new Date(time))} [${level ?? source}] ${logger ? `${line(logger)}: ` : ''}${safe(text)}`;
}

/** Returns one line of a text that a server wrote. */
function safe(text: string): string {
  return block(text).replaceAll('\n', '\\n').slice(0, maxLine);
}

/** Returns a time as VS Code writes it in its own logs. */
function local(time: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  return `${date} ${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
