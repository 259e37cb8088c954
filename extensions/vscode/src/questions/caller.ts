// Names the program whose call led to a question that it cannot answer itself, such as an agent.

import type { Question } from '../protocol';
import { line } from '../text';

/** Says for whom a server asks, on one line; undefined when it asks for this editor, or nobody knows. */
export function forWhom(q: Question<unknown>, t: (text: string, ...values: string[]) => string): string | undefined {
  if (!q.caller) {
    return undefined;
  }
  const name = line(q.caller.name, 60);
  return q.caller.tool ? t('for {0} (tool {1})', name, line(q.caller.tool, 60)) : t('for {0}', name);
}
