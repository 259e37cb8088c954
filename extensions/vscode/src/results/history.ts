// The results that one can go back to, the oldest first, within a budget.

export interface Limits {
  readonly count: number;
  /** Of all results together, in characters of JSON. The daemon's files are not among them. */
  readonly size: number;
}

/** What the history holds by default. */
export const limits: Limits = { count: 100, size: 32 << 20 };

export class History<E extends { readonly size: number }> {
  private entries: E[] = [];

  constructor(private readonly most: Limits = limits) {}

  /** Adds the newest, and lets go of the oldest ones that do not fit. The newest stays, whatever it takes. */
  add(entry: E): void {
    this.entries.push(entry);
    const size = () => this.entries.reduce((sum, e) => sum + e.size, 0);
    while (this.entries.length > 1 && (this.entries.length > this.most.count || size() > this.most.size)) {
      this.entries.shift();
    }
  }

  has(entry: E): boolean {
    return this.entries.includes(entry);
  }

  /** Lets go of all that `keep` does not want. */
  retain(keep: (entry: E) => boolean): void {
    this.entries = this.entries.filter(keep);
  }

  /** Returns which one it is, counted from 1, and of how many; undefined when it is not in the history. */
  at(entry: E): { position: number; count: number } | undefined {
    const i = this.entries.indexOf(entry);
    return i < 0 ? undefined : { position: i + 1, count: this.entries.length };
  }

  /** Returns the one before (-1) or after (1), undefined when there is none. */
  beside(entry: E, by: -1 | 1): E | undefined {
    const i = this.entries.indexOf(entry);
    return i < 0 ? undefined : this.entries[i + by];
  }
}
