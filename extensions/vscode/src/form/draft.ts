// What a person has typed into a form that they left, by Escape or because something else
// took its place: it is there when they come back. At most maxDrafts are kept, the last ones.

import type { Json, JsonObject } from '../protocol';

/** A form that is not sent yet. */
export interface Draft {
  /** The values that were taken. */
  values: JsonObject;
  /** What was typed or selected and not taken yet, by the name of its field. Of a document it is the text. */
  typed: JsonObject;
  /** The field that was open, of the list in the last step. */
  field?: string | undefined;
}

/** Where drafts outlive the window: a vscode.Memento. */
export interface Store {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

const maxDrafts = 20;
/** Of all drafts but the last one. */
const maxAll = 8 << 20; // characters
/** A draft that is larger does not outlive the window. */
const maxStored = 100_000; // characters
/** How long writing waits for more to be typed. */
const pause = 300; // ms
const key = 'drafts';

interface Kept {
  draft: Draft;
  size: number;
  /** The names of fields that are not written down; undefined when none is. */
  secrets: readonly string[] | undefined;
}

export class Drafts {
  /** The last one that was changed is at the end. */
  private readonly drafts = new Map<string, Kept>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly store: Store) {
    const stored = store.get(key);
    for (const [name, draft] of Array.isArray(stored) ? (stored as [string, Draft][]) : []) {
      this.drafts.set(name, { draft, size: JSON.stringify(draft).length, secrets: [] });
    }
  }

  of(name: string): Draft | undefined {
    const kept = this.drafts.get(name);
    return kept && structuredClone(kept.draft);
  }

  /** Keeps a draft. It is written down as well when secrets says which fields are not. */
  keep(name: string, draft: Draft, secrets?: readonly string[]): void {
    this.drafts.delete(name);
    this.drafts.set(name, { draft: structuredClone(draft), size: JSON.stringify(draft).length, secrets });
    const others = [...this.drafts].slice(0, -1);
    let all = others.reduce((sum, [, { size }]) => sum + size, 0);
    for (const [old, { size }] of others) {
      if (this.drafts.size > maxDrafts || all > maxAll) {
        this.drafts.delete(old);
        all -= size;
      }
    }
    this.write();
  }

  /** Returns what keeps the draft of that name, on no disk. */
  keeper(name: string): (draft: Draft) => void {
    return (draft) => this.keep(name, draft);
  }

  /** Drops a draft, if there is one. Returns what puts it back, unless there is a newer one. */
  take(name: string): (() => void) | undefined {
    const kept = this.drafts.get(name);
    this.drop(name);
    return kept && (() => !this.drafts.has(name) && this.keep(name, kept.draft, kept.secrets));
  }

  drop(name: string): void {
    if (this.drafts.delete(name)) {
      this.write();
    }
  }

  /** Writes what waits to be written. */
  dispose(): void {
    if (this.timer) {
      clearTimeout(this.timer);
      this.flush();
    }
  }

  private write(): void {
    this.timer ??= setTimeout(() => this.flush(), pause);
  }

  private flush(): void {
    this.timer = undefined;
    const stored = [...this.drafts].flatMap(([name, { draft, size, secrets }]) => {
      if (secrets === undefined || size > maxStored) {
        return [];
      }
      const open = (all: JsonObject) => Object.fromEntries(Object.entries(all).filter(([n]) => !secrets.includes(n)));
      return [[name, { ...draft, values: open(draft.values), typed: open(draft.typed) }]];
    });
    void this.store.update(key, stored.length > 0 ? stored : undefined);
  }
}

/** The text that was typed into a field, undefined when none was. */
export function typedText(draft: Draft, field: string): string | undefined {
  const typed: Json | undefined = draft.typed[field];
  return typeof typed === 'string' ? typed : undefined;
}
