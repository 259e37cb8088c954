// Says what each answer to a question of the daemon means, by the kind of the question. The daemon wrote
// the question itself.

import type { ApproveParams } from '../protocol';
import type { Translate } from '../text';

/** The words around a question. */
export interface Words {
  /** What the decision is about, below the title. */
  about: string;
  /** The label of what shows all of it. */
  look: string;
  later: string;
  deny: string;
  allow: string;
}

export function wordsOf({ kind, text }: ApproveParams, t: Translate): Words {
  switch (kind) {
    case 'tools':
      return {
        about: t('Until you allow it, no agent gets these tools as they are now.'),
        look: t('Look at the Changes'),
        later: t('agents do not get them yet'),
        deny: t('agents do not get them'),
        allow: t('until they change again'),
      };
    case 'call':
      return {
        about: t('An agent waits. Your decision is about this call only; Later refuses it too.'),
        look: t('Look at the Whole Call'),
        later: t('the call fails; the agent may ask again'),
        deny: t('the call fails'),
        allow: t('this call only'),
      };
    default:
      return {
        about: t('An MCP server runs with your permissions. Your decision applies to all your editors.'),
        look: text.before === undefined ? t('Look at the Whole Definition') : t('Look at the Changes'),
        later: t('you are asked again'),
        deny: t('you are not asked again'),
        allow: t('until its definition changes'),
      };
  }
}
