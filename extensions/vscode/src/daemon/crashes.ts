// Decides when to give up a connection that keeps ending.

const limit = 5;
const period = 3 * 60_000;

/** The recent ends of a connection. */
export class Crashes {
  private times: number[] = [];

  /** @param now returns the time in milliseconds. */
  constructor(private readonly now: () => number) {}

  /** Counts one. Returns how many milliseconds to wait before the next try, undefined to give up. */
  next(): number | undefined {
    const now = this.now();
    this.times = [...this.times.filter((t) => now - t < period), now];
    return this.times.length < limit ? 100 * 3 ** (this.times.length - 1) : undefined;
  }

  /** Begins to count anew. */
  forget(): void {
    this.times = [];
  }
}
