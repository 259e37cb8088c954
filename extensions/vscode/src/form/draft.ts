// Keeps what a person typed into a form that they left, by Escape or because something else took
// its place. It is there when they come back. Only the last maxDrafts forms are kept.

import type { Json, JsonObject } from '../protocol';

/** A form that is not yet sent. */
export interface Draft {
  /** The values that were accepted. */
  values: JsonObject;
  /** What was typed or selected but not yet accepted, by field; the text, if it is in a document. */
  typed: JsonObject;
  /** The field of the final list that was open. */
  field?: string | undefined;
}

/** Keeps drafts beyond the window: a vscode.Memento. */
export interface Store {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

const maxDrafts = 20;
/** All drafts but the last one together. */
const maxAll = 8 << 20; // characters
/** A larger draft does not outlive the window. */
const maxStored = 100_000; // characters
/** How long to wait for more typing before writing. */
const pause = 300; // ms
const key = 'drafts';

interface Kept {
  draft: Draft;
  size: number;
  /** The fields that must not be written down; undefined when nothing may be. */
  secrets: readonly string[] | undefined;
}

export class Drafts {
  /** In the order of their last change. */
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

  /** Keeps a draft. With `secrets` it is written down as well, without those fields. */
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

  /** Returns a function that keeps the draft of that name, but does not write it down. */
  keeper(name: string): (draft: Draft) => void {
    return (draft) => this.keep(name, draft);
  }

  /** Drops a draft, if there is one. Returns a function that puts it back, unless there is a newer one. */
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

  /** Writes what is still to be written. */
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

/** Returns the text that was typed into a field, undefined when there is none. */
export function typedText(draft: Draft, field: string): string | undefined {
  const typed: Json | undefined = draft.typed[field];
  return typeof typed === 'string' ? typed : undefined;
}
