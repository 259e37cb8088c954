// Keeps what a person typed into a form that they left, by Escape or because something else took
// its place. It is there when they come back. Only the last maxDrafts forms are kept.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isObject, shown } from '../json';
import type { Json, JsonObject } from '../protocol';
import { isSecret } from './secret';
import { keyOf } from './tree';

/** A form that is not yet sent. Keys are the paths of values, as keyOf writes them. */
export interface Draft {
  /** The values that were accepted. Those within them may still lack something. */
  values: JsonObject;
  /** What was typed or selected but not yet accepted, by key; the text, if it is in a document. */
  typed: JsonObject;
  /** The key of the value that was asked for last. */
  field?: string | undefined;
  /** Which shape each union has, by key, and the values of the shapes that were left for it. */
  shapes?: Record<string, { at: number; others: Record<string, Json> }>;
  /** The keys of what must not be written down. */
  secrets?: string[];
}

const maxDrafts = 20;
/** All drafts but the last one together. */
const maxAll = 8 << 20; // characters
/** A larger draft does not outlive the window. */
const maxStored = 100_000; // characters
/** How long to wait for more typing before writing. */
const pause = 300; // ms

interface Kept {
  draft: Draft;
  size: number;
  /** Whether it is written down, without its secrets. */
  written: boolean;
}

export class Drafts {
  /** In the order of their last change. */
  private readonly drafts = new Map<string, Kept>();
  private timer: NodeJS.Timeout | undefined;

  /** `file` keeps them beyond the window; undefined where there is no place for it. */
  constructor(private readonly file: string | undefined) {
    for (const [name, draft] of stored(file)) {
      this.drafts.set(name, { draft, size: JSON.stringify(draft).length, written: true });
    }
  }

  of(name: string): Draft | undefined {
    const kept = this.drafts.get(name);
    return kept && structuredClone(kept.draft);
  }

  /** Keeps a draft. If it is written down, that is without its secrets. */
  keep(name: string, draft: Draft, written: boolean): void {
    this.drafts.delete(name);
    this.drafts.set(name, { draft: structuredClone(draft), size: JSON.stringify(draft).length, written });
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

  /** Drops a draft, if there is one. Returns a function that puts it back, unless there is a newer one. */
  take(name: string): (() => void) | undefined {
    const kept = this.drafts.get(name);
    this.drop(name);
    return kept && (() => !this.drafts.has(name) && this.keep(name, kept.draft, kept.written));
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

  /** Writes the file. It need not succeed. It waits for the disk, so that a window that ends leaves all that was typed. */
  private flush(): void {
    this.timer = undefined;
    const kept = [...this.drafts].flatMap(([name, { draft, size, written }]) =>
      written && size <= maxStored ? [[name, withoutSecrets(draft)]] : [],
    );
    if (this.file === undefined) {
      return;
    }
    try {
      if (kept.length === 0) {
        rmSync(this.file, { force: true });
        return;
      }
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
      writeFileSync(`${this.file}.new`, JSON.stringify(kept), { mode: 0o600 });
      renameSync(`${this.file}.new`, this.file);
    } catch {
      // The disk is full, or not ours.
    }
  }
}

function stored(file: string | undefined): [string, Draft][] {
  try {
    const drafts: unknown = file === undefined ? [] : JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(drafts) ? drafts : [];
  } catch {
    return []; // nothing was written
  }
}

/** Returns what a draft has, as "name: value", without its secrets. */
export function told(draft: Draft): string[] {
  const { values, typed } = withoutSecrets(draft);
  return Object.entries({ ...values, ...typed }).map(([name, v]) => `${name.replace(/~json$/, '')}: ${shown(v)}`);
}

/** Returns a draft without its secrets, and without what has the name of one, wherever it is. */
export function withoutSecrets({ values, typed, field, shapes = {}, secrets = [] }: Draft): Draft {
  const hidden = (key: string) =>
    secrets.some((s) => key === s || key.startsWith(`${s}/`)) || key.split('/').some(isSecret);
  /** `at` is the key of the value; '' for all of them. */
  const open = (value: Json, at: string): Json => {
    const within = (part: string | number) => (at === '' ? keyOf([part]) : `${at}/${keyOf([part])}`);
    if (Array.isArray(value)) {
      return value.map((v, i) => open(v, within(i)));
    }
    if (!isObject(value)) {
      return value;
    }
    const all = Object.entries(value).map(([name, v]) => ({ name, v, key: within(name) }));
    return Object.fromEntries(
      all.flatMap(({ name, v, key }) => (v === undefined || hidden(key) ? [] : [[name, open(v, key)]])),
    );
  };
  return {
    values: open(values, '') as JsonObject,
    typed: Object.fromEntries(Object.entries(typed).filter(([key]) => !hidden(key))),
    ...(field !== undefined && { field }),
    ...(Object.keys(shapes).length > 0 && {
      shapes: Object.fromEntries(
        Object.entries(shapes).map(([key, { at, others }]) => [
          key,
          {
            at,
            others: Object.fromEntries(
              Object.entries(others).flatMap(([i, v]) => (hidden(key) ? [] : [[i, open(v, key)]])),
            ),
          },
        ]),
      ),
    }),
  };
}
