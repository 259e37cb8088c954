// Follows the log of one server: asks for it once on each connection, then takes what the daemon sends.

import type { ServerLogResult } from '../protocol';

export class Tail {
  /** The end of the lines that are shown. */
  private cursor: string | undefined;
  private following: Promise<void> | undefined;
  /** Lines that overtook the answer; undefined when none is awaited. */
  private early: ServerLogResult[] | undefined;

  /**
   * @param ask asks for the lines after a cursor, or for the last ones, and to be told of new ones.
   * @param take is called with the lines in order, once with each.
   */
  constructor(
    private readonly ask: (after: string | undefined) => Promise<ServerLogResult>,
    private readonly take: (lines: ServerLogResult) => void,
  ) {}

  /** Follows the log, unless it does already. Returns once the daemon has answered; fails when it refuses. */
  follow(): Promise<void> {
    this.following ??= this.start();
    return this.following;
  }

  private async start(): Promise<void> {
    const early: ServerLogResult[] = [];
    this.early = early;
    let answer: ServerLogResult;
    try {
      answer = await this.ask(this.cursor);
    } catch (error) {
      if (this.early === early) {
        this.end();
      }
      throw error;
    }
    if (this.early !== early) {
      return; // the connection has ended; the next one asks again
    }
    this.early = undefined;
    for (const lines of [answer, ...early]) {
      this.add(lines);
    }
  }

  /** Takes new lines. */
  logged(lines: ServerLogResult): void {
    if (this.early) {
      this.early.push(lines);
    } else if (this.following) {
      this.add(lines);
    }
  }

  /** The connection has ended. The next one asks for the lines after those that are shown. */
  end(): void {
    this.following = undefined;
    this.early = undefined;
  }

  private add(lines: ServerLogResult): void {
    this.cursor = lines.cursor;
    this.take(lines);
  }
}
