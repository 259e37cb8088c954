// The log of one server, followed: it is asked for once for each connection, and then told.

import type { Json, LogLines } from '../protocol';

export class Tail {
  /** Where the lines end that are shown. */
  private cursor: Json | undefined;
  private following: Promise<void> | undefined;
  /** What overtook the answer that it comes after; undefined when none is awaited. */
  private early: LogLines[] | undefined;

  /**
   * @param ask asks for the lines after a cursor, the last ones without it, and for those to come.
   * @param take gets the lines in order, each once.
   */
  constructor(
    private readonly ask: (after: Json | undefined) => Promise<LogLines>,
    private readonly take: (lines: LogLines) => void,
  ) {}

  /** Follows the log, unless it does already. Returns when there is an answer; fails when there is none. */
  follow(): Promise<void> {
    this.following ??= this.start();
    return this.following;
  }

  private async start(): Promise<void> {
    const early: LogLines[] = [];
    this.early = early;
    let answer: LogLines;
    try {
      answer = await this.ask(this.cursor);
    } catch (error) {
      if (this.early === early) {
        this.end();
      }
      throw error;
    }
    if (this.early !== early) {
      return; // the connection has ended meanwhile: what comes after it is asked for again
    }
    this.early = undefined;
    for (const lines of [answer, ...early]) {
      this.add(lines);
    }
  }

  /** The daemon tells of new lines. */
  logged(lines: LogLines): void {
    if (this.early) {
      this.early.push(lines);
    } else if (this.following) {
      this.add(lines);
    }
  }

  /** Nothing is told any more: the connection has ended. What was shown is not asked for again. */
  end(): void {
    this.following = undefined;
    this.early = undefined;
  }

  private add(lines: LogLines): void {
    this.cursor = lines.cursor;
    this.take(lines);
  }
}
