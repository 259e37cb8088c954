// A definition of a server, in words: exactly what would be run.

import type { Translate } from '../form/schema';
import type { Definition } from '../protocol';
import { block } from '../text';

/** The command on one line, each argument apart from the next. */
export function commandLine(d: Definition): string {
  return d.url ?? [d.command ?? '', ...(d.args ?? [])].map(quote).join(' ');
}

/** All of it, one thing a line. */
export function describe(server: string, d: Definition, t: Translate): string {
  const lines = [t('Server: {0}', server), t('Defined in: {0}', d.source), ''];
  const add = (label: string, value: string | undefined) => {
    if (value) {
      lines.push(`${label} ${value}`);
    }
  };
  add(t('Command:'), d.command && quote(d.command));
  for (const [i, argument] of (d.args ?? []).entries()) {
    lines.push(t('Argument {0}: {1}', i + 1, quote(argument)));
  }
  add(t('Address:'), d.url);
  add(t('Headers:'), d.headers?.join(', '));
  add(t('Runs in:'), d.cwd);
  add(t('Environment:'), d.env?.join(', '));
  add(t('Environment from file:'), d.envFile);
  add(t('Transport:'), d.transport);
  return `${lines.map((l) => block(l).replaceAll('\n', '\\n')).join('\n')}\n`;
}

/** As JSON where it is not plain: spaces and line breaks in an argument must be seen. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : JSON.stringify(text);
}
